import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { browserTest as it, type Stage, startStage, violationsOf } from '../../support/browser.js';
import { call, createDataset, ended, json, type ProcessAnswer, putFile } from '../../support/datasets.js';
import { dragTo, expectShortFrames, heapOf, turnWheel } from '../../support/frames.js';

const countries = ['Austria', 'Belgium', 'Chile', 'Denmark', "Côte d'Ivoire"];
/** More rows than a scroll bar of a browser is long. */
const longRows = 400_000;
const wideColumns = 5_000;
/** Text that would run if it were not text. */
const hostile = `<img src=x onerror="globalThis.hacked=1">'"><script>globalThis.hacked=1</script>{{7*7}}`;

/** More than a cell shows. */
const longText = 'x y '.repeat(2_500).trim();

let stage: Stage;
let ada: { id: number; key: string };
const ids = { prices: 0, long: 0, wide: 0, wideTexts: 0, texts: 0, hostile: 0, empty: 0 };

const client = () => ({ baseUrl: stage.product.baseUrl, key: ada.key });

const upload = async (name: string, csv: string): Promise<number> => {
  const id = await createDataset(client(), name);
  const process = await json<ProcessAnswer>(await putFile(client(), id, csv), 201);
  expect((await ended(client(), process)).status).toBe('completed');
  return id;
};

const prices = (): string => {
  const lines = countries.flatMap((country, at) =>
    Array.from({ length: 40 }, (_, year) =>
      [`"${country}"`, `${1980 + year}-01-01`, `${100 + at * 10 + year}.10`, year % 4 === 0 ? '' : year].join(
        ',',
      ),
    ),
  );
  return `Country,Date,Price,Unemployment rate\n${lines.join('\n')}\n`;
};

beforeAll(async () => {
  stage = await startStage();
  ada = await stage.product.createAccount('ada');
  ids.prices = await upload('Prices of energy', prices());
  const long = Array.from({ length: longRows }, (_, row) => `${row},${(row * 7919) % 10_007}`);
  ids.long = await upload('A long table', `Row,Value\n${long.join('\n')}\n`);
  const names = Array.from({ length: wideColumns }, (_, at) => `Indicator ${at}`);
  const wide = Array.from({ length: 12 }, (_, row) => names.map((_name, at) => row * 10_000 + at).join(','));
  ids.wide = await upload('A wide table', `${names.join(',')}\n${wide.join('\n')}\n`);
  const words = names.slice(0, 600).map((name) => `of ${name}`);
  ids.wideTexts = await upload(
    'A wide table of texts',
    `${names.slice(0, 600).join(',')}\n${words.join(',')}\n${words.join(',')}\n`,
  );
  ids.texts = await upload('Texts', `Text,Number\nshort,1\n${longText},2\n,3\n`);
  const cell = `"${hostile.replaceAll('"', '""')}"`;
  ids.hostile = await upload(hostile, `${cell},Amount\n${cell},1\n`);
  ids.empty = await createDataset(client(), 'Nothing yet');
  const home = await json<{ id: number; name: string }>(await call(client(), 'GET', '/repositories/home'));
  await json(
    await call(client(), 'PUT', `/repositories/${home.id}`, {
      name: hostile,
      privacy: 'Private',
      description: hostile,
    }),
  );
  await json(
    await call(client(), 'PUT', `/datasets/${ids.hostile}`, {
      name: hostile,
      description: hostile,
      sourceName: hostile,
      sourceUrl: 'https://example.org/"onmouseover="globalThis.hacked=1',
    }),
  );
});
afterEach(() => stage.leave());
afterAll(async () => {
  await stage?.close();
});

const visit = (path: string, more: Parameters<Stage['visit']>[1] = {}): Promise<Page> =>
  stage.visit(path, { key: ada.key, ...more });

const cell = (page: Page, row: number, column: number) =>
  page.locator(`[data-row="${row}"][data-column="${column}"]`);
const settled = (page: Page, row: number, column: number, text: string) =>
  cell(page, row, column).filter({ hasText: text }).waitFor();

/** Numbers of rows that are drawn. */
const drawnCells = (page: Page): Promise<number> => page.locator('.cell').count();

describe('home', () => {
  it('answers while somebody types, with datasets, columns and repositories, at an address', async () => {
    const page = await visit('/');
    await page.getByRole('link', { name: 'Prices of energy' }).waitFor();
    const box = page.getByRole('searchbox');
    await box.fill('unemploy');
    // Series of providers have that name, too.
    const columns = page.getByRole('listitem').filter({ hasText: 'in Prices of energy' });
    await columns.getByRole('link', { name: 'Unemployment rate' }).waitFor();
    expect(page.url()).toBe(`${stage.root}/?q=unemploy`);
    await box.fill('nothing of the kind');
    await page.getByText('No results for').waitFor();
    await box.fill('energy');
    await page.getByRole('link', { name: 'Prices of energy' }).click();
    await page.getByRole('heading', { name: 'Prices of energy' }).waitFor();
    await page.goBack();
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('energy');
    await page.reload();
    await page.getByRole('link', { name: 'Prices of energy' }).waitFor();
  });

  it('shows a stranger nothing that is not public, and says how to see more', async () => {
    const page = await stage.visit('/');
    await page.getByText('No data yet').waitFor();
    await page.goto(`/datasets/${ids.prices}`);
    await page.getByRole('heading', { name: 'Sign in to see this' }).waitFor();
    await page.goto('/datasets/999999');
    await page.getByRole('heading', { name: /Sign in to see this|Not found/ }).waitFor();
  });

  it('says so when the network is cut, and goes on when it is back', async () => {
    const page = await visit('/');
    await page.getByRole('link', { name: 'Prices of energy' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('searchbox').fill('energy');
    await page.getByText('The service could not be reached').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Prices of energy' }).waitFor();
  });
});

describe('the grid', () => {
  it('opens at a row, goes to both ends by keyboard, and draws what is in view alone', async () => {
    const page = await visit(`/datasets/${ids.long}?row=390000`);
    await settled(page, 390_002, 0, '390002');
    await expect.poll(() => cell(page, 390_002, 1).textContent()).toBe(String((390_002 * 7919) % 10_007));
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+End');
    await settled(page, longRows - 1, 0, String(longRows - 1));
    await page.keyboard.press('Control+Home');
    await settled(page, 0, 0, '0');
    await expect.poll(() => drawnCells(page)).toBeLessThan(200);
  });

  it('is scrolled through and dragged without a long frame, and without growing', async () => {
    const page = await visit(`/datasets/${ids.long}`);
    await settled(page, 0, 0, '0');
    const before = await heapOf(page);
    await expectShortFrames(page, async () => {
      await dragTo(page, 'down', 0);
      await turnWheel(page, 'down', 60);
      await dragTo(page, 'down', 0.5);
      await dragTo(page, 'down', 1);
      await settled(page, longRows - 1, 0, String(longRows - 1));
    });
    await expect.poll(() => drawnCells(page)).toBeLessThan(200);
    expect((await heapOf(page)) - before).toBeLessThan(30);
    await page.waitForURL(/row=3999\d\d/);
  });

  it('cancels what was scrolled past', async () => {
    const page = await visit(`/datasets/${ids.long}`);
    await settled(page, 0, 0, '0');
    let asked = 0;
    let letGo = (): void => undefined;
    const free = new Promise<void>((done) => {
      letGo = done;
    });
    await page.route('**/data?*', async (route) => {
      asked += 1;
      await free;
      // Requests that were cancelled meanwhile cannot go on: those are the ones that are counted below.
      await route.continue().catch(() => undefined);
    });
    let cancelled = 0;
    page.on('requestfailed', (request) => {
      if (request.failure()?.errorText === 'net::ERR_ABORTED') cancelled += 1;
    });
    for (let step = 1; step < 8; step += 1) {
      const before = asked;
      await page.evaluate(`(() => {
        const grid = document.querySelector('.grid');
        grid.scrollTop = (grid.scrollHeight * ${step}) / 10;
      })()`);
      // No answer comes, so what is asked for next cancels it.
      await expect.poll(() => asked).toBeGreaterThan(before);
    }
    await expect.poll(() => cancelled).toBeGreaterThan(2);
    letGo();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('reaches column 5,000, and makes cells of a few columns', async () => {
    const page = await visit(`/datasets/${ids.wide}`);
    await settled(page, 1, 0, '10000');
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+ArrowRight');
    await settled(page, 0, wideColumns - 1, String(wideColumns - 1));
    await expect.poll(() => drawnCells(page)).toBeLessThan(400);
  });

  it('asks for columns in view alone, also of a table of texts', async () => {
    const page = await visit('/');
    const answers: Promise<string>[] = [];
    // Those that came as a whole: what is out of view again is cancelled.
    page.on('requestfinished', (request) => {
      if (request.url().includes(`/datasets/${ids.wideTexts}/data?`))
        answers.push(request.response().then((answer) => answer?.text() ?? ''));
    });
    await page.goto(`/datasets/${ids.wideTexts}`);
    await settled(page, 1, 0, 'of Indicator 0');
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+ArrowRight');
    await settled(page, 1, 599, 'of Indicator 599');
    await expect.poll(() => answers.length).toBeGreaterThan(1);
    for (const answer of answers)
      expect((await answer).split('\n')[0]?.split('\t').length).toBeLessThanOrEqual(3 * 24);
  });

  it('is scrolled sideways through 5,000 columns without a long frame', async () => {
    const page = await visit(`/datasets/${ids.wide}`);
    await settled(page, 1, 0, '10000');
    await expectShortFrames(page, async () => {
      await dragTo(page, 'right', 0);
      await turnWheel(page, 'right', 60);
      await dragTo(page, 'right', 1);
      await settled(page, 0, wideColumns - 1, String(wideColumns - 1));
    });
    expect(await heapOf(page)).toBeLessThan(100);
  });

  it('sorts, hides, pins, and keeps that in the address', async () => {
    const page = await visit(`/datasets/${ids.prices}`);
    await settled(page, 0, 0, 'Austria');
    const menu = async (column: string, item: string): Promise<void> => {
      await page.getByRole('button', { name: `Column ${column}`, exact: true }).click();
      await page.getByRole('button', { name: item, exact: true }).click();
    };
    await menu('Price', 'Sort descending');
    await settled(page, 0, 2, '179.1');
    await expect.poll(() => page.locator('[aria-sort=descending]').count()).toBe(1);
    await menu('Country', 'Hide');
    await settled(page, 0, 1, '179.1');
    await menu('Unemployment rate', 'Pin to the left');
    await settled(page, 0, 0, '39');
    await page.reload();
    await settled(page, 0, 0, '39');
    await page.goBack();
    await page.goBack();
    await settled(page, 0, 2, '179.1');
  });

  it('opens a row with the whole of its values, by keyboard and by its number, at an address', async () => {
    const page = await visit(`/datasets/${ids.texts}`);
    await settled(page, 1, 0, 'x');
    await expect.poll(async () => (await cell(page, 1, 0).textContent())?.length).toBe(400);
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Row 1' });
    await dialog.getByText(longText).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.reload();
    await dialog.getByText(longText).waitFor();
    await dialog.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('dialog', { name: 'Row 2' }).getByText('empty').waitFor();
    expect(new URL(page.url()).searchParams.get('record')).toBe('2');
    await page.keyboard.press('Escape');
    // The browser tells that it has closed a dialog after it has: the address follows.
    await expect.poll(() => new URL(page.url()).searchParams.get('record')).toBeNull();
    await page.locator('[data-open="0"]').click();
    await page.getByRole('dialog', { name: 'Row 0' }).getByText('short').waitFor();
  });

  it('says that columns are being summarized, or are not, while rows are read', async () => {
    const page = await visit('/');
    let answer = (): void => undefined;
    const asked = new Promise<void>((done) => {
      answer = done;
    });
    let isDown = true;
    await page.route('**/summary?*', async (route) => {
      await asked;
      if (!isDown) return route.continue();
      const body = JSON.stringify({ error: { code: 'overloaded', message: 'too busy' } });
      return route.fulfill({ status: 503, contentType: 'application/json', body });
    });
    await page.goto(`/datasets/${ids.prices}`);
    await settled(page, 0, 0, 'Austria');
    const words = (text: string) => page.getByRole('columnheader', { name: text }).first();
    await words('summarizing …').waitFor();
    answer();
    await words('no summary yet').waitFor();
    await page.getByRole('button', { name: 'Column Price', exact: true }).click();
    await page.locator('.menu-list').getByText('no summary yet').waitFor();
    await page.keyboard.press('Escape');
    isDown = false;
    // It is asked for again without anybody doing anything.
    await page.getByTitle('Austria: 40').waitFor();
    await words('no summary yet').waitFor({ state: 'detached' });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('keeps the focus where a menu was used', async () => {
    const page = await visit(`/datasets/${ids.prices}`);
    await settled(page, 0, 0, 'Austria');
    const menu = page.getByRole('button', { name: 'Column Price', exact: true });
    await menu.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('[aria-sort=ascending]').waitFor();
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('Column Price');
  });

  it('copies selected cells as TSV', async () => {
    const page = await visit(`/datasets/${ids.prices}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await settled(page, 0, 0, 'Austria');
    await cell(page, 0, 0).click();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+End');
    await page.keyboard.press('Control+c');
    await page.getByText('Copied 2 × 4 cells.').waitFor();
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toBe('Austria\t1980-01-01\t100.1\t\nAustria\t1981-01-01\t101.1\t1');
  });

  it('closes the menu of a column with an Escape that follows at once', async () => {
    const page = await visit(`/datasets/${ids.prices}`);
    await page.getByRole('button', { name: 'Column Country', exact: true }).waitFor();
    const isOpen = await page.evaluate(`(async () => {
      const button = document.querySelector('button[aria-label="Column Country"]');
      const isOpen = () => button.getAttribute('aria-expanded');
      button.click();
      await Promise.resolve();
      const before = isOpen();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
      await Promise.resolve();
      return [before, isOpen()];
    })()`);
    expect(isOpen).toEqual(['true', 'false']);
  });

  it('shows what a dataset without data is', async () => {
    const page = await visit(`/datasets/${ids.empty}`);
    await page.getByRole('heading', { name: 'No data yet' }).waitFor();
  });
});

describe('the filter', () => {
  const box = (page: Page) => page.getByLabel('Filter, in the $filter language');

  it('is made by clicks on values and bars, and by the form', async () => {
    const page = await visit(`/datasets/${ids.prices}`);
    await page.getByTitle('Austria: 40').click();
    await page.getByText('40 of 200 rows match').waitFor();
    await page.locator('.head-bars').last().locator('span').first().click();
    await expect
      .poll(() => box(page).inputValue())
      .toMatch(/^Country eq 'Austria' and \[Unemployment rate\] ge 1 and /);
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await page.getByLabel('Column', { exact: true }).fill('Price');
    await page.getByLabel('Comparison').selectOption('at least');
    await page.getByLabel('Value', { exact: true }).fill('175.1');
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByText('5 of 200 rows match').waitFor();
    await settled(page, 0, 0, "Côte d'Ivoire");
    expect(new URL(page.url()).searchParams.get('$filter')).toBe('Price ge 175.1');
  });

  it('takes further values of a column in, and each condition out again', async () => {
    const page = await visit(`/datasets/${ids.prices}`);
    await page.getByTitle('Austria: 40').click();
    await page.getByText('40 of 200 rows match').waitFor();
    await page.getByTitle('Belgium: 40').click();
    await page.getByText('80 of 200 rows match').waitFor();
    await expect.poll(() => box(page).inputValue()).toBe("Country in ('Austria', 'Belgium')");
    await page.getByLabel('Column', { exact: true }).fill('Price');
    await page.getByLabel('Comparison').selectOption('at least');
    await page.getByLabel('Value', { exact: true }).fill('110.1');
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByText('70 of 200 rows match').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove the condition Country in' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('190 of 200 rows match').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("role")')).toBe('combobox');
    await expect.poll(() => page.getByRole('button', { name: /^Remove the condition/ }).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('$filter')).toBe('Price ge 110.1');
  });

  it('completes columns, comparisons and values by keyboard', async () => {
    const page = await visit(`/datasets/${ids.prices}`);
    await settled(page, 0, 0, 'Austria');
    await box(page).click();
    await page.keyboard.type('Cou');
    await page.keyboard.press('Tab');
    await page.keyboard.type("eq 'C");
    await page.getByRole('option', { name: "Côte d''Ivoire" }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await expect.poll(() => box(page).inputValue()).toBe("Country eq 'Côte d''Ivoire' ");
    await page.keyboard.press('Enter');
    await page.getByText('40 of 200 rows match').waitFor();
    await settled(page, 0, 0, "Côte d'Ivoire");
  });

  it('looks for words in the texts when they are no filter', async () => {
    const page = await visit(`/datasets/${ids.prices}`);
    await box(page).fill("d'ivo");
    await page.getByRole('button', { name: "Find “d'ivo” in all text columns" }).click();
    await page.getByText('40 of 200 rows match').waitFor();
    await expect.poll(() => box(page).inputValue()).toBe("contains(tolower(Country), 'd''ivo')");
  });

  it('keeps what is typed the moment it appears', async () => {
    const page = await visit('/');
    await page.getByRole('link', { name: 'Prices of energy' }).waitFor();
    await page.evaluate(`new MutationObserver((_, observer) => {
      const input = document.querySelector('.filter-text input');
      if (input === null) return;
      observer.disconnect();
      input.value = 'Price gt 170';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    }).observe(document.body, { childList: true, subtree: true })`);
    await page.getByRole('link', { name: 'Prices of energy' }).click();
    await page.getByText('10 of 200 rows match').waitFor();
    await expect.poll(() => box(page).inputValue()).toBe('Price gt 170');
  });

  it('suggests nothing that was found for other letters', async () => {
    const page = await visit(`/datasets/${ids.prices}`);
    await box(page).click();
    await page.keyboard.type("Country eq '");
    await page.getByRole('option', { name: 'Austria' }).waitFor();
    const left = await page.evaluate(`(async () => {
      const input = document.querySelector('.filter-text input');
      input.value += 'C';
      input.dispatchEvent(new Event('input', { bubbles: true }));
      await Promise.resolve();
      return document.querySelectorAll('.filter-list [role=option]').length;
    })()`);
    expect(left).toBe(0);
    await expect
      .poll(() => page.locator('.filter-list [role=option]').allTextContents())
      .toEqual(["'Chile' ", "'Côte d''Ivoire' "]);
  });

  it('says what is wrong, and where', async () => {
    const page = await visit(`/datasets/${ids.prices}`);
    await box(page).fill("Country eq 'Chile' and Prise gt 3");
    await page.getByText('did you mean Price instead of Prise?').waitFor();
    await expect.poll(() => page.locator('.filter-where mark').textContent()).toBe('Prise');
    await box(page).fill('Price gt 1000');
    await box(page).press('Enter');
    await page.getByRole('heading', { name: 'No matching rows' }).waitFor();
  });
});

describe('what is taken along', () => {
  it('is the view, as a file', async () => {
    const page = await visit(`/datasets/${ids.prices}?$filter=Price+ge+175.1&$orderby=Price+desc`);
    await page.getByRole('button', { name: 'Download as …' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV', exact: true }).click(),
    ]);
    const text = await readFile((await download.path()) ?? '', 'utf8');
    expect(text.split('\r\n')[1]).toBe(`"Côte d'Ivoire","2019-01-01",179.1,39`);
    expect(text.trim().split('\r\n')).toHaveLength(6);
  });
});

describe('text that would run', () => {
  it('stays text in names, descriptions, sources, columns and cells', async () => {
    const page = await visit('/');
    await page.getByRole('link', { name: hostile }).waitFor();
    await page.getByRole('searchbox').fill('<img');
    await page.getByRole('heading', { name: 'Repositories' }).waitFor();
    await page.getByRole('link', { name: hostile }).first().click();
    await settled(page, 0, 0, hostile);
    await page.getByRole('button', { name: 'Copy as code' }).click();
    await expect.poll(() => page.evaluate('globalThis.hacked')).toBeUndefined();
    await expect.poll(() => page.locator('a[href^=javascript]').count()).toBe(0);
  });
});

describe('every page', () => {
  it.each([
    ['light', 375],
    ['dark', 1280],
  ] as const)('has no fault that axe finds, %s at %i', async (theme, width) => {
    const page = await visit('/', { theme, width });
    await page.getByRole('link', { name: 'Prices of energy' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`/datasets/${ids.prices}`);
    await settled(page, 0, 0, 'Austria');
    await page.locator('.head-bars').first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Column Country', exact: true }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Copy as code' }).click();
    expect(await violationsOf(page)).toEqual([]);
  });

  it('is not wider than a phone', async () => {
    const page = await visit('/', { width: 375 });
    for (const path of ['/', `/datasets/${ids.prices}`, `/datasets/${ids.hostile}`]) {
      await page.goto(path);
      await page.waitForLoadState('networkidle');
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 375]);
    }
  });

  it('weighs at most 120 KB', async () => {
    const page = await stage.visit('/sign-in', { key: ada.key });
    await page.waitForLoadState('networkidle');
    for (const path of ['/', `/datasets/${ids.prices}`]) {
      const network = await page.context().newCDPSession(page);
      await network.send('Network.enable');
      await network.send('Network.setCacheDisabled', { cacheDisabled: true });
      let bytes = 0;
      network.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      await page.goto(path);
      await page.waitForLoadState('networkidle');
      expect(bytes).toBeGreaterThan(5_000);
      expect(bytes).toBeLessThan(120_000);
      await network.detach();
    }
  });
});

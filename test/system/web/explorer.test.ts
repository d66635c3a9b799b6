import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { browserTest as it, type Stage, startStage, violationsOf } from '../../support/browser.js';
import { call, createDataset, json } from '../../support/datasets.js';
import { cell, prices, settled, uploadTable } from './explorer-world.js';

/** Markup that runs a script unless it is escaped. */
const hostile = `<img src=x onerror="globalThis.hacked=1">'"><script>globalThis.hacked=1</script>{{7*7}}`;

/** Longer than a cell shows. */
const longText = 'x y '.repeat(2_500).trim();

let stage: Stage;
let ada: { id: number; key: string };
const ids = { prices: 0, texts: 0, hostile: 0, empty: 0 };

const client = () => ({ baseUrl: stage.product.baseUrl, key: ada.key });

const upload = (name: string, csv: string): Promise<number> => uploadTable(stage, ada.key, name, csv);

beforeAll(async () => {
  stage = await startStage();
  ada = await stage.product.createAccount('ada');
  ids.prices = await upload('Prices of energy', prices());
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

describe('home', () => {
  it('finds datasets and columns while typing, with the query in the URL', async () => {
    const page = await visit('/');
    await page.getByRole('link', { name: 'Prices of energy' }).waitFor();
    const box = page.getByRole('searchbox');
    await box.fill('unemploy');
    // Series of providers have this name too.
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

  it('shows anonymous visitors only public data, and asks them to sign in', async () => {
    const page = await stage.visit('/');
    await page.getByText('No data yet').waitFor();
    await page.goto(`/datasets/${ids.prices}`);
    await page.getByRole('heading', { name: 'Sign in to see this' }).waitFor();
    await page.goto('/datasets/999999');
    await page.getByRole('heading', { name: /Sign in to see this|Not found/ }).waitFor();
  });
});

describe('the grid', () => {
  it('sorts, hides and pins columns, and keeps that in the URL', async () => {
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

  it('opens a row with complete values by keyboard and by its number, and keeps that in the URL', async () => {
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
    // The close event of a dialog is asynchronous, and so is the change of the URL.
    await expect.poll(() => new URL(page.url()).searchParams.get('record')).toBeNull();
    await page.locator('[data-open="0"]').click();
    await page.getByRole('dialog', { name: 'Row 0' }).getByText('short').waitFor();
  });

  it('returns the focus to the button that opened a menu', async () => {
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

  it('closes the menu of a column with an immediate Escape', async () => {
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

  it('shows that a dataset has no data', async () => {
    const page = await visit(`/datasets/${ids.empty}`);
    await page.getByRole('heading', { name: 'No data yet' }).waitFor();
  });
});

describe('the filter', () => {
  const box = (page: Page) => page.getByLabel('Filter, in the $filter language');

  it('is built by clicks on values and bars, and with the form', async () => {
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

  it('combines several values of a column, and each condition can be removed', async () => {
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

  it('lets Tab leave the input, and Enter take a suggestion that was picked by an arrow', async () => {
    const page = await visit(`/datasets/${ids.prices}`);
    await settled(page, 0, 0, 'Austria');
    await box(page).click();
    await page.keyboard.type('Cou');
    for (const value of ['Country ', 'Country eq ', 'Country eq ']) {
      await page.keyboard.press('Tab');
      await expect.poll(() => box(page).inputValue()).toBe(value);
    }
    await expect
      .poll(() => page.evaluate("document.activeElement.getAttribute('role')"))
      .not.toBe('combobox');
    await box(page).fill('');
    await page.keyboard.type('Cou');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => box(page).inputValue()).toBe('Country ');
    expect(new URL(page.url()).searchParams.get('$filter')).toBeNull();
  });

  it('takes a suggestion that is clicked, and keeps the focus', async () => {
    const page = await visit(`/datasets/${ids.prices}`);
    await box(page).click();
    await page.keyboard.type('Cou');
    await page.getByRole('option', { name: 'Country' }).click();
    await expect.poll(() => box(page).inputValue()).toBe('Country ');
    await page.keyboard.type('n');
    await page.getByRole('option', { name: 'ne' }).click();
    await expect.poll(() => box(page).inputValue()).toBe('Country ne ');
  });

  it('keeps suggestions open when the input is left and entered again', async () => {
    const page = await visit(`/datasets/${ids.prices}`);
    await box(page).click();
    const offered = await page.evaluate(`(async () => {
      const input = document.querySelector('.filter-text input');
      input.blur();
      input.focus();
      input.value = 'Cou';
      input.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve, 500));
      return [...document.querySelectorAll('.filter-list [role=option]')].map((one) => one.textContent);
    })()`);
    expect(offered).toEqual(['Country ']);
  });

  it('offers a text search for input that is not a filter', async () => {
    const page = await visit(`/datasets/${ids.prices}`);
    await box(page).fill("d'ivo");
    await page.getByRole('button', { name: "Find “d'ivo” in all text columns" }).click();
    await page.getByText('40 of 200 rows match').waitFor();
    await expect.poll(() => box(page).inputValue()).toBe("contains(tolower(Country), 'd''ivo')");
  });

  it('keeps text that is typed as soon as the input appears', async () => {
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

  it('does not show suggestions for earlier input', async () => {
    const page = await visit(`/datasets/${ids.prices}`);
    await box(page).click();
    await page.keyboard.type("Country eq '");
    await page.getByRole('option', { name: 'Austria' }).waitFor();
    const remaining = await page.evaluate(`(async () => {
      const input = document.querySelector('.filter-text input');
      input.value += 'C';
      input.dispatchEvent(new Event('input', { bubbles: true }));
      await Promise.resolve();
      return document.querySelectorAll('.filter-list [role=option]').length;
    })()`);
    expect(remaining).toBe(0);
    await expect
      .poll(() => page.locator('.filter-list [role=option]').allTextContents())
      .toEqual(["'Chile' ", "'Côte d''Ivoire' "]);
  });

  it('shows what is wrong and where', async () => {
    const page = await visit(`/datasets/${ids.prices}`);
    await box(page).fill("Country eq 'Chile' and Prise gt 3");
    await page.getByText('did you mean Price instead of Prise?').waitFor();
    await expect.poll(() => page.locator('.filter-where mark').textContent()).toBe('Prise');
    await box(page).fill('Price gt 1000');
    await box(page).press('Enter');
    await page.getByRole('heading', { name: 'No matching rows' }).waitFor();
  });
});

describe('a download', () => {
  it('has the rows of the view', async () => {
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

describe('text with markup', () => {
  it('is escaped in names, descriptions, sources, columns and cells', async () => {
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
  ] as const)('has no axe violations, %s at %i', async (theme, width) => {
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

  it('fits the width of a phone', async () => {
    const page = await visit('/', { width: 375 });
    for (const path of ['/', `/datasets/${ids.prices}`, `/datasets/${ids.hostile}`]) {
      await page.goto(path);
      await page.waitForLoadState('networkidle');
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 375]);
    }
  });
});

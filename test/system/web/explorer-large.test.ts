/** The explorer with very long and very wide tables, and with late or missing answers. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { browserTest as it, type Stage, startStage } from '../../support/browser.js';
import { dragTo, expectShortFrames, heapOf, turnWheel } from '../../support/frames.js';
import { cell, drawnCells, longTable, prices, settled, uploadTable } from './explorer-world.js';

/** Exceeds the maximum scroll height of browsers. */
const longRows = 400_000;
const wideColumns = 5_000;

let stage: Stage;
let ada: { id: number; key: string };
const ids = { prices: 0, long: 0, wide: 0, wideTexts: 0 };

const upload = (name: string, csv: string): Promise<number> => uploadTable(stage, ada.key, name, csv);

beforeAll(async () => {
  stage = await startStage();
  ada = await stage.product.createAccount('ada');
  ids.prices = await upload('Prices of energy', prices());
  ids.long = await upload('A long table', longTable(longRows));
  const names = Array.from({ length: wideColumns }, (_, at) => `Indicator ${at}`);
  const wide = Array.from({ length: 12 }, (_, row) => names.map((_name, at) => row * 10_000 + at).join(','));
  ids.wide = await upload('A wide table', `${names.join(',')}\n${wide.join('\n')}\n`);
  const words = names.slice(0, 600).map((name) => `of ${name}`);
  ids.wideTexts = await upload(
    'A wide table of texts',
    `${names.slice(0, 600).join(',')}\n${words.join(',')}\n${words.join(',')}\n`,
  );
});
afterEach(() => stage.leave());
afterAll(async () => {
  await stage?.close();
});

const visit = (path: string, more: Parameters<Stage['visit']>[1] = {}): Promise<Page> =>
  stage.visit(path, { key: ada.key, ...more });

describe('home', () => {
  it('shows that the network is down and recovers with it', async () => {
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
  it('opens at a row, moves to both ends by keyboard, and renders only visible cells', async () => {
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

  it('scrolls down and drags without long frames or memory growth', async () => {
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

  it('cancels requests for rows that are no longer visible', async () => {
    const page = await visit(`/datasets/${ids.long}`);
    await settled(page, 0, 0, '0');
    let requested = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((done) => {
      release = done;
    });
    await page.route('**/data?*', async (route) => {
      requested += 1;
      await released;
      // Cancelled requests cannot continue; they are counted below.
      await route.continue().catch(() => undefined);
    });
    let cancelled = 0;
    page.on('requestfailed', (request) => {
      if (request.failure()?.errorText === 'net::ERR_ABORTED') cancelled += 1;
    });
    for (let step = 1; step < 8; step += 1) {
      const before = requested;
      await page.evaluate(`(() => {
        const grid = document.querySelector('.grid');
        grid.scrollTop = (grid.scrollHeight * ${step}) / 10;
      })()`);
      // Answers are held back, so that the next request cancels this one.
      await expect.poll(() => requested).toBeGreaterThan(before);
    }
    await expect.poll(() => cancelled).toBeGreaterThan(2);
    release();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('reaches column 5,000 and renders only a few columns', async () => {
    const page = await visit(`/datasets/${ids.wide}`);
    await settled(page, 1, 0, '10000');
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+ArrowRight');
    await settled(page, 0, wideColumns - 1, String(wideColumns - 1));
    await expect.poll(() => drawnCells(page)).toBeLessThan(400);
  });

  it('requests only visible columns, also of a table of strings', async () => {
    const page = await visit('/');
    const answers: Promise<string>[] = [];
    // Finished requests only: requests for columns out of view are cancelled.
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

  it('scrolls sideways through 5,000 columns without long frames', async () => {
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

  it('shows rows before the summary, and whether the summary is pending or failed', async () => {
    const page = await visit('/');
    let release = (): void => undefined;
    const released = new Promise<void>((done) => {
      release = done;
    });
    let isDown = true;
    await page.route('**/summary?*', async (route) => {
      await released;
      if (!isDown) return route.continue();
      const body = JSON.stringify({ error: { code: 'overloaded', message: 'too busy' } });
      return route.fulfill({ status: 503, contentType: 'application/json', body });
    });
    await page.goto(`/datasets/${ids.prices}`);
    await settled(page, 0, 0, 'Austria');
    const words = (text: string) => page.getByRole('columnheader', { name: text }).first();
    await words('summarizing …').waitFor();
    release();
    await words('no summary yet').waitFor();
    await page.getByRole('button', { name: 'Column Price', exact: true }).click();
    await page.locator('.menu-list').getByText('no summary yet').waitFor();
    await page.keyboard.press('Escape');
    isDown = false;
    // The app retries by itself.
    await page.getByTitle('Austria: 40').waitFor();
    await words('no summary yet').waitFor({ state: 'detached' });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

describe('every page', () => {
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

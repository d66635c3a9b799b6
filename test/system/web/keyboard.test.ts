import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { browserTest as it, type Stage, startStage } from '../../support/browser.js';

let stage: Stage;
let ada: { id: number; key: string };

beforeAll(async () => {
  stage = await startStage();
  ada = await stage.product.createAccount('ada');
});
afterEach(() => stage.leave());
afterAll(() => stage?.close());

const rows = Array.from(
  { length: 24 },
  (_, at) => `${2000 + at}-01-01,${at % 3 === 0 ? 'Chile' : 'Norway'},${100 + at}.50\n`,
);
const csv = `Date,Country,Price\n${rows.join('')}`;

interface Focus {
  /** Accessible name of the focused element. */
  readonly name: string;
  /** Reason why the focus is not visible: no focus ring, or outside of the viewport. Empty if it is visible. */
  readonly hiddenBy: string;
}

/** Reads name and visibility in one step, since the focused element may disappear while the page loads. */
const focusIn = (page: Page): Promise<Focus> =>
  page.evaluate(`(() => {
    const one = document.activeElement;
    const text = one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent;
    const name = one.tagName.toLowerCase() + ': ' + text.trim();
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const { outlineStyle, boxShadow } = getComputedStyle(one);
    if (outlineStyle === 'none' && boxShadow === 'none') return { name, hiddenBy: 'no mark' };
    const isIn = right > left && bottom > top && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
    return { name, hiddenBy: isIn ? '' : JSON.stringify({ left, right, top, bottom, innerWidth, innerHeight }) };
  })()`) as Promise<Focus>;

/** Presses Tab until an element of this name has the focus. The focus must be visible at each step. */
const tabTo = async (page: Page, name: RegExp): Promise<void> => {
  const visited: string[] = [];
  let at = await focusIn(page);
  for (let step = 0; step < 60; step += 1) {
    if (name.test(at.name)) return;
    await page.keyboard.press('Tab');
    at = await focusIn(page);
    visited.push(at.name);
    // After the last link the focus moves to the browser's own bar, then to the first link.
    if (!at.name.startsWith('body:')) expect(at).toEqual({ name: at.name, hiddenBy: '' });
  }
  expect(visited).toContain(String(name));
};

it('the first page, an upload and its chart can be used by keyboard alone at the size of a phone', async () => {
  const page = await stage.visit('/', { width: 375, height: 667 });
  // Must be registered before the browser opens the file chooser.
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('heading', { name: 'Find data' }).waitFor();
  await tabTo(page, /^a: Sign in$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await tabTo(page, /^input: API key/);
  await page.keyboard.type(ada.key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Find data' }).waitFor();

  await tabTo(page, /^a: Upload/);
  await page.keyboard.press('Enter');
  await page.locator('input[type=file]').waitFor({ state: 'attached' });
  await tabTo(page, /^button: Choose files/);
  await page.keyboard.press('Enter');
  const chooser = await choosing;
  await chooser.setFiles({ name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await page.getByText('First rows of prices.csv').waitFor({ state: 'attached' });
  await tabTo(page, /^button: Upload$/);
  await page.keyboard.press('Enter');
  await page.getByText('Complete', { exact: true }).waitFor();

  await tabTo(page, /^a: View the data/);
  await page.keyboard.press('Enter');
  await page.locator('[data-row="0"]').first().waitFor();
  await page.locator('.head-values').getByText('Norway').waitFor();
  await tabTo(page, /^button: Column Country$/);
  await page.keyboard.press('Enter');
  await tabTo(page, /^button: Chile/);
  await page.keyboard.press('Enter');
  await page.getByText('8 of 24 rows match').waitFor();
  expect(new URL(page.url()).searchParams.get('$filter')).toBe("Country eq 'Chile'");
  await tabTo(page, /^a: Chart/);
  await page.keyboard.press('Enter');
  await page.locator('.plot canvas').waitFor();
  await tabTo(page, /^div: .*[Cc]hart/);
  await page.keyboard.press('End');
  await page
    .locator('.readout')
    .getByText('121.50', { exact: true })
    .or(page.locator('.readout').getByText('121.5', { exact: true }))
    .first()
    .waitFor();
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(375);
});

/**
 * Scrolls the grid for minutes in tables of 5 million rows, 5,000 numeric columns, and 5,000 text columns. Environment:
 * GRID_MINUTES (10) per table.
 */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { browserTest as it, type Stage, startStage } from '../support/browser.js';
import { createDataset, upload } from '../support/datasets.js';
import { dragTo, heapOf, traceTurns, turnWheel } from '../support/frames.js';

const minutes = Number(process.env.GRID_MINUTES ?? 10);

let stage: Stage;
let key: string;
beforeAll(async () => {
  stage = await startStage();
  ({ key } = await stage.product.createAccount('ada'));
});
afterEach(() => stage.leave());
afterAll(() => stage?.close());

const numbers = (rows: number): string => {
  const parts: string[] = ['Row,Value,Country\n'];
  for (let row = 0; row < rows; row += 1)
    parts.push(`${row},${(row * 7919) % 10_007},Country ${row % 190}\n`);
  return parts.join('');
};

const wide = (rows: number, columns: number, cell: (row: number, column: number) => string): string => {
  const lines = [Array.from({ length: columns }, (_, at) => `Indicator ${at}`).join(',')];
  for (let row = 0; row < rows; row += 1)
    lines.push(Array.from({ length: columns }, (_, at) => cell(row, at)).join(','));
  return `${lines.join('\n')}\n`;
};

/** Scrolls by wheel, scroll bar and keys, traced in rounds. */
const scrollFor = async (page: Page, axes: readonly ('down' | 'right')[]) => {
  const until = Date.now() + minutes * 60_000;
  const cpuMs: number[] = [];
  const heapMb: number[] = [];
  const long: string[] = [];
  let frames = 0;
  for (let round = 0; Date.now() < until; round += 1) {
    const turns = await traceTurns(page, async () => {
      const axis = axes[round % axes.length] ?? 'down';
      await turnWheel(page, axis, 60);
      // Golden ratio, so that positions never repeat.
      await dragTo(page, axis, (round * 0.618034) % 1);
      await page.locator('.grid').focus();
      for (let press = 0; press < 20; press += 1)
        await page.keyboard.press(axis === 'down' ? 'PageDown' : 'ArrowRight');
      await page.waitForTimeout(300);
    });
    frames += turns.frames;
    cpuMs.push(...turns.cpuMs.slice(0, 50));
    const [most = 0] = turns.cpuMs;
    if (most > 40) long.push(`round ${round}: ${Math.round(most)} ms, ${turns.longest}`);
    if (round % 10 === 0) heapMb.push(Math.round(await heapOf(page)));
  }
  heapMb.push(Math.round(await heapOf(page)));
  cpuMs.sort((a, b) => b - a);
  const report = {
    frames,
    longestMs: cpuMs.slice(0, 10),
    above50Ms: cpuMs.filter((ms) => ms > 50).length,
    long,
    heapMb,
  };
  console.log(JSON.stringify(report));
  return report;
};

it.each([
  ['5,000,000 rows', () => numbers(5_000_000), ['down']],
  [
    '5,000 numeric columns',
    () => wide(500, 5_000, (row, at) => String(row * 10_000 + at)),
    ['right', 'down'],
  ],
  // All columns are entities.
  ['5,000 text columns', () => wide(500, 5_000, (row, at) => `text ${row} of ${at}`), ['right', 'down']],
] as const)(
  '%s scroll without a frame above 50 ms and within 100 MB of heap',
  async (name, csv, axes) => {
    const client = { baseUrl: stage.product.baseUrl, key };
    const id = await createDataset(client, name);
    expect((await upload(client, id, csv())).status).toBe('completed');
    const page = await stage.visit(`/datasets/${id}`, { key, width: 1_920, height: 1_080 });
    await page.locator('[data-row="0"][data-column="0"]').filter({ hasText: /\d/ }).waitFor();
    const { frames, longestMs, heapMb } = await scrollFor(page, axes);
    expect(frames).toBeGreaterThan(minutes * 60);
    expect(longestMs[0]).toBeLessThan(50);
    expect(Math.max(...heapMb)).toBeLessThan(100);
  },
  (minutes + 10) * 60_000,
);

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { allProviders } from '../../../src/providers/registry.js';
import { browserTest as it, type Stage, startStage, violationsOf } from '../../support/browser.js';
import {
  type Exchange,
  fixture,
  type ReplayUpstream,
  startReplayUpstream,
} from '../../support/replay-upstream.js';

/** Exchanges for the preview and the complete series, in the bank's format. */
const observed = (
  id: string,
  label: string,
  values: Readonly<Record<string, string | null>>,
): readonly Exchange[] => {
  const reply = {
    terms: { url: 'https://www.bankofcanada.ca/terms/' },
    seriesDetail: { [id]: { label, description: label, dimension: { key: 'd', name: 'Date' } } },
    observations: Object.entries(values).map(([d, v]) => ({ d, [id]: { v } })),
  };
  return [{ recent: '24' }, {}].map((query) => ({ path: `/observations/${id}/json`, query, reply }));
};

const list = (name: string): string => fixture(`providers/bankofcanada/${name}.json`);

const bankExchanges: readonly Exchange[] = [
  {
    path: '/lists/groups/json',
    reply: { groups: { FX_RATES_DAILY: { label: 'Daily exchange rates', description: null } } },
  },
  { path: '/groups/FX_RATES_DAILY/json', reply: list('groups-FX_RATES_DAILY') },
  ...observed('FXUSDCAD', 'USD/CAD', {
    '2026-03-11': '1.4400',
    '2026-03-12': '1.4405',
    '2026-03-13': null,
    '2026-03-16': '1.40',
  }),
  // Has different days.
  ...observed('FXEURCAD', 'EUR/CAD', { '2026-03-12': '1.5600', '2026-03-17': '1.57' }),
  ...observed('V80691335', 'Conventional mortgage, 5-year', { '2026-03-11': '6.09' }),
  { path: '/observations/NOPE/json', query: { recent: '24' }, status: 404, reply: { message: 'not found' } },
];

let stage: Stage;
let bank: ReplayUpstream;
let emptyUpstream: ReplayUpstream;
let ada: { id: number; key: string };

beforeAll(async () => {
  bank = await startReplayUpstream(bankExchanges);
  emptyUpstream = await startReplayUpstream([]);
  stage = await startStage({
    providerUrls: [
      ...allProviders.map(({ slug }) => `${slug}=${emptyUpstream.baseUrl}`),
      `bankofcanada=${bank.baseUrl}`,
    ].join(','),
  });
  ada = await stage.product.createAccount('ada');
});
afterEach(() => stage.leave());
afterAll(async () => {
  await stage?.close();
  await Promise.all([bank, emptyUpstream].map((upstream) => upstream?.close()));
});

const visit = (path: string, more: Parameters<Stage['visit']>[1] = {}): Promise<Page> =>
  stage.visit(path, { key: ada.key, ...more });
const heading = (page: Page, name: string) => page.getByRole('heading', { name });
const inChart = (page: Page) => page.getByRole('region', { name: 'Series in the chart' });
const rows = async (page: Page): Promise<string[][]> => {
  const texts = await page.locator('.observations tbody tr').allInnerTexts();
  return texts.map((row) => row.split('\t'));
};

it('several series are selected in the tree and in the search, and are part of the URL', async () => {
  const page = await visit('/providers/bankofcanada/series/FXUSDCAD');
  await page.getByRole('link', { name: 'Compare with another series' }).click();
  await page.getByText('Choose a series to show in one chart with FXUSDCAD.').waitFor();
  await page.getByRole('link', { name: /Daily exchange rates/ }).click();
  await page.getByRole('link', { name: 'EUR/CAD', exact: true }).click();
  await heading(page, 'USD/CAD').waitFor();
  await inChart(page).getByRole('link', { name: 'EUR/CAD' }).waitFor();
  expect(page.url()).toBe(`${stage.root}/providers/bankofcanada/series/FXUSDCAD?with=FXEURCAD`);
  await page.locator('.plot canvas').waitFor();
  await expect
    .poll(() => rows(page))
    .toEqual([
      ['2026-03-17', '', '1.57'],
      ['2026-03-16', '1.40', ''],
      ['2026-03-13', 'no value', ''],
      ['2026-03-12', '1.4405', '1.5600'],
      ['2026-03-11', '1.4400', ''],
    ]);
  await page.getByRole('link', { name: 'Add another series' }).click();
  await page.getByRole('searchbox', { name: 'Search the series of' }).fill('mortgage');
  await page.getByRole('heading', { name: 'Series found' }).waitFor();
  await page.getByRole('link', { name: 'Conventional mortgage, 5-year' }).click();
  await page.waitForURL(/FXUSDCAD\?with=FXEURCAD&with=V80691335$/);
  await inChart(page).getByRole('link', { name: 'Conventional mortgage, 5-year' }).waitFor();
  await page.locator('.plot').focus();
  await page.keyboard.press('Home');
  const readout = page.locator('.readout');
  await expect
    .poll(() => readout.locator('dd').allInnerTexts())
    .toEqual(['2026-03-11', '1.4400', 'no row', '6.09']);
  const other = await stage.visit(page.url(), { width: 375 });
  await inChart(other).getByRole('link', { name: 'Conventional mortgage, 5-year' }).waitFor();
  await expect.poll(async () => (await rows(other))[0]).toEqual(['2026-03-17', '', '1.57', '']);
  expect(await violationsOf(other)).toEqual([]);
  await expect.poll(() => other.evaluate('document.documentElement.scrollWidth')).toBe(375);
});

it('several series keep the parameters while one is added or removed, and are downloaded as one table', async () => {
  const page = await visit('/providers/bankofcanada/series/FXUSDCAD?all=true');
  await page.getByText('4 observations').waitFor();
  await page.getByRole('link', { name: 'Compare with another series' }).click();
  await page.getByLabel('Open a series by its id').fill('FXEURCAD');
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.waitForURL(/FXUSDCAD\?all=true&with=FXEURCAD$/);
  await inChart(page).getByRole('link', { name: 'EUR/CAD' }).waitFor();
  await page.getByRole('button', { name: 'Download' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV', exact: true }).click(),
  ]);
  expect(await readFile((await download.path()) ?? '', 'utf8')).toBe(
    'Date,FXUSDCAD,FXEURCAD\r\n2026-03-11,1.4400,\r\n2026-03-12,1.4405,1.5600\r\n2026-03-13,,\r\n2026-03-16,1.40,\r\n2026-03-17,,1.57\r\n',
  );
  await page.getByRole('button', { name: 'Remove EUR/CAD' }).click();
  await page.waitForURL(/FXUSDCAD\?all=true$/);
  await expect.poll(() => rows(page)).toHaveLength(4);
});

it('a series that cannot be loaded is named, and the others are shown', async () => {
  const page = await visit('/providers/bankofcanada/series/FXUSDCAD?with=NOPE&with=FXEURCAD');
  await inChart(page).getByRole('alert').waitFor();
  await inChart(page).getByRole('link', { name: 'EUR/CAD' }).waitFor();
  await expect.poll(() => rows(page)).toHaveLength(5);
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Remove NOPE' }).click();
  await page.waitForURL(/FXUSDCAD\?with=FXEURCAD$/);
});

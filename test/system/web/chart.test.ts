import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { browserTest as it, type Stage, startStage, violationsOf } from '../../support/browser.js';

const exact = '12345678901234567890.123456789';
const nasty = '<b>Côte & "d\'Ivoire"</b>';
const rates = [
  'Date,Country,Rate,Price',
  '2023-11-01,Norway,4.25,1.5',
  `2023-12-01,Norway,${exact},2.5`,
  '2024-01-01,Norway,,3.5',
  '2024-02-01,Norway,4.50,4.5',
  `2023-11-01,${nasty},1.25,5.5`,
  `2024-02-01,${nasty},1.75,6.5`,
].join('\n');

let stage: Stage;
let key: string;
let dataset: number;
let empty: number;
beforeAll(async () => {
  stage = await startStage();
  ({ key } = await stage.product.createAccount('ada'));
  const authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
  const create = async (name: string): Promise<number> => {
    const home = await fetch(`${stage.root}/api/repositories/home`, { headers: { authorization } });
    const { id: repositoryId } = (await home.json()) as { id: number };
    const made = await fetch(`${stage.root}/api/datasets`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ name, repositoryId }),
    });
    return ((await made.json()) as { id: number }).id;
  };
  dataset = await create('Rates');
  empty = await create('Empty');
  const form = new FormData();
  form.append('data', new Blob([rates]), 'rates.csv');
  const sent = await fetch(`${stage.root}/api/datasets/${dataset}/data?async=false&wait=55`, {
    method: 'PUT',
    headers: { authorization },
    body: form,
  });
  expect(((await sent.json()) as { status: string }).status).toBe('completed');
});
afterEach(() => stage.leave());
afterAll(() => stage?.close());

const plot = async (page: Page): Promise<void> => page.locator('.plot canvas').waitFor();
const apply = async (page: Page): Promise<string> => (await page.locator('.apply').textContent()) ?? '';

it('opens a time series as one line per entity, with exact values by arrow keys', async () => {
  const page = await stage.visit(`/datasets/${dataset}/chart`, { key });
  await plot(page);
  await expect
    .poll(() => page.getByRole('button', { name: 'Line' }).getAttribute('aria-pressed'))
    .toBe('true');
  await expect.poll(() => page.locator('.series-name').allTextContents()).toEqual(['Norway', nasty]);
  expect(await violationsOf(page)).toEqual([]);

  await page.locator('.plot').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  const readout = page.locator('.readout dd');
  await page.getByText('2023-12-01').first().waitFor();
  await expect.poll(() => readout.allTextContents()).toEqual(['2023-12-01', exact, 'no row']);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => readout.allTextContents()).toEqual(['2024-01-01', 'null', 'no row']);
});

it('sends each request once and keeps the data when the session is answered late', async () => {
  const page = await stage.visit('/sign-in', { key });
  let release = (): void => undefined;
  const released = new Promise<void>((done) => {
    release = done;
  });
  await page.route('**/api/session', async (route) => {
    await released;
    await route.continue();
  });
  const requested: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/datasets/')) requested.push(pathname + search);
  });
  await page.goto(`/datasets/${dataset}/chart`);
  await plot(page);
  await page.locator('.plot').focus();
  await page.keyboard.press('Home');
  const readout = page.locator('.readout dd');
  await expect.poll(() => readout.allTextContents()).toEqual(['2023-11-01', '4.25', '1.25']);
  release();
  await page.getByRole('button', { name: 'ada' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => readout.allTextContents()).toEqual(['2023-12-01', exact, 'no row']);
  expect(requested.length).toBeGreaterThan(1);
  expect(requested).toEqual([...new Set(requested)]);
});

it('groups by year and country in a URL that others can open, and shows the query', async () => {
  const page = await stage.visit(`/datasets/${dataset}/chart`, { key });
  await plot(page);
  await page.getByRole('button', { name: 'Bar' }).click();
  await page.getByLabel('Group dates by').selectOption('year');
  await page.getByLabel('How measure 1 is computed').selectOption('count');
  await page.getByLabel('Log scale').check();
  await page.locator('.apply', { hasText: 'startofyear' }).waitFor();
  const other = await stage.visit(new URL(page.url()).pathname + new URL(page.url()).search, {
    key,
    theme: 'dark',
    width: 375,
  });
  await plot(other);
  await expect
    .poll(() => apply(other))
    .toBe('groupby((startofyear([Date]) as [Date by year],[Country]),aggregate($count as [count]))');
  await other.getByText('Values', { exact: true }).click();
  await expect
    .poll(() => other.locator('.values tbody tr').first().allTextContents())
    .toEqual(['2023-01-0121']);
  expect(await violationsOf(other)).toEqual([]);

  await page.goBack();
  await page.getByLabel('Log scale').and(page.locator(':not(:checked)')).waitFor();
});

it('limits the chart, the values and the downloads to a range of the axis, which is part of the URL', async () => {
  const page = await stage.visit(`/datasets/${dataset}/chart`, { key });
  await plot(page);
  await page.getByRole('slider', { name: 'From' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.locator('.apply', { hasText: '[Date] ge 2023-12-01' }).waitFor();
  await page.getByRole('slider', { name: 'To' }).focus();
  await page.keyboard.press('ArrowLeft');
  await page.locator('.apply', { hasText: '[Date] le 2024-01-01' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);

  const { pathname, search } = new URL(page.url());
  const other = await stage.visit(pathname + search, { key, width: 375 });
  await plot(other);
  await other.getByText('Values', { exact: true }).click();
  await expect
    .poll(() => other.locator('.values tbody th').allTextContents())
    .toEqual(['2023-12-01', '2024-01-01']);
  await other.getByRole('button', { name: 'Download as …' }).click();
  const [download] = await Promise.all([
    other.waitForEvent('download'),
    other.getByRole('link', { name: 'CSV', exact: true }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(['"2023-12-01"', '"2024-01-01"']);
  await other.getByRole('button', { name: 'Show all' }).click();
  await expect.poll(() => other.locator('.values tbody th').count()).toBe(4);
  await expect.poll(() => apply(other)).not.toContain('[Date] ge');
  await expect.poll(() => other.evaluate('document.documentElement.scrollWidth')).toBe(375);
});

it('draws selected series, and two measures as a scatter chart', async () => {
  const page = await stage.visit(`/datasets/${dataset}/chart`, { key });
  await plot(page);
  await page.locator('.series-name', { hasText: 'Norway' }).locator('input').uncheck();
  await page.locator('.apply', { hasText: 'eq' }).waitFor();
  await expect.poll(() => apply(page)).toContain(`[Country] eq '${nasty.replaceAll("'", "''")}'`);
  await page.getByRole('button', { name: 'Scatter' }).click();
  await page.getByText('needs two measures').waitFor();
  await page.getByRole('button', { name: 'Add a measure' }).click();
  await page.getByRole('img', { name: 'sum of Price against sum of Rate' }).waitFor();
  await page.getByText('Values', { exact: true }).click();
  await expect.poll(() => page.locator('.values tbody tr').allTextContents()).toEqual(['1.255.5', '1.756.5']);
  expect(await violationsOf(page)).toEqual([]);
});

it('exports its current view as SVG with escaped names, and as PNG', async () => {
  const page = await stage.visit(`/datasets/${dataset}/chart`, { key });
  await plot(page);
  const save = async (item: string): Promise<Buffer> => {
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: item }).click(),
    ]);
    return readFile(await download.path());
  };
  const svg = (await save('Chart as SVG')).toString();
  expect(svg).toMatch(/^<svg xmlns=/);
  expect(svg).toContain('&lt;b&gt;Côte &amp;');
  // Norway's null leaves a gap in its line.
  const [norway = ''] = [...svg.matchAll(/<path d="([^"]*)"/g)].map(([, path]) => path ?? '');
  expect(norway.match(/M/g)).toHaveLength(2);
  expect((await save('Chart as PNG')).subarray(1, 4).toString()).toBe('PNG');
});

it('reports an invalid filter, an empty dataset and a filter without matches', async () => {
  const page = await stage.visit(`/datasets/${dataset}/chart?$filter=Nope eq 1`, { key });
  await page.getByRole('alert').first().waitFor();
  await page.goto(`/datasets/${empty}/chart`);
  await page.getByText('Nothing to draw yet').waitFor();
  await page.goto(`/datasets/${dataset}/chart?$filter=Price gt 100`);
  await page.getByText('No matching rows').waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

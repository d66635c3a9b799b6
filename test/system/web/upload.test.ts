import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { browserTest as it, type Stage, startStage, violationsOf } from '../../support/browser.js';

let stage: Stage;
let ada: { id: number; key: string };
let bob: { id: number; key: string };
beforeAll(async () => {
  stage = await startStage();
  ada = await stage.product.createAccount('ada');
  bob = await stage.product.createAccount('bob');
});
afterEach(() => stage.leave());
afterAll(() => stage?.close());

const choose = (page: Page, ...files: [name: string, text: string][]): Promise<void> =>
  page
    .locator('input[type=file]')
    .setInputFiles(files.map(([name, text]) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })));

const upload = (page: Page): Promise<void> => page.locator('button[type=submit]').click();

const datasetOf = (page: Page): string => /run=(\d+)-/.exec(page.url())?.[1] ?? '';

const csvOf = async (dataset: string): Promise<string> => {
  const headers = { Authorization: `Basic ${Buffer.from(`${ada.key}:`).toString('base64')}` };
  return (await fetch(`${stage.root}/api/datasets/${dataset}/data`, { headers })).text();
};

const prices = 'Date,Country,Price\n2024-01-01,Norway,3.10\n2024-01-01,Chile,8.20\n';
const nasty = '<img src=x onerror=alert(1)>';

it('previews types and rows of a file, creates a dataset from it, and keeps the outcome in the URL', async () => {
  const page = await stage.visit('/upload', { key: ada.key });
  await page.getByText('Drop files here').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await choose(page, [`${nasty}.csv`, `${prices.trimEnd()}\n2024-02-01,${nasty},\n`]);
  await page.locator('.preview tbody tr').nth(2).waitFor();
  await expect
    .poll(() => page.locator('.preview .column-name').allTextContents())
    .toEqual(['Date', 'Country', 'Price']);
  await expect
    .poll(() => page.getByLabel('Type of Price').locator('option').first().textContent())
    .toContain('Number');
  await expect
    .poll(() => page.locator('.preview tbody tr').nth(2).locator('td').nth(1).textContent())
    .toBe(nasty);
  expect(await violationsOf(page)).toEqual([]);

  await page.getByLabel('Type of Date').selectOption('String');
  await page.getByLabel('Name of the dataset').fill(`Prices ${nasty}`);
  await upload(page);
  await page.getByText('Complete', { exact: true }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.reload();
  await page.getByText('Complete', { exact: true }).waitFor();
  await expect.poll(() => page.locator('.figures dd').first().textContent()).toBe('3');

  const columns = await page.request.get(`/api/datasets/${datasetOf(page)}/columns`);
  const types = ((await columns.json()) as { dataType: string }[]).map(({ dataType }) => dataType);
  expect(types).toEqual(['String', 'String', 'Decimal']);
});

it('omits a column, and uploads several files in order', async () => {
  const page = await stage.visit('/upload', { key: ada.key });
  await choose(page, ['a.csv', prices]);
  await page.getByLabel('Type of Price').selectOption('ignore');
  await upload(page);
  await page.getByText('Complete', { exact: true }).waitFor();
  const dataset = datasetOf(page);
  expect(await csvOf(dataset)).toMatch(/^"?Date"?,"?Country"?\r?\n/);

  await page.goto(`/upload?dataset=${dataset}`);
  await choose(page, ['b.csv', 'City\nOslo\n'], ['c.csv', 'City\nBergen\n']);
  await page.getByText('The first file replaces the rows').waitFor();
  await upload(page);
  await page.getByText('Complete', { exact: true }).nth(1).waitFor();
  expect(await csvOf(dataset)).toMatch(/^"?City"?\r?\n"?Oslo"?\r?\n"?Bergen"?\r?\n$/);
});

it('shows what an upsert would change and which rows it rejects, and then applies it', async () => {
  const page = await stage.visit('/upload', { key: ada.key, theme: 'dark' });
  await choose(page, ['prices.csv', prices]);
  await upload(page);
  await page.getByText('Complete', { exact: true }).waitFor();
  const dataset = datasetOf(page);

  await page.goto(`/upload?dataset=${dataset}`);
  await choose(page, [
    'fix.csv',
    'Date,Country,Price\n2024-01-01,Norway,9\n2024-02-01,Peru,x\n2024-02-01,Peru,7\n',
  ]);
  await page.getByText('Upsert', { exact: true }).click();
  await page.getByLabel('Date', { exact: true }).check();
  await page.getByLabel('Country', { exact: true }).check();
  await page.getByLabel('Bad rows').selectOption('quarantine');
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'See what would change' }).click();
  await page.getByText('1 added').waitFor();
  await page.getByText('1 changed').waitFor();
  await page.locator('.change-rows ins').waitFor();
  await expect.poll(() => page.locator('.change-rows del').allTextContents()).toEqual(['3.1']);
  await expect.poll(() => page.locator('.change-rows ins').allTextContents()).toEqual(['9']);
  await page.getByText('1 bad row was set aside').waitFor();
  await expect
    .poll(() => page.locator('.rejects tbody tr td').allTextContents())
    .toEqual(['3', 'Price', expect.any(String), '2024-02-01,Peru,x']);
  expect(await violationsOf(page)).toEqual([]);
  expect(await csvOf(dataset)).not.toContain('Peru');

  await page.getByRole('button', { name: 'Apply the changes' }).click();
  await page.getByText('Complete', { exact: true }).waitFor();
  expect(await csvOf(dataset)).toContain('Peru');
});

it('shows where a file is invalid and that the dataset is unchanged', async () => {
  const page = await stage.visit('/upload', { key: ada.key, width: 375 });
  await choose(page, ['broken.csv', 'A,B\n1,2\n3\n']);
  await upload(page);
  // The answer to the upload may arrive before the event.
  await page.getByText('Failed: the dataset is unchanged').waitFor();
  const fault = page.getByRole('alert');
  await expect.poll(() => fault.textContent()).toContain('line 3');
  await expect.poll(() => fault.textContent()).toContain('Set them aside');
  expect(await violationsOf(page)).toEqual([]);
});

it('asks anonymous visitors to sign in, and shows readers that they cannot write', async () => {
  const page = await stage.visit('/upload');
  await page.getByRole('heading', { name: 'Sign in to see this' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  const owner = await stage.visit('/upload', { key: ada.key });
  await choose(owner, ['mine.csv', prices]);
  await upload(owner);
  await owner.getByText('Complete', { exact: true }).waitFor();
  const dataset = datasetOf(owner);
  await owner.request.put(`/api/datasets/${dataset}/permissions/bob`, { data: { level: 'Read' } });
  const reader = await stage.visit(`/upload?dataset=${dataset}`, { key: bob.key });
  await reader.getByText('not change it').waitFor();
  await expect.poll(() => reader.locator('input[type=file]').count()).toBe(0);
});

it('keeps the app usable in two windows that follow more uploads than a browser has connections, and cancels one', async () => {
  await stage.product.stopWorker();
  const page = await stage.visit('/upload', { key: ada.key });
  const other = await page.context().newPage();
  await other.goto('/upload');
  for (const [at, window] of [page, other].entries()) {
    const names = Array.from({ length: 5 }, (_, n) => `many-${at}-${n}.csv`);
    await choose(window, ...names.map((name): [string, string] => [name, prices]));
    await upload(window);
    await window.getByRole('button', { name: 'Cancel' }).nth(4).waitFor();
  }
  for (const window of [page, other])
    expect(await window.evaluate(`fetch('/api/session').then(({ status }) => status)`)).toBe(200);

  const faulty = (url: URL): boolean => /processes\/\d+$/.test(url.pathname);
  await page.route(faulty, (route) =>
    route.request().method() === 'DELETE'
      ? route.fulfill({ status: 503, json: { code: 'unavailable', error: 'Try again later.' } })
      : route.fallback(),
  );
  const cancel = page.getByRole('button', { name: 'Cancel' }).first();
  await cancel.click();
  await page.getByRole('alert').getByText('Try again later.').waitFor();
  await page.unroute(faulty);
  await cancel.click();
  await page.getByText('Failed: the dataset is unchanged').waitFor();

  await stage.product.startWorker();
  await page.getByText('Complete', { exact: true }).nth(3).waitFor();
  await other.getByText('Complete', { exact: true }).nth(4).waitFor();
  await other.close();
});

it('sends a file once, however often the buttons are clicked', async () => {
  const page = await stage.visit('/upload', { key: ada.key });
  await choose(page, ['once.csv', prices]);
  await upload(page);
  await page.getByText('Complete', { exact: true }).waitFor();
  await page.goto(`/upload?dataset=${datasetOf(page)}`);
  let sent = 0;
  page.on('request', (request) => {
    if (request.method() === 'PUT') sent += 1;
  });
  const twice = (name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).evaluate((button: { click(): void }) => {
      button.click();
      button.click();
    });
  await choose(page, ['more.csv', prices]);
  await page.getByText('Append', { exact: true }).click();
  await page.getByLabel('Type of Price').selectOption('Decimal');
  await twice('See what would change');
  await page.getByText('2 added').waitFor();
  expect(sent).toBe(1);
  await twice('Apply the changes');
  await page.getByText('Complete', { exact: true }).waitFor();
  expect(sent).toBe(2);
  expect((await csvOf(datasetOf(page))).trimEnd().split('\n').length).toBe(5);

  await page.goto(`/upload?dataset=${datasetOf(page)}`);
  await choose(page, ['more.csv', prices]);
  await page.getByText('Append', { exact: true }).click();
  await page.getByLabel('Type of Price').selectOption('Decimal');
  await twice('Upload');
  await page.getByText('Complete', { exact: true }).waitFor();
  expect(sent).toBe(3);
  expect((await csvOf(datasetOf(page))).trimEnd().split('\n').length).toBe(7);
});

it('keeps files listed that are being sent while another one is chosen, and warns before the window is closed', async () => {
  const page = await stage.visit('/upload', { key: ada.key });
  const isWarned = (): Promise<boolean> =>
    page.evaluate(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
  const held: (() => void)[] = [];
  let isHeld = true;
  const data = (url: URL): boolean => url.pathname.endsWith('/data');
  await page.route(data, async (route) => {
    if (isHeld)
      await new Promise<void>((done) => {
        held.push(done);
      });
    await route.continue();
  });
  expect(await isWarned()).toBe(false);
  await choose(page, ['slow.csv', prices], ['next.csv', prices]);
  await upload(page);
  await expect.poll(() => held.length).toBe(1);
  expect(await isWarned()).toBe(true);
  await page.getByRole('button', { name: 'Upload another file' }).click();
  await page.getByText('Drop files here').waitFor();
  const titles = (): Promise<string[]> => page.locator('section.panel h2').allTextContents();
  expect(await titles()).toEqual(['slow.csv', 'next.csv']);

  await choose(page, ['second.csv', 'City\nOslo\n']);
  await upload(page);
  await expect.poll(() => held.length).toBe(2);
  await expect.poll(titles).toEqual(['slow.csv', 'second.csv', 'next.csv']);
  isHeld = false;
  for (const release of held) release();
  await page.getByText('Complete', { exact: true }).nth(2).waitFor();
  expect((await titles()).sort()).toEqual(['next.csv', 'second.csv', 'slow.csv']);
  expect(await isWarned()).toBe(false);
});

it('uploads a corrected file into the dataset that the failed one has created', async () => {
  const page = await stage.visit('/upload', { key: ada.key });
  await choose(page, ['sales.csv', 'A,B\n1,2\n3\n']);
  await upload(page);
  await page.getByText('Failed: the dataset is unchanged').waitFor();
  const dataset = datasetOf(page);
  await page.getByRole('button', { name: 'Upload another file' }).click();
  await choose(page, ['sales.csv', 'A,B\n1,2\n3,4\n']);
  await upload(page);
  await page.getByText('Complete', { exact: true }).waitFor();
  expect(datasetOf(page)).toBe(dataset);
});

import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { browserTest as it, type Stage, startStage, violationsOf } from '../../support/browser.js';

const nasty = '<script>alert(1)</script>';

let stage: Stage;
let ada: { id: number; key: string };
let bob: { id: number; key: string };
let dataset: number;
const versions: string[] = [];
beforeAll(async () => {
  stage = await startStage();
  ada = await stage.product.createAccount('ada');
  bob = await stage.product.createAccount('bob');
  const authorization = `Basic ${Buffer.from(`${ada.key}:`).toString('base64')}`;
  const call = async (method: string, path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${stage.root}/api${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Record<string, unknown>;
  };
  const home = await fetch(`${stage.root}/api/repositories/home`, { headers: { authorization } });
  const { id: repositoryId } = (await home.json()) as { id: number };
  dataset = Number((await call('POST', '/datasets', { name: 'Rates', repositoryId })).id);
  const send = async (options: string, text: string): Promise<void> => {
    const form = new FormData();
    form.append('data', new Blob([text]), 'rates.csv');
    const sent = await fetch(`${stage.root}/api/datasets/${dataset}/data?async=false&wait=55&${options}`, {
      method: 'PUT',
      headers: { authorization },
      body: form,
    });
    const { status, versionId } = (await sent.json()) as { status: string; versionId: string };
    expect(status).toBe('completed');
    versions.push(versionId);
  };
  await send('', `Date,Country,Rate\n2024-01-01,Norway,4.25\n2024-01-01,Chile,8.5\n2024-01-01,${nasty},1\n`);
  await send(
    'mode=sync',
    `Date,Country,Rate\n2024-01-01,Norway,4.5\n2024-01-01,Peru,6\n2024-01-01,${nasty},1\n`,
  );
  await call('PUT', `/datasets/${dataset}/permissions/bob`, { level: 'Read' });
});
afterEach(() => stage.leave());
afterAll(() => stage?.close());

it('compares two versions in a URL that others can open: added and removed rows, changed cells', async () => {
  const page = await stage.visit(`/datasets/${dataset}/versions`, { key: ada.key });
  await page.getByLabel(`From version ${versions[0]}`).check();
  await page.getByLabel(`To version ${versions[1]}`).check();
  await page.getByText('1 added').waitFor();
  await page.locator('.change-rows tbody tr').nth(3).waitFor();
  const rows = await page.locator('.change-rows tbody tr').allTextContents();
  expect(rows.map((row) => row.replace('2024-01-01', ' '))).toEqual([
    'removed Chile8.5',
    'before Norway4.25',
    'after Norway4.5',
    'added Peru6',
  ]);
  await expect.poll(() => page.locator('.change-rows del').allTextContents()).toEqual(['4.25']);
  await expect.poll(() => page.locator('.change-rows ins').allTextContents()).toEqual(['4.5']);
  expect(await violationsOf(page)).toEqual([]);

  const { pathname, search } = new URL(page.url());
  const other = await stage.visit(pathname + search, { key: bob.key, theme: 'dark', width: 375 });
  await other.getByText('1 removed').waitFor();
  await other.locator('.change-rows ins').waitFor();
  await expect.poll(() => other.getByText('More', { exact: true }).count()).toBe(0);
  expect(await violationsOf(other)).toEqual([]);
});

it('shows which version was current on a day, and how values were revised', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const page = await stage.visit(`/datasets/${dataset}/versions?asOf=${today}&revisions=1`, { key: ada.key });
  await page.getByText(`version ${versions[1]} was current`).waitFor();
  await page.locator('.revisions ins').waitFor();
  await expect.poll(() => page.locator('.revisions ins').allTextContents()).toContain('4.5');
  await expect.poll(() => page.locator('.revisions').textContent()).toContain(nasty);
  expect(await violationsOf(page)).toEqual([]);
  await page.getByLabel('Only rows that match').fill("Country eq 'Peru'");
  await page.keyboard.press('Enter');
  await page.locator('.revisions tbody tr').nth(1).waitFor({ state: 'detached' });
  await expect.poll(() => page.locator('.revisions tbody tr').first().textContent()).toContain('Peru');
  await page.goto(`/datasets/${dataset}/versions?asOf=1999-01-01`);
  await page.getByRole('alert').waitFor();
});

it('restores once for a double click, and keeps a label that was set after the page was opened', async () => {
  const page = await stage.visit(`/datasets/${dataset}/versions`, { key: ada.key });
  const more = page.getByRole('button', { name: `More about version ${versions[0]}` });
  await more.waitFor();
  const path = `/api/datasets/${dataset}/versions/${versions[0]}`;
  expect((await page.request.put(path, { data: { label: 'Final' } })).status()).toBe(200);
  for (const pin of ['Pin', 'Unpin']) {
    await more.click();
    const answered = page.waitForResponse((answer) => answer.request().method() === 'PUT');
    await page.getByRole('button', { name: pin, exact: true }).click();
    expect(await (await answered).json()).toMatchObject({ pinned: pin === 'Pin', label: 'Final' });
    await expect.poll(() => page.getByText('pinned', { exact: true }).count()).toBe(pin === 'Pin' ? 1 : 0);
  }

  let restores = 0;
  let release = (): void => undefined;
  const released = new Promise<void>((done) => {
    release = done;
  });
  await page.route('**/restore', async (route) => {
    restores += 1;
    await released;
    // The version stays the only one of this test.
    await route.fulfill({ status: 201, json: { versionId: '1000' } });
  });
  await more.click();
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).dblclick();
  await expect.poll(() => restores).toBe(1);
  release();
  await page.getByText('Restored as version 1000').waitFor();
  expect(restores).toBe(1);
});

it('labels, pins, restores and deletes a version', async () => {
  const page = await stage.visit(`/datasets/${dataset}/versions`, { key: ada.key });
  const more = (id: string | undefined) => page.getByRole('button', { name: `More about version ${id}` });
  await more(versions[0]).click();
  await page.getByRole('button', { name: 'Label' }).click();
  await page.getByRole('dialog').getByLabel('Label').fill(`As reported ${nasty}`);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(`As reported ${nasty}`).waitFor();
  await more(versions[0]).click();
  await page.getByRole('button', { name: 'Pin', exact: true }).click();
  await page.getByText('pinned', { exact: true }).waitFor();

  await more(versions[0]).click();
  await page.getByRole('button', { name: 'Restore' }).click();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await page.getByText('Restored as version').waitFor();
  await page.locator('.version').nth(2).waitFor();
  await expect.poll(() => page.locator('.version.is-current').textContent()).toContain('Restored');

  await more(versions[1]).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.locator('.version').nth(2).waitFor({ state: 'detached' });
});

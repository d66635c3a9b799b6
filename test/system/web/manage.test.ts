import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { browserTest as it, type Stage, startStage, violationsOf } from '../../support/browser.js';
import { readLinksOf } from '../../support/read-links.js';

const nasty = '<img src=x onerror=alert(1)>';

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

/** Creates a dataset of two columns in its own repository through the API. */
const prepare = async (page: Page): Promise<{ repositoryId: number; dataset: number }> => {
  const json = async (answer: { json(): Promise<unknown> }): Promise<{ id: number }> =>
    (await answer.json()) as { id: number };
  const data = { name: `Energy ${nasty}`, privacy: 'Private' };
  const { id: repositoryId } = await json(await page.request.post('/api/repositories', { data }));
  const made = await page.request.post('/api/datasets', { data: { name: `Prices ${nasty}`, repositoryId } });
  const { id: dataset } = await json(made);
  const file = { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('Country,Price\nNorway,1\n') };
  await page.request.put(`/api/datasets/${dataset}/data?async=false&wait=55`, { multipart: { data: file } });
  return { repositoryId, dataset };
};

it('creates a key, shows it once, and revokes it', async () => {
  const page = await stage.visit('/account/keys', { key: ada.key });
  await page.getByLabel('Purpose').fill(`nightly ${nasty}`);
  await page.getByRole('button', { name: 'Create' }).click();
  const key = (await page.locator('.new-key').textContent()) ?? '';
  await page.getByText(`nightly ${nasty}`).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  const authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
  const readAccount = (): Promise<Response> =>
    fetch(`${stage.root}/api/account`, { headers: { authorization } });
  expect((await readAccount()).status).toBe(200);
  await page.reload();
  await page.getByText(`nightly ${nasty}`).waitFor();
  await expect.poll(() => page.content()).not.toContain(key);

  await page.getByRole('button', { name: `Revoke nightly ${nasty}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: `Revoke nightly ${nasty}` }).waitFor({ state: 'detached' });
  expect((await readAccount()).status).toBe(401);
});

it('creates a read link of a view, shows its number of reads, renames and revokes it', async () => {
  const page = await stage.visit('/account/read-links', { key: ada.key });
  await page.getByText('No read links yet').waitFor();
  const { dataset } = await prepare(page);
  await page.goto(`${stage.root}/datasets/${dataset}?$filter=Price%20ge%201`);
  await page.getByRole('button', { name: 'Read link' }).click();
  await page.getByLabel('Purpose').fill(`sheet ${nasty}`);
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create' }).click();
  const address = (await page.locator('.new-key').textContent()) ?? '';
  const read = await fetch(address);
  expect([read.status, await read.text()]).toEqual([200, '"Country","Price"\r\n"Norway",1\r\n']);

  // A read is counted after its answer, and the page loads the list once.
  const reads = async () =>
    (await readLinksOf({ baseUrl: stage.product.baseUrl, key: ada.key })).map((link) => link.reads);
  await expect.poll(reads).toEqual([1]);
  await page.goto(`${stage.root}/account/read-links`);
  await page.getByText(`sheet ${nasty}`).waitFor();
  await page.getByText('1 reads').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: `Rename sheet ${nasty}` }).click();
  await page.getByLabel('Purpose').fill('dashboard');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByText('dashboard').waitFor();
  await page.getByRole('button', { name: 'Revoke dashboard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No read links yet').waitFor();
  expect((await fetch(address)).status).toBe(403);
});

it('shows the plan, and asks anonymous visitors to sign in', async () => {
  const page = await stage.visit('/account', { key: ada.key, theme: 'dark', width: 375 });
  await page.getByText('Your plan is').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  const stranger = await stage.visit('/account/teams');
  await stranger.getByRole('heading', { name: 'Sign in to see this' }).waitFor();
});

it('creates a team, invites an account that accepts, changes its role, and deletes the team', async () => {
  const page = await stage.visit('/account/teams', { key: ada.key });
  await page.getByText('You are not in any team').waitFor();
  await page.getByLabel('Name').fill('Analysts');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByLabel('Account', { exact: true }).fill('nobody');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Account', { exact: true }).fill('bob');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByText('invited', { exact: true }).waitFor();
  expect(await violationsOf(page)).toEqual([]);

  const other = await stage.visit('/account/teams', { key: bob.key, theme: 'dark' });
  await other.getByText('To Analysts, as Member, from ada').waitFor();
  expect(await violationsOf(other)).toEqual([]);
  await other.getByRole('button', { name: 'Accept' }).click();
  await other.getByRole('button', { name: 'Leave' }).waitFor();
  await page.reload();
  const given = page.waitForResponse((answer) => answer.request().method() === 'PUT');
  await page.getByLabel('Role of bob').selectOption('admin');
  expect((await given).status()).toBe(200);
  await page.getByRole('button', { name: 'Delete the team Analysts' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the team' }).click();
  await page.getByText('You are not in any team').waitFor();
});

it('creates, shares and deletes a repository', async () => {
  const page = await stage.visit('/account/repositories', { key: ada.key });
  await page.getByLabel('Name').fill('Weather');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Weather', level: 1 }).waitFor();
  await page.getByLabel('Account or team').fill('bob');
  await page.getByLabel('Access', { exact: true }).selectOption('Write');
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByLabel('Access of bob', { exact: true }).waitFor();
  await expect.poll(() => page.getByLabel('Access of bob', { exact: true }).inputValue()).toBe('Write');
  expect(await violationsOf(page)).toEqual([]);
  const { pathname } = new URL(page.url());
  const other = await stage.visit(pathname, { key: bob.key });
  await other.getByText('No datasets yet.').waitFor();
  await expect.poll(() => other.getByRole('heading', { name: 'Who has access' }).count()).toBe(0);

  await page.getByRole('button', { name: 'Remove access of bob' }).click();
  await page.getByLabel('Access of bob', { exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete the repository' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the repository' }).click();
  await page.getByRole('heading', { name: 'Repositories', level: 1 }).waitFor();
});

it('saves column descriptions, source and retention of a dataset, shares it, and deletes it', async () => {
  const page = await stage.visit('/account', { key: ada.key });
  const { dataset } = await prepare(page);
  await page.goto(`/datasets/${dataset}/share`);
  await page.getByLabel('Description of Price').fill(`In euro ${nasty}`);
  await page.getByLabel('Description of Price').blur();
  await page.getByText('Saved.').waitFor();
  await page.getByLabel('Country is an entity column').uncheck();
  await page.getByText('Saved.').nth(1).waitFor();
  await page.getByLabel('Source', { exact: true }).fill('Statistics Office');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('Source Statistics Office').or(page.getByText('Statistics Office')).first().waitFor();
  await page.getByLabel('Newest versions to keep').fill('10');
  const retention = page.locator('form').filter({ has: page.getByLabel('Newest versions to keep') });
  await retention.getByRole('button', { name: 'Save' }).click();
  await retention.getByText('Saved.').waitFor();
  await page.getByLabel('Account or team').fill('bob');
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByLabel('Access of bob', { exact: true }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  const kept = (await (await page.request.get(`/api/datasets/${dataset}`)).json()) as {
    sourceName: string;
    retention: { versions: number };
    columns: { description: string | null; isEntity: boolean }[];
  };
  expect(kept.sourceName).toBe('Statistics Office');
  expect(kept.retention.versions).toBe(10);
  expect(kept.columns.map(({ description, isEntity }) => [description, isEntity])).toEqual([
    [null, false],
    [`In euro ${nasty}`, false],
  ]);
  const reader = await stage.visit(`/datasets/${dataset}/share`, { key: bob.key, theme: 'dark', width: 375 });
  await reader.getByText('You can read this dataset but not change it.').waitFor();
  expect(await violationsOf(reader)).toEqual([]);

  await page.getByRole('button', { name: 'Delete the dataset' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the dataset' }).click();
  await page.waitForURL(`${stage.root}/`);
});

it('saves both changes of a column when the first is answered last', async () => {
  const page = await stage.visit('/account', { key: ada.key });
  const { dataset } = await prepare(page);
  let release = (): void => undefined;
  const released = new Promise<void>((done) => {
    release = done;
  });
  await page.route('**/columns/*', async (route) => {
    const fetched = await route.fetch();
    if (route.request().postData()?.includes('description') === true) await released;
    await route.fulfill({ response: fetched });
  });
  await page.goto(`/datasets/${dataset}/share`);
  const described = page.waitForRequest((request) => request.method() === 'PATCH');
  const isEntity = page.getByLabel('Country is an entity column');
  await page.getByLabel('Description of Country').fill('Where');
  await page.getByLabel('Description of Country').blur();
  const first = (await described).response();
  await isEntity.uncheck();
  await page.getByText('Saved.').waitFor();
  release();
  await (await first)?.finished();
  await page.getByLabel('Source', { exact: true }).fill('Statistics Office');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('Statistics Office').first().waitFor();
  expect(await isEntity.isChecked()).toBe(false);
  expect(await page.getByLabel('Description of Country').inputValue()).toBe('Where');
});

it('saves only what the user changed: a page opened earlier does not undo the changes of others', async () => {
  const page = await stage.visit('/account', { key: ada.key });
  const { repositoryId, dataset } = await prepare(page);
  const put = async (path: string, data: object): Promise<void> => {
    expect((await page.request.put(`/api${path}`, { data })).status()).toBe(200);
  };
  const read = async (path: string): Promise<unknown> => (await page.request.get(`/api${path}`)).json();

  await put(`/repositories/${repositoryId}`, { name: 'Load', privacy: 'Public' });
  await page.goto(`/repositories/${repositoryId}`);
  await page.getByLabel('Name').waitFor();
  await put(`/repositories/${repositoryId}`, { name: 'Load', privacy: 'Private', description: 'Ours' });
  await page.getByLabel('Name').fill('Loads');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  expect(await read(`/repositories/${repositoryId}`)).toMatchObject({
    name: 'Loads',
    privacy: 'Private',
    description: 'Ours',
  });
  // The form shows what is saved, and does not count it as a change.
  await put(`/repositories/${repositoryId}`, { name: 'Loads', privacy: 'Private', description: 'Theirs' });
  await page.getByLabel('Name').fill('Load');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Load', level: 1, exact: true }).waitFor();
  expect(await read(`/repositories/${repositoryId}`)).toMatchObject({
    privacy: 'Private',
    description: 'Theirs',
  });

  await page.goto(`/datasets/${dataset}/share`);
  const retention = page.locator('form').filter({ has: page.getByLabel('Newest versions to keep') });
  await retention.waitFor();
  await put(`/datasets/${dataset}`, { name: 'Prices', description: 'Day-ahead' });
  await put(`/datasets/${dataset}/retention`, { versions: 9, days: null });
  await page.getByLabel('Source', { exact: true }).fill('Statistics Office');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('Saved.').waitFor();
  await retention.getByLabel('days').fill('30');
  await retention.getByRole('button', { name: 'Save' }).click();
  await retention.getByText('Saved.').waitFor();
  expect(await read(`/datasets/${dataset}`)).toMatchObject({
    name: 'Prices',
    description: 'Day-ahead',
    sourceName: 'Statistics Office',
    retention: { versions: 9, days: 30 },
  });
});

it('unchecks an entity column again when the change is refused', async () => {
  const page = await stage.visit('/account', { key: ada.key });
  const { dataset } = await prepare(page);
  await page.route('**/columns/*', (route) =>
    route.fulfill({ status: 409, json: { error: 'Not now.', code: 'busy' } }),
  );
  await page.goto(`/datasets/${dataset}/share`);
  const isEntity = page.getByLabel('Price is an entity column');
  // Not `check()`, which expects the box to stay checked.
  await isEntity.click();
  await page.getByRole('alert').getByText('Not now.').waitFor();
  expect(await isEntity.isChecked()).toBe(false);
});

it('selects a new key where the browser cannot copy it, as on plain HTTP', async () => {
  const page = await stage.visit('/account/keys', { key: ada.key });
  await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
  await page.getByLabel('Purpose').fill('by hand');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('button', { name: 'Selected: copy with Ctrl+C or ⌘C' }).waitFor();
  expect(await page.evaluate('String(getSelection())')).toBe(await page.locator('.new-key').textContent());
});

it('shows the largest datasets of the account on a narrow phone', async () => {
  const page = await stage.visit('/account', { key: ada.key, width: 320 });
  await prepare(page);
  await page.reload();
  await page.getByRole('heading', { name: 'Largest datasets' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
});

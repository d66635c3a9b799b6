import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { browserTest as it, type Stage, startStage, violationsOf } from '../../support/browser.js';
import { call, createDataset, ended, json, type ProcessAnswer, putFile } from '../../support/datasets.js';

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

const client = (key = ada.key) => ({ baseUrl: stage.product.baseUrl, key });

const upload = async (csv: string): Promise<number> => {
  const id = await createDataset(client());
  const process = await json<ProcessAnswer>(await putFile(client(), id, csv), 201);
  expect((await ended(client(), process)).status).toBe('completed');
  return id;
};

/** Downloads a dataset; `fetch` follows the redirect to an exported file. */
const csvOf = async (id: number): Promise<string> => {
  const headers = { Authorization: `Basic ${Buffer.from(`${ada.key}:`).toString('base64')}` };
  return (await fetch(`${stage.product.baseUrl}/datasets/${id}/data`, { headers })).text();
};

const choose = async (page: Page, column: string, item: RegExp): Promise<void> => {
  await page.getByRole('button', { name: `Column ${column}`, exact: true }).click();
  await page.getByRole('button', { name: item }).click();
};
const rows = 'City,Pice,Old name\nOslo,1.50,a\nRome,2.25,b\n';

it('renames a column also in the filter and the order of the URL', async () => {
  const id = await upload(rows);
  const page = await stage.visit(`/datasets/${id}?$filter=Pice+gt+1+and+City+ne+'Pice'&$orderby=Pice+desc`, {
    key: ada.key,
  });
  await page.getByText('2 of 2 rows match').waitFor();
  await choose(page, 'Pice', /^Rename/);
  const dialog = page.getByRole('dialog');
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByLabel('New name').fill('Unit price');
  await page.keyboard.press('Enter');
  await page.getByText('The column Pice is now called Unit price.').waitFor();
  await page.getByRole('button', { name: 'Column Unit price', exact: true }).waitFor();
  await page.getByText('2 of 2 rows match').waitFor();
  const query = new URL(page.url()).searchParams;
  expect([query.get('$filter'), query.get('$orderby')]).toEqual([
    "[Unit price] gt 1 and City ne 'Pice'",
    '[Unit price] desc',
  ]);
  expect(await csvOf(id)).toMatch(/^"City","Unit price","Old name"/);
});

it('deletes a column in a new version after a confirmation', async () => {
  const id = await upload(rows);
  const page = await stage.visit(`/datasets/${id}?$filter=[Old name] eq 'a'`, { key: ada.key });
  await page.getByText('1 of 2 rows match').waitFor();
  await choose(page, 'Old name', /^Delete/);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Earlier versions keep it').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).click();
  expect(await csvOf(id)).toContain('Old name');
  await choose(page, 'Old name', /^Delete/);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The column Old name is deleted in a new version.').waitFor();
  await page.locator('[data-row="1"]').first().waitFor();
  await expect.poll(() => page.getByRole('columnheader').count()).toBe(3);
  expect(new URL(page.url()).search).toBe('');
  expect(await csvOf(id)).toMatch(/^"City","Pice"\r\n/);
  const versions = await call(client(), 'GET', `/datasets/${id}/versions`);
  expect((await json<unknown[]>(versions)).length).toBe(2);
});

it('shows why a change is refused and changes nothing', async () => {
  const id = await upload('Only\n1\n');
  const page = await stage.visit(`/datasets/${id}`, { key: ada.key });
  await choose(page, 'Only', /^Delete/);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByText('The only column of a dataset cannot be deleted').waitFor();
  expect(await csvOf(id)).toContain('Only');
});

it('offers no changes to readers or in older versions', async () => {
  const id = await upload(rows);
  await json(await call(client(), 'PUT', `/datasets/${id}/permissions/bob`, { level: 'Read' }));
  const page = await stage.visit(`/datasets/${id}`, { key: bob.key });
  await page.getByRole('button', { name: 'Column City', exact: true }).click();
  await page.getByRole('button', { name: 'Hide', exact: true }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: /^(Rename|Delete)/ }).count()).toBe(0);
  const dataset = await call(client(), 'GET', `/datasets/${id}`);
  const { currentVersionId } = await json<{ currentVersionId: string }>(dataset);
  const older = await stage.visit(`/datasets/${id}?versionId=${currentVersionId}`, { key: ada.key });
  await older.getByRole('button', { name: 'Column City', exact: true }).click();
  await older.getByRole('button', { name: 'Hide', exact: true }).waitFor();
  await expect.poll(() => older.getByRole('button', { name: /^(Rename|Delete)/ }).count()).toBe(0);
});

it('merges a column into another one, and refuses to if values collide', async () => {
  const id = await upload('City,Price,Pric,Other\nOslo,1.50,,8\nRome,,2.25,9\n');
  const page = await stage.visit(`/datasets/${id}`, { key: ada.key });
  await choose(page, 'Other', /^Rename/);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('New name').fill('Price');
  await dialog.getByRole('button', { name: 'Merge' }).click();
  await dialog.getByRole('alert').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(await csvOf(id)).toMatch(/^"City","Price","Pric","Other"/);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await choose(page, 'Pric', /^Rename/);
  await dialog.getByLabel('New name').fill('Price');
  await dialog.getByRole('button', { name: 'Merge' }).click();
  await page.getByText('The column Pric is now part of Price').waitFor();
  await page.locator('[data-row="1"]').first().waitFor();
  await expect.poll(() => page.getByRole('columnheader').count()).toBe(4);
  expect(await csvOf(id)).toBe('"City","Price","Other"\r\n"Oslo",1.5,8\r\n"Rome",2.25,9\r\n');
});

/** The product below a path of its host, behind a proxy that strips the path. */
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { browserTest as it, type Stage, startStage } from '../../support/browser.js';
import { authorization, call, createDataset, json, upload } from '../../support/datasets.js';
import { type PrefixProxy, startPrefixProxy } from '../../support/prefix-proxy.js';

let proxy: PrefixProxy;
let stage: Stage;
let client: { baseUrl: string; key: string };
let datasetId: number;
beforeAll(async () => {
  proxy = await startPrefixProxy('/tables');
  stage = await startStage({}, proxy);
  const { key } = await stage.product.createAccount('ada');
  client = { baseUrl: `${stage.root}/api`, key };
  datasetId = await createDataset(client, 'Prices of energy');
  const rows = Array.from({ length: 50 }, (_, at) => `${1970 + at}-01-01,${at}`);
  expect(await upload(client, datasetId, `Date,Price\n${rows.join('\n')}\n`)).toMatchObject({
    status: 'completed',
  });
});
afterEach(async () => {
  await stage.leave();
  // Requests outside of the path would reach another application.
  expect(proxy.elsewhere.splice(0)).toEqual([]);
});
afterAll(async () => {
  await stage?.close();
  await proxy?.close();
});

describe('a URL of the API', () => {
  it('of a whole table redirects to the file', async () => {
    const answer = await call(client, 'GET', `/datasets/${datasetId}/data`);
    expect(answer.status).toBe(302);
    const location = answer.headers.get('location') ?? '';
    expect(location.startsWith(`${stage.root}/api/links/`)).toBe(true);
    expect((await (await fetch(location)).text()).trim().split('\r\n')).toHaveLength(51);
  });

  it('of a page links to the next page', async () => {
    let rows = 0;
    let next: string | undefined = `${client.baseUrl}/datasets/${datasetId}/data?$pagesize=20&$format=json`;
    while (next !== undefined) {
      const answer = await fetch(next, { headers: authorization(client.key) });
      rows += (await json<object[]>(answer)).length;
      next = /^<(.+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(rows).toBe(50);
  });

  it('in the Location of a reserved process returns the process', async () => {
    const answer = await call(client, 'POST', `/datasets/${datasetId}/processes`);
    const { id } = await json<{ id: number }>(answer, 201);
    const location = answer.headers.get('location') ?? '';
    const found = await fetch(location, { headers: authorization(client.key) });
    expect(await json<{ id: number }>(found)).toMatchObject({ id });
    await call(client, 'DELETE', `/datasets/${datasetId}/processes/${id}`);
  });

  it('in the OpenAPI document is the public one', async () => {
    const { servers } = await json<{ servers: { url: string }[] }>(await fetch(`${stage.root}/openapi.json`));
    expect(servers).toEqual([{ url: `${stage.root}/api` }]);
  });

  it('is answered with an explanation if the proxy does not strip the path', async () => {
    const origin = new URL(stage.product.baseUrl).origin;
    for (const headers of [{}, { Accept: 'text/html' }])
      for (const path of ['/tables', '/tables/', '/tables/api/datasets', `/tables/datasets/${datasetId}`]) {
        const answer = await fetch(origin + path, { headers });
        expect(await json<{ error: string }>(answer, 404)).toMatchObject({
          error: expect.stringContaining('remove /tables'),
        });
      }
  });
});

describe('the web app', () => {
  it('signs in, finds and shows a table, reloads its pages, and signs out', async () => {
    const page = await stage.visit('/');
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await page.getByLabel('API key').fill(client.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Prices of energy' }).click();
    await page.locator('[data-row="0"][data-column="0"]').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/tables/datasets/${datasetId}`);
    await page.reload();
    await page.locator('[data-row="0"][data-column="0"]').waitFor();
    await page.goto(`${stage.root}/datasets/${datasetId}/chart`);
    await page.getByRole('heading', { name: 'Prices of energy' }).waitFor();
    const [cookie] = await page.context().cookies(stage.root);
    expect(cookie).toMatchObject({ path: '/tables', httpOnly: true });
    expect(await page.context().cookies(new URL('/', stage.root).href)).toEqual([]);
    await page.context().request.delete(`${client.baseUrl}/session`);
    expect(await page.context().cookies(stage.root)).toEqual([]);
  });

  it('shows download URLs below the path', async () => {
    const page = await stage.visit(`/datasets/${datasetId}`, { key: client.key });
    await page.locator('[data-row="0"][data-column="0"]').waitFor();
    await page.getByRole('button', { name: 'Download' }).click();
    const links = await page
      .locator('a[download]')
      .evaluateAll((all) => all.map((one) => (one as unknown as { href: string }).href));
    expect(links.length).toBeGreaterThan(1);
    for (const link of links)
      expect(link.startsWith(`${client.baseUrl}/datasets/${datasetId}/data`)).toBe(true);
  });

  it('shows the API documentation', async () => {
    const page = await stage.visit('/docs');
    await page.getByText('/datasets/{id}/data').first().waitFor();
    expect(await page.locator('.servers option').first().textContent()).toContain(client.baseUrl);
  });
});

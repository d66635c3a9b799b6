/** Charts embedded in pages of other sites as an image and as an iframe. */
import { createServer, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { browserTest as it, type Stage, startStage, violationsOf } from '../../support/browser.js';
import { createOpenDataset, makeReadLink } from '../../support/read-links.js';

let stage: Stage;
let key: string;
let dataset: number;
let elsewhere: Server;
let html = '';

const rows = `Date,Country,Rate
2023-11-01,Norway,4.25
2023-12-01,Norway,4.50
2023-11-01,<img src=x onerror=alert(1)>,1.25
2023-12-01,<img src=x onerror=alert(1)>,1.75
`;

beforeAll(async () => {
  stage = await startStage();
  ({ key } = await stage.product.createAccount('ada'));
  ({ dataset } = await createOpenDataset({ baseUrl: stage.product.baseUrl, key }, rows));
  elsewhere = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(html);
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
});
afterEach(() => stage.leave());
afterAll(async () => {
  elsewhere?.close();
  await stage?.close();
});

/** URL of another site: `localhost` instead of the IP address. */
const siteUrl = (): string => {
  const address = elsewhere.address();
  return `http://localhost:${typeof address === 'object' ? address?.port : ''}/`;
};

it('a chart link is created on the chart page, with the code of an iframe', async () => {
  const page = await stage.visit(`/datasets/${dataset}/chart`, { key });
  await page.locator('.plot canvas').waitFor();
  await page.getByRole('button', { name: 'Read link' }).click();
  await page.getByLabel('Purpose').fill('blog');
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.locator('.new-key').nth(1).waitFor();
  const [picture = '', frame = ''] = await page.locator('.new-key').allTextContents();
  expect(await (await fetch(picture)).text()).toContain('<title id="title">Gross product: ');
  expect(frame).toMatch(/^<iframe src="http.*\/api\/links\/tabr_[\w-]+\.html" width="720" /);
});

it('a chart is shown as an iframe and an image on another site, in light and dark, and runs no scripts', async () => {
  const client = { baseUrl: stage.product.baseUrl, key };
  const drawn = await makeReadLink(client, dataset, { chart: { kind: 'line' } });
  const rowsOf = await makeReadLink(client, dataset, { query: { $format: 'csv' } });
  const [url = '', pageUrl = '', data = ''] = [drawn.url, drawn.pageUrl ?? '', rowsOf.url].map(
    (address) => new URL(address, stage.root).href,
  );
  html = `<!doctype html><img id="picture" src="${url}"><iframe id="chart" src="${pageUrl}" width="720" height="420"></iframe><iframe id="data" src="${data}"></iframe>`;
  const page = await stage.visit('/', { key });
  const problems: string[] = [];
  page.on('console', (message) => void problems.push(message.text()));
  page.on('dialog', (dialog) => void problems.push(dialog.message()));
  await page.goto(siteUrl());
  const frame = page.frameLocator('#chart');
  await frame.locator('svg text.title').waitFor();
  await expect.poll(() => page.evaluate('document.getElementById("picture").naturalWidth')).toBe(720);
  expect(await frame.locator('svg img').count()).toBe(0);
  const paper = async (): Promise<unknown> =>
    (await page.locator('#chart').elementHandle())
      ?.contentFrame()
      .then((inner) => inner?.evaluate('getComputedStyle(document.querySelector(".paper")).fill'));
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(paper).toBe('rgb(255, 255, 255)');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(paper).toBe('rgb(24, 31, 34)');
  // Rows are a download, which a frame does not show.
  expect(problems.filter((text) => !text.includes('favicon') && !text.includes(data))).toEqual([]);
});

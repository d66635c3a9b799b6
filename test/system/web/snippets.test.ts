/** Code snippets of the app, run exactly as copied. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { type Stage, startStage } from '../../support/browser.js';
import { call, createDataset, ended, json, type ProcessAnswer, putFile } from '../../support/datasets.js';
import { testWith } from '../../support/optional-tools.js';
import { type ReplayUpstream, startReplayUpstream } from '../../support/replay-upstream.js';
import { programOf } from '../../support/tools.js';

const run = promisify(execFile);
const shellTest = await testWith('chromium', 'bash', 'curl');
const pandasTest = await testWith('chromium', 'Python readers');
const rTest = await testWith('chromium', 'R');

/** Value with every character that is special in shells and string literals. */
const city = `Côte d'Ivoire "$HOME" \`id\` 100% (x)!`;
const csv = `City,Date,Price\n"${city.replaceAll('"', '""')}",2024-01-01,1.50\nOslo,2024-02-01,2\n`;
const view = `?$filter=${encodeURIComponent(`City eq '${city.replaceAll("'", "''")}'`)}&$orderby=Price+desc`;

let stage: Stage;
let bank: ReplayUpstream;
let ada: { id: number; key: string };
let folder: string;
const ids = { private: 0, public: 0 };

const client = () => ({ baseUrl: stage.product.baseUrl, key: ada.key });

const upload = async (id: number): Promise<number> => {
  const process = await json<ProcessAnswer>(await putFile(client(), id, csv), 201);
  expect((await ended(client(), process)).status).toBe('completed');
  return id;
};

beforeAll(async () => {
  const rates = {
    terms: { url: 'https://www.bankofcanada.ca/terms/' },
    seriesDetail: { FXUSDCAD: { label: 'USD/CAD', description: '', dimension: { key: 'd', name: 'Date' } } },
    observations: [{ d: '2026-03-12', FXUSDCAD: { v: '1.4405' } }],
  };
  bank = await startReplayUpstream([
    { path: '/observations/FXUSDCAD/json', query: { recent: '24' }, reply: rates },
    { path: '/observations/FXUSDCAD/json', query: { start_date: '2026-03-12' }, reply: rates },
  ]);
  stage = await startStage({
    providerUrls: `bankofcanada=${bank.baseUrl}`,
    masterKeys: `test:${randomBytes(32).toString('base64')}`,
  });
  folder = await mkdtemp(join(tmpdir(), 'tabulary-snippets-'));
  ada = await stage.product.createAccount('ada');
  ids.private = await upload(await createDataset(client(), 'Private prices'));
  const answer = await call(client(), 'POST', '/repositories', { name: 'Open', privacy: 'Public' });
  const { id: repositoryId } = await json<{ id: number }>(answer, 201);
  const made = await call(client(), 'POST', '/datasets', { name: 'Public prices', repositoryId });
  ids.public = await upload((await json<{ id: number }>(made, 201)).id);
});
afterEach(() => stage.leave());
afterAll(async () => {
  await stage?.close();
  await bank?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** Code of a snippet. */
const codeOf = async (page: Page, name: string): Promise<string> =>
  (await page
    .locator('.snippet')
    .filter({ has: page.getByRole('heading', { name, exact: true }) })
    .locator('pre')
    .textContent()) ?? '';

const environment = (key: string | undefined) => {
  const { TABULARY_KEY: _, ...rest } = process.env;
  return { cwd: folder, env: { ...rest, ...(key === undefined ? {} : { TABULARY_KEY: key }) } };
};

const runCurl = async (page: Page, key: string | undefined, file: string): Promise<string> => {
  await run(await programOf('bash'), ['-c', await codeOf(page, 'curl')], environment(key));
  return readFile(join(folder, file), 'utf8');
};

const runFile = async (
  page: Page,
  { name, program, file }: { name: string; program(): Promise<string>; file: string },
  key: string | undefined,
): Promise<string> => {
  await writeFile(join(folder, file), await codeOf(page, name));
  return (await run(await program(), [file], environment(key))).stdout;
};

const javaScript = { name: 'JavaScript', program: async () => process.execPath, file: 'rows.mjs' };
const pandas = { name: 'Python (pandas)', program: () => programOf('Python readers'), file: 'rows.py' };
const r = { name: 'R', program: () => programOf('R'), file: 'rows.R' };

describe.each(['private', 'public'] as const)('code for the rows of a %s dataset', (kind) => {
  const key = () => (kind === 'private' ? ada.key : undefined);
  const open = async (): Promise<Page> => {
    const page = await stage.visit(`/datasets/${ids[kind]}${view}`, { key: ada.key });
    await page.getByText('1 of 2 rows match').waitFor();
    await page.getByRole('button', { name: 'Copy as code' }).click();
    return page;
  };

  shellTest('runs in a shell and in Node', async () => {
    const page = await open();
    const rows = (await runCurl(page, key(), 'data.csv')).trim().split('\r\n');
    expect(rows).toHaveLength(2);
    expect(rows[1]).toContain('2024-01-01",1.5');
    expect(await runFile(page, javaScript, key())).toContain('Ivoire "$HOME" `id` 100% (x)!');
    expect(await codeOf(page, 'Excel, Power Query')).toContain('Web.Contents("http');
  });

  pandasTest('runs in pandas', async () => {
    expect(await runFile(await open(), pandas, key())).toContain('2024-01-01');
  });

  rTest('runs in R', async () => {
    expect(await runFile(await open(), r, key())).toContain('2024-01-01');
  });
});

describe.each(['with', 'without'] as const)('code for a series of a provider, %s a key', (kind) => {
  const key = () => (kind === 'with' ? ada.key : undefined);
  const open = async (): Promise<Page> => {
    const page = await stage.visit('/providers/bankofcanada/series/FXUSDCAD?all=true&start=2026-03-12');
    await page.getByText('1 observation', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Copy as code' }).click();
    return page;
  };

  shellTest('runs in a shell and in Node', async () => {
    const page = await open();
    const series = JSON.parse(await runCurl(page, key(), 'series.json')) as { data: object[] };
    expect(series.data).toEqual([{ date: '2026-03-12', value: 1.4405 }]);
    expect(await runFile(page, javaScript, key())).toContain('1.4405');
    expect(await codeOf(page, 'Excel, Power Query')).toContain('{""params"":{""start"":""2026-03-12""}}');
  });

  pandasTest('runs in pandas', async () => {
    expect(await runFile(await open(), pandas, key())).toMatch(/2026-03-12\s+1\.4405/);
  });

  rTest('runs in R', async () => {
    expect(await runFile(await open(), r, key())).toContain('1.4405');
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import ExcelJs from 'exceljs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { patienceMs } from '../../support/patience.js';
import { bankObservations, type GatewayWorld, startGatewayWorld } from './world.js';

let world: GatewayWorld;
let key = '';
let repositoryId = 0;
beforeAll(async () => {
  // No memory cache, so that tests can clear the cache.
  world = await startGatewayWorld({ gatewayIntervalMs: '200', gatewayMemoryBytes: '0' });
  key = (await world.product.createAccount('maker')).key;
  repositoryId = (await world.ask('GET', '/repositories/home', { key })).json<{ id: number }>().id;
});
afterEach(() => world.bank.answerAll(undefined));
afterAll(() => world.close());

const path = '/providers/bankofcanada/series/FXUSDCAD/dataset';
const post = (body: object, at = path) => world.ask('POST', at, { key, body: { repositoryId, ...body } });

interface Made {
  id: number;
  currentVersionId: string | null;
  rowCount: number;
  process: { id: number };
  refresh: {
    schedule: string | null;
    lastRunAt: string | null;
    lastError: string | null;
    nextRunAt: string | null;
  };
}

const read = async (id: number) => (await world.ask('GET', `/datasets/${id}`, { key })).json<Made>();

const until = async (id: number, done: (dataset: Made) => boolean): Promise<Made> => {
  for (const end = Date.now() + patienceMs; Date.now() < end; ) {
    const dataset = await read(id);
    if (done(dataset)) return dataset;
    await sleep(100);
  }
  throw new Error(`timed out; last state: ${JSON.stringify(await read(id))}`);
};

const make = async (body: object): Promise<Made> => {
  const answer = await post(body);
  expect(answer.status).toBe(201);
  const { id } = answer.json<Made>();
  return until(id, ({ currentVersionId }) => currentVersionId !== null);
};

const forgetReplies = () => world.product.sql.query('DELETE FROM gateway_cache');

const refreshNow = async ({ id, refresh }: Made): Promise<Made> => {
  await forgetReplies();
  expect((await world.ask('POST', `/datasets/${id}/refresh`, { key })).status).toBe(202);
  return until(id, (dataset) => dataset.refresh.lastRunAt !== refresh.lastRunAt);
};

const rows = async (id: number, query = ''): Promise<string[]> =>
  (await world.askPlain('GET', `/datasets/${id}/data?$select=Value${query}`, { key })).text
    .trim()
    .split('\r\n');

describe('a series kept as a dataset', () => {
  it('has its observations as rows and a daily schedule', async () => {
    const dataset = await make({ refresh: 'daily' });
    expect(dataset).toMatchObject({ name: 'USD/CAD', frequency: 'Daily', rowCount: 5 });
    expect(await rows(dataset.id)).toEqual([
      '"Date","Series","Value"',
      '"2026-03-09","FXUSDCAD",1.37',
      '"2026-03-10","FXUSDCAD",1.3681',
      '"2026-03-11","FXUSDCAD",',
      '"2026-03-12","FXUSDCAD",',
      '"2026-03-13","FXUSDCAD",1.3706',
    ]);
    expect(dataset.refresh).toMatchObject({ schedule: 'daily', lastError: null });
    expect(Date.parse(`${dataset.refresh.nextRunAt}Z`)).toBeGreaterThan(Date.now() - 1_000);
  });

  it('describes its series when read, in lists and after a rename', async () => {
    const { id } = await make({ name: 'Described', params: { start: '2026' }, seriesIds: ['FXEURCAD'] });
    const renamed = await world.ask('PUT', `/datasets/${id}`, { key, body: { name: 'Something else' } });
    const listed = (await world.ask('GET', '/datasets', { key })).json<{ id: number; series?: object[] }[]>();
    const series = ['FXUSDCAD', 'FXEURCAD'].map((seriesId) => ({
      name: seriesId,
      provider: 'bankofcanada',
      seriesId,
      params: { start: '2026' },
      label: seriesId === 'FXUSDCAD' ? 'USD/CAD' : 'Rate FXEURCAD',
      unit: `CAD per ${seriesId.slice(2, 5)}`,
      unitMultiplier: 1,
      source: 'Bank of Canada',
      license: 'Bank of Canada terms of use: https://www.bankofcanada.ca/terms/',
      attribution: 'Source: Bank of Canada',
      flags: {},
    }));
    for (const shown of [
      renamed.json<{ series?: object[] }>(),
      (await world.ask('GET', `/datasets/${id}`, { key })).json<{ series?: object[] }>(),
      listed.find((one) => one.id === id),
    ]) {
      expect(shown?.series).toEqual(series);
    }
  });

  it('describes its series in a workbook, whose ETag depends on the description', async () => {
    const { id } = await make({ name: 'In a workbook', params: { start: '2026' }, seriesIds: ['FXEURCAD'] });
    const url = `${world.product.baseUrl}/datasets/${id}/data?$format=xlsx`;
    const authorization = { Authorization: `Bearer ${key}` };
    const answer = await fetch(url, { headers: authorization });
    const workbook = new ExcelJs.Workbook();
    await workbook.xlsx.load(await answer.arrayBuffer());
    expect(workbook.worksheets.map(({ name }) => name)).toEqual(['Data', 'Series']);
    const cells = (row: number) =>
      Array.from(
        { length: 10 },
        (_, column) => workbook.worksheets[1]?.getRow(row).getCell(column + 1).value,
      );
    expect(cells(1).slice(0, 4)).toEqual(['Series', 'Provider', 'Parameters', 'Label']);
    expect(cells(3)).toEqual([
      'FXEURCAD',
      'bankofcanada',
      'start=2026',
      'Rate FXEURCAD',
      'CAD per EUR',
      '1',
      'Bank of Canada',
      'Bank of Canada terms of use: https://www.bankofcanada.ca/terms/',
      'Source: Bank of Canada',
      null,
    ]);
    const again = { ...authorization, 'If-None-Match': answer.headers.get('etag') ?? '' };
    expect((await fetch(url, { headers: again })).status).toBe(304);
    // Changed metadata of the provider changes the bytes.
    await world.product.sql.query(
      `UPDATE series_datasets SET described = jsonb_set(described, '{0,label}', '"New words"') WHERE dataset_id = $1`,
      [id],
    );
    expect((await fetch(url, { headers: again })).status).toBe(200);
  });

  it('describes its series in the metadata of Parquet and Arrow files', async () => {
    const { id } = await make({ name: 'In files', params: { start: '2026' }, seriesIds: ['FXEURCAD'] });
    const series = {
      series: 'FXEURCAD',
      provider: 'bankofcanada',
      parameters: 'start=2026',
      label: 'Rate FXEURCAD',
      unit: 'CAD per EUR',
      unitMultiplier: '1',
      source: 'Bank of Canada',
      license: 'Bank of Canada terms of use: https://www.bankofcanada.ca/terms/',
      attribution: 'Source: Bank of Canada',
      flags: null,
    };
    const bytesOf = async (query: string) => {
      const headers = { Authorization: `Bearer ${key}` };
      const answer = await fetch(`${world.product.baseUrl}/datasets/${id}/data?${query}`, { headers });
      return Buffer.from(await answer.arrayBuffer());
    };
    const arrow = tableFromIPC(await bytesOf('$format=arrow'));
    expect(arrow.numRows).toBe(6);
    expect(JSON.parse(arrow.schema.metadata.get('series') ?? '')[1]).toEqual(series);
    const folder = await mkdtemp(join(tmpdir(), 'series-'));
    const duckdb = await DuckDBInstance.create();
    try {
      const connection = await duckdb.connect();
      // A redirect, rows in the answer, and a transposed table.
      for (const query of ['', '&$top=5', '&transpose=true']) {
        const path = join(folder, 'series.parquet');
        await writeFile(path, await bytesOf(`$format=parquet${query}`));
        const entries = `SELECT decode(key), decode(value) FROM parquet_kv_metadata('${path}')`;
        const [[name, value] = []] = (await connection.runAndReadAll(entries)).getRowsJson();
        expect([name, JSON.parse(String(value))[1]]).toEqual(['series', series]);
      }
    } finally {
      duckdb.closeSync();
      await rm(folder, { recursive: true });
    }
  });

  it('has the flags of its observations as a column on request', async () => {
    const noted = { '2026-03-11': null, '2026-03-12': 'Bank holiday', '2026-03-13': '1.3706' };
    await forgetReplies();
    world.bank.answerAll({ reply: bankObservations('FXUSDCAD', noted) });
    const dataset = await make({ name: 'Flagged', columns: ['date', 'value', 'flag'], refresh: 'daily' });
    const csv = await world.askPlain('GET', `/datasets/${dataset.id}/data?$select=Value,Flag`, { key });
    expect(csv.text.trim().split('\r\n')).toEqual([
      '"Date","Series","Value","Flag"',
      '"2026-03-11","FXUSDCAD",,',
      '"2026-03-12","FXUSDCAD",,"Bank holiday"',
      '"2026-03-13","FXUSDCAD",1.3706,',
    ]);
    const same = await refreshNow(dataset);
    expect([same.currentVersionId, same.refresh.lastError]).toEqual([dataset.currentVersionId, null]);
    await forgetReplies();
  });

  it.each([
    [['date']],
    [['value', 'flag']],
    [['date', 'value', 'value']],
    [['date', 'value', 'unit']],
    ['flag'],
  ])('refuses the columns %j', async (columns) => {
    const { status, text } = await post({ columns });
    expect([status, text]).toEqual([400, expect.stringContaining('columns')]);
  });

  it('can have several series of the provider', async () => {
    const dataset = await make({ name: 'Two rates', seriesIds: ['FXEURCAD'] });
    expect(dataset.rowCount).toBe(7);
    expect(dataset.refresh).toMatchObject({ schedule: null, nextRunAt: null });
    expect((await rows(dataset.id)).at(-2)).toBe('"2026-03-12","FXEURCAD",1.5');
  });

  it('can have series with parameters of their own', async () => {
    const { id, rowCount } = await make({
      name: 'Own parameters',
      seriesIds: [{ id: 'FXUSDCAD', params: { start: '2026' } }, { id: 'FXEURCAD' }],
    });
    expect(rowCount).toBe(12);
    const { series } = (await world.ask('GET', `/datasets/${id}`, { key })).json<{ series: object[] }>();
    expect(series).toMatchObject([
      { name: 'FXUSDCAD', seriesId: 'FXUSDCAD', params: {} },
      { name: 'FXUSDCAD?start=2026', seriesId: 'FXUSDCAD', params: { start: '2026' } },
      { name: 'FXEURCAD', seriesId: 'FXEURCAD', params: {} },
    ]);
    expect((await rows(id)).filter((line) => line.includes('FXUSDCAD?start=2026'))).toHaveLength(5);
  });

  it.each([[{ params: {} }], [{ id: 'FXEURCAD', start: '2026' }], [7]])(
    'refuses the series %j',
    async (series) => {
      const { status, text } = await post({ name: 'x', seriesIds: [series] });
      expect([status, text]).toEqual([400, expect.stringContaining('seriesIds')]);
    },
  );

  it('gets a new version only if the data has changed', async () => {
    const first = await make({ name: 'Vintages' });
    const same = await refreshNow(first);
    expect(same.currentVersionId).toBe(first.currentVersionId);
    world.bank.answerAll({ reply: bankObservations('FXUSDCAD', { '2026-03-09': '1.99' }) });
    await refreshNow(same);
    const changed = await until(
      first.id,
      ({ currentVersionId }) => currentVersionId !== first.currentVersionId,
    );
    expect(await rows(changed.id)).toEqual(['"Date","Series","Value"', '"2026-03-09","FXUSDCAD",1.99']);
    expect(await rows(changed.id, `&versionId=${first.currentVersionId}`)).toHaveLength(6);
    world.bank.answerAll(undefined);
  });

  it('can be given another schedule or none, but no invalid one', async () => {
    const dataset = await make({ name: 'Schedules' });
    const put = (refresh: unknown) =>
      world.ask('PUT', `/datasets/${dataset.id}/refresh`, { key, body: { refresh } });
    expect((await put('30 6 * * 1-5')).json<Made>().refresh.schedule).toBe('30 6 * * 1-5');
    expect((await put(null)).json<Made>().refresh).toMatchObject({ schedule: null, nextRunAt: null });
    expect((await put('* * * * *')).status).toBe(400);
    expect((await world.ask('PUT', `/datasets/${dataset.id}/refresh`, { key, body: {} })).status).toBe(400);
  });

  it('shows why a refresh failed and keeps its rows', async () => {
    const dataset = await make({ name: 'Failing', refresh: 'weekly' });
    world.bank.answerAll({ status: 500, reply: 'https://secret.example' });
    const failed = await refreshNow(dataset);
    world.bank.answerAll(undefined);
    expect(failed.refresh.lastError).toMatch(/answered with an error/);
    expect(failed.refresh.lastError).not.toContain('secret');
    expect(failed.currentVersionId).toBe(dataset.currentVersionId);
    const metrics = async () => (await fetch(world.product.baseUrl.replace(/\/api$/, '/metrics'))).text();
    await expect.poll(metrics).toMatch(/tabulary_series_refreshes_total\{outcome="failed"\} 1/);
  });
});

describe('a request', () => {
  const datasets = async () => (await world.ask('GET', '/datasets', { key })).json<object[]>().length;

  it.each([
    ['an unknown series', 404, {}, '/providers/bankofcanada/series/NOPE/dataset'],
    ['an unknown provider', 404, {}, '/providers/nope/series/X/dataset'],
    ['an invalid schedule', 400, { name: 'x', refresh: 'sometimes' }, path],
    ['an unknown parameter', 400, { name: 'x', params: { colour: 'red' } }, path],
    ['a missing provider key', 403, { name: 'x' }, '/providers/fred/series/GDP/dataset'],
    ['a repository that does not exist', 403, { name: 'x', repositoryId: 999_999 }, path],
    ['a name that is taken', 409, { name: 'Two rates' }, path],
  ])('with %s is %i and creates no dataset', async (_, status, body, at) => {
    const before = await datasets();
    expect((await post(body, at)).status).toBe(status);
    expect(await datasets()).toBe(before);
  });

  it('without a key is 401', async () => {
    expect((await world.ask('POST', path, { body: { repositoryId } })).status).toBe(401);
  });

  it('to refresh a dataset without series is 404', async () => {
    const made = await world.ask('POST', '/datasets', { key, body: { name: 'Plain', repositoryId } });
    const { id } = made.json<Made>();
    expect((await world.ask('POST', `/datasets/${id}/refresh`, { key })).status).toBe(404);
    expect(await read(id)).not.toHaveProperty('refresh');
  });
});

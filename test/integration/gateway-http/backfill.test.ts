import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createBackfillRecords } from '../../../src/gateway/datasets/backfill-records.js';
import { type Archive, alfredExchanges } from '../../support/alfred.js';
import { patienceMs } from '../../support/patience.js';
import { type GatewayWorld, startGatewayWorld } from './world.js';

/** GDP around the first quarter of 2014, from ALFRED. */
const gdp: Archive = {
  '2013-07-01': { '2013-10-30': '16857.6', '2013-12-05': '16890.8', '2013-12-20': '16912.9' },
  '2013-10-01': { '2014-01-30': '17102.5', '2014-02-28': '17080.7', '2014-03-27': '17089.6' },
  '2014-01-01': {
    '2014-04-30': '17149.6',
    '2014-05-29': '17101.3',
    '2014-06-25': '17016.0',
    '2014-07-30': '17044.0',
  },
  // A quarter that was withdrawn and published again.
  '2014-04-01': { '2014-07-30': '17294.7', '2014-08-28': '.', '2014-09-26': '17328.2' },
};
const days = [...new Set(Object.values(gdp).flatMap((values) => Object.keys(values)))].sort();

interface Published {
  readonly Date: string;
  readonly Value: number | null;
  readonly publishedAt: string;
}

/** First or latest value of each quarter published up to a day, with its date. */
const publishedBy = (archive: Archive, day: string, which: 'first' | 'latest'): Published[] =>
  Object.entries(archive).flatMap(([date, values]) => {
    const published = Object.keys(values)
      .sort()
      .filter((each) => each <= day);
    const then = which === 'first' ? published[0] : published.at(-1);
    if (then === undefined) return [];
    const value = values[then];
    return [
      {
        Date: date,
        Value: value === undefined || value === '.' ? null : Number(value),
        publishedAt: `${then}T00:00:00.000Z`,
      },
    ];
  });

/** Values known at the end of a day. */
const known = (archive: Archive, day: string): string[] =>
  Object.entries(archive).flatMap(([date, values]) => {
    const last = Object.keys(values)
      .sort()
      .filter((published) => published <= day)
      .at(-1);
    const value = last === undefined ? undefined : values[last];
    return value === undefined ? [] : [`"${date}","GDP",${value === '.' ? '' : Number(value)}`];
  });

let archive: Archive = gdp;
let refused: string | undefined;
let world: GatewayWorld;
let key = '';
let repositoryId = 0;
beforeAll(async () => {
  world = await startGatewayWorld(
    { gatewayIntervalMs: '200', gatewayMemoryBytes: '0', gatewayBackfillVintages: '4' },
    alfredExchanges(
      'GDP',
      () => archive,
      () => refused,
    ),
  );
  const account = await world.product.createAccount('maker');
  ({ key } = account);
  await world.product.sql.query(`UPDATE plans SET max_versions = NULL, max_version_days = NULL`);
  repositoryId = (await world.ask('GET', '/repositories/home', { key })).json<{ id: number }>().id;
  const put = await world.ask('PUT', '/user-keys/fred', { key, body: { api_key: 'a'.repeat(32) } });
  expect(put.status).toBe(200);
});
afterAll(() => world.close());
afterEach(async () => {
  archive = gdp;
  refused = undefined;
  await world.product.sql.query('DELETE FROM gateway_cache');
  await world.product.sql.query('UPDATE accounts SET disabled_at = NULL');
});

interface Backfill {
  state: string;
  done: number;
  total: number;
  skipped: number;
  error: string | null;
}
interface Made {
  id: number;
  currentVersionId: string | null;
  refresh: { backfill?: Backfill; lastRunAt: string | null };
}
interface Version {
  versionId: string;
  createdAt: string;
  validFrom: string;
  mode: string;
  current: boolean;
  rows: number;
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

const make = async (body: object = {}): Promise<Made> => {
  const answer = await world.ask('POST', '/providers/fred/series/GDP/dataset', {
    key,
    body: { repositoryId, backfill: true, ...body },
  });
  expect(answer.status).toBe(201);
  return answer.json<Made>();
};

const whenDone = (id: number) => until(id, ({ refresh }) => refresh.backfill?.state === 'done');

const rows = async (id: number, query: string): Promise<string[]> => {
  const answer = await world.askPlain('GET', `/datasets/${id}/data?$skip=0${query}`, { key });
  expect(answer.status).toBe(200);
  return answer.text.trim().split('\r\n').slice(1);
};

const versionsOf = async (id: number) =>
  (await world.ask('GET', `/datasets/${id}/versions?$top=1000`, { key })).json<Version[]>();

describe('vintages of a provider', () => {
  let dataset: Made;
  beforeAll(async () => {
    dataset = await whenDone((await make()).id);
  });

  it('become versions valid from the day of publication, older than the first version of the dataset', async () => {
    expect(dataset.refresh.backfill).toEqual({
      state: 'done',
      done: days.length,
      total: days.length,
      skipped: 0,
      error: null,
      nextRunAt: null,
    });
    const [first, ...vintages] = await versionsOf(dataset.id);
    expect(first).toMatchObject({ current: true, mode: 'replace', versionId: dataset.currentVersionId });
    expect(first?.validFrom).toBe(first?.createdAt);
    expect(vintages.map(({ mode }) => mode)).toEqual(days.map(() => 'backfill'));
    expect(vintages.map(({ validFrom }) => validFrom)).toEqual(
      days.map((day) => `${day}T00:00:00.000`).reverse(),
    );
    const ids = [first, ...vintages].map((version) => Number(version?.versionId));
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
  });

  it('answer asOf with the values known on each day', async () => {
    for (const day of [...days, '2013-11-15', '2014-06-24', '2014-12-31'])
      expect([day, await rows(dataset.id, `&asOf=${day}`)]).toEqual([day, known(gdp, day)]);
    expect(await rows(dataset.id, '&asOf=2014-05-29T00:00:00Z')).toEqual(known(gdp, '2014-05-29'));
    expect(await rows(dataset.id, '&asOf=2014-05-28T23:59:59Z')).toEqual(known(gdp, '2014-05-28'));
    expect(await rows(dataset.id, '')).toEqual(known(gdp, '2026-01-01'));
    const early = await world.ask('GET', `/datasets/${dataset.id}/data?asOf=2013-10-29`, { key });
    expect(early.status).toBe(404);
    expect(early.json<{ error: string }>().error).toContain('2013-10-30T00:00:00.000Z');
    const then = await world.ask('GET', `/datasets/${dataset.id}/versions?asOf=2014-04-30`, { key });
    expect(then.json<Version[]>()).toMatchObject([
      { validFrom: '2014-04-30T00:00:00.000', mode: 'backfill' },
    ]);
  });

  it('are listed as revisions of an observation, each with its day of publication', async () => {
    const all = await world.ask(
      'GET',
      `/datasets/${dataset.id}/revisions?$filter=${encodeURIComponent('Date eq 2014-01-01')}`,
      { key },
    );
    expect(all.json<object[]>()).toMatchObject([
      { Value: 17149.6, publishedAt: '2014-04-30T00:00:00.000Z', change: 'added' },
      { Value: 17101.3, publishedAt: '2014-05-29T00:00:00.000Z', change: 'changed' },
      { Value: 17016, publishedAt: '2014-06-25T00:00:00.000Z', change: 'changed' },
      { Value: 17044, publishedAt: '2014-07-30T00:00:00.000Z', change: 'changed' },
    ]);
    expect(all.json<object[]>()).toHaveLength(4);
    const published = await world.ask('GET', `/datasets/${dataset.id}/revisions?vintage=first`, { key });
    expect(published.json<{ Date: string; Value: number }[]>().map(({ Value }) => Value)).toEqual([
      16857.6, 17102.5, 17149.6, 17294.7,
    ]);
  });

  it.each([
    ['first', '2014-12-31'],
    ['latest', '2014-12-31'],
    ['first', '2014-04-01'],
    ['latest', '2014-05-28'],
    ['latest', '2014-05-29'],
    ['latest', '2014-08-28'],
  ] as const)('match the archive when the %s values are read as of %s', async (vintage, day) => {
    const address = `/datasets/${dataset.id}/revisions?vintage=${vintage}&asOf=${day}`;
    const found = (await world.ask('GET', address, { key })).json<Published[]>();
    expect(found.map(({ Date: date, Value, publishedAt }) => ({ Date: date, Value, publishedAt }))).toEqual(
      publishedBy(gdp, day, vintage),
    );
  });

  it('precede versions that are uploaded later', async () => {
    archive = { ...gdp, '2014-07-01': { '2014-10-30': '17535.4' } };
    await world.product.sql.query('DELETE FROM gateway_cache');
    expect((await world.ask('POST', `/datasets/${dataset.id}/refresh`, { key })).status).toBe(202);
    const later = await until(
      dataset.id,
      ({ currentVersionId }) => currentVersionId !== dataset.currentVersionId,
    );
    expect(Number(later.currentVersionId)).toBeGreaterThan(Number(dataset.currentVersionId));
    expect(await rows(dataset.id, '')).toEqual(known(archive, '2026-01-01'));
    expect(await rows(dataset.id, '&asOf=2014-12-31')).toEqual(known(gdp, '2014-12-31'));
    expect(await versionsOf(dataset.id)).toHaveLength(days.length + 2);
  });

  it('can be deleted without effect on the others, and restored', async () => {
    const [, , newest, second] = await versionsOf(dataset.id);
    const gone = await world.ask('DELETE', `/datasets/${dataset.id}/versions/${newest?.versionId}`, { key });
    expect(gone.status).toBe(204);
    const removed = await world.ask('GET', `/datasets/${dataset.id}/data?asOf=${newest?.validFrom}Z`, {
      key,
    });
    expect(removed.json<{ code: string }>().code).toBe('version_removed');
    expect(await rows(dataset.id, `&versionId=${second?.versionId}`)).toEqual(known(gdp, '2014-08-28'));
    const restored = await world.ask(
      'POST',
      `/datasets/${dataset.id}/versions/${second?.versionId}/restore`,
      {
        key,
      },
    );
    expect(restored.status).toBe(201);
    expect(await rows(dataset.id, '')).toEqual(known(gdp, '2014-08-28'));
    expect(await rows(dataset.id, '&asOf=2014-05-01')).toEqual(known(gdp, '2014-05-01'));
  });
});

describe('a backfill', () => {
  const dayAt = (at: number): string => new Date(Date.UTC(2010, 0, 1 + at)).toISOString().slice(0, 10);
  const daily = (count: number): Archive =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [dayAt(at), { [dayAt(at + 1)]: String(at) }]),
    );

  it('pauses at a vintage that the provider refuses, reports why, and resumes there', async () => {
    archive = daily(6);
    // The first step takes 4, so the second one starts with the oldest.
    refused = dayAt(1);
    const { id } = await make({ name: 'Limited' });
    const { refresh } = await until(id, (dataset) => dataset.refresh.backfill?.state === 'waiting');
    expect(refresh.backfill).toMatchObject({ done: 4, total: 6 });
    expect(refresh.backfill?.error).toContain('FRED');
    expect(await rows(id, `&asOf=${dayAt(4)}`)).toEqual(known(archive, dayAt(4)));
    refused = undefined;
    await world.product.sql.query('DELETE FROM gateway_holds');
    await world.product.sql.query('UPDATE series_backfills SET next_at = now() WHERE dataset_id = $1', [id]);
    expect((await whenDone(id)).refresh.backfill).toMatchObject({ done: 6, total: 6, error: null });
    expect(await versionsOf(id)).toHaveLength(7);
    expect(await rows(id, `&asOf=${dayAt(2)}`)).toEqual(known(archive, dayAt(2)));
  });

  it('pauses while its account is disabled', async () => {
    archive = daily(6);
    refused = dayAt(1);
    const { id } = await make({ name: 'Disabled' });
    await until(id, (dataset) => dataset.refresh.backfill?.state === 'waiting');
    refused = undefined;
    const { sql } = world.product;
    const records = createBackfillRecords(sql);
    await sql.query('UPDATE accounts SET disabled_at = now()');
    await sql.query('DELETE FROM gateway_holds');
    await sql.query('UPDATE series_backfills SET next_at = now() WHERE dataset_id = $1', [id]);
    expect(await records.due()).not.toContain(id);
    expect(await records.begin(id)).toBeUndefined();
    await sql.query('UPDATE accounts SET disabled_at = NULL');
    expect((await whenDone(id)).refresh.backfill).toMatchObject({ done: 6, total: 6, error: null });
  });

  it('imports the newest versions only, as many as retention keeps', async () => {
    archive = daily(7);
    await world.product.sql.query('UPDATE plans SET max_versions = 4');
    const { id } = await make({ name: 'Few' });
    const { refresh } = await whenDone(id);
    await world.product.sql.query('UPDATE plans SET max_versions = NULL');
    expect(refresh.backfill).toMatchObject({ done: 3, total: 7, skipped: 4 });
    const found = await versionsOf(id);
    expect(found.map(({ rows }) => rows)).toEqual([7, 7, 6, 5]);
  });

  it('is refused for a provider without vintages; the error names providers that have them', async () => {
    const before = (await world.ask('GET', '/datasets', { key })).json<unknown[]>().length;
    const answer = await world.ask('POST', '/providers/bankofcanada/series/FXUSDCAD/dataset', {
      key,
      body: { repositoryId, backfill: true },
    });
    expect(answer.status).toBe(400);
    expect(answer.json<{ error: string; code: string }>()).toMatchObject({
      code: 'no_vintages',
      error: expect.stringContaining('fred'),
    });
    expect((await world.ask('GET', '/datasets', { key })).json<unknown[]>()).toHaveLength(before);
  });

  it('creates no second version of a vintage that is already imported', async () => {
    archive = daily(3);
    const { id } = await make({ name: 'Twice' });
    const { currentVersionId } = await whenDone(id);
    const ids = (await versionsOf(id)).map(({ versionId }) => versionId);
    // As after a crash between publishing and recording it, with an upload in flight.
    await world.product.sql.query(
      `UPDATE processes SET status = 'pending', phase = 'ready', version_id = NULL
       WHERE dataset_id = $1 AND vintage IS NOT NULL AND id = (SELECT max(id) FROM processes WHERE dataset_id = $1)`,
      [id],
    );
    archive = daily(4);
    await world.product.sql.query('DELETE FROM gateway_cache');
    expect((await world.ask('POST', `/datasets/${id}/refresh`, { key })).status).toBe(202);
    const later = await until(id, (dataset) => dataset.currentVersionId !== currentVersionId);
    expect((await versionsOf(id)).map(({ versionId }) => versionId)).toEqual([
      later.currentVersionId,
      ...ids,
    ]);
    const processes = await world.ask('GET', `/datasets/${id}/processes`, { key });
    expect(processes.json<{ error: { code: string } | null }[]>()[1]?.error?.code).toBe('other_vintage');
    expect(await rows(id, `&asOf=${dayAt(2)}`)).toEqual(known(archive, dayAt(2)));
  });
});

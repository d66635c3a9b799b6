import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { GatewayCaller } from '../../../src/gateway/caller.js';
import { createGateway, type Gateway } from '../../../src/gateway/gateway.js';
import { silentTelemetry } from '../../../src/gateway/telemetry.js';
import { silentLog } from '../../../src/lib/log.js';
import { readOwnSources } from '../../../src/providers/own/own-sources.js';
import type { Provider } from '../../../src/providers/provider.js';
import { leasesOf } from '../../support/leases.js';
import { recordedProvider } from '../../support/recorded-provider.js';
import {
  type Exchange,
  fixture,
  type ReplayUpstream,
  startReplayUpstream,
} from '../../support/replay-upstream.js';
import { openDatabase, type TestDatabase } from './database.js';

const ecb = recordedProvider('ecb');

/** An expired reply is requested again, conditionally. */

const [mines] = readOwnSources(
  `- kind: csv
  id: mines
  name: Mines
  provider: Office of Mines
  description: Monthly output of mines, as a file.
  baseUrl: https://mines.example.org
  series:
    - { id: copper, label: Copper, path: output.csv, date: Month, value: Copper }
    - { id: tin, label: Tin, path: output.csv, date: Month, value: Tin }`,
  [],
);
const id = 'EXR/D.USD.EUR.SP00.A';
const rates = fixture('providers/ecb/EXR-D.USD.EUR.SP00.A.csv');
const changed = rates.replace(/,1\.(\d+),/, ',7.$1,');
const day = 86_400_000;
const anonymous: GatewayCaller = { accountId: undefined, share: 'ip', mayUsePaid: true };

let database: TestDatabase;
let upstream: ReplayUpstream;
let nowMs = Date.parse('2026-03-10T12:00:00Z');

beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());
afterEach(async () => {
  await upstream.close();
  await database.sql.query('TRUNCATE gateway_cache', []);
});

const open = async (exchanges: readonly Exchange[]): Promise<Gateway> => {
  upstream = await startReplayUpstream(exchanges);
  return createGateway({
    settings: {
      providers: [ecb, mines as Provider],
      masterKeys: [],
      serviceKeys: {},
      baseUrls: { ecb: upstream.baseUrl, mines: upstream.baseUrl },
      feedProvider: 'ecb',
      paidProviders: [],
      userAgent: 'test',
      retries: 0,
      firstRetryWaitMs: 1,
    },
    sql: database.sql,
    leases: leasesOf(database.sql),
    log: silentLog,
    telemetry: silentTelemetry,
    now: () => nowMs,
  });
};

const data = { path: '/data/EXR/D.USD.EUR.SP00.A', query: { format: 'csvdata' } };
const old = 'Tue, 03 Mar 2026 15:00:00 GMT';
const conditions = () =>
  upstream.calls.map(({ headers }) => [headers['if-none-match'], headers['if-modified-since']]);

const read = async (gateway: Gateway) => {
  const { data: rows, label, ageSeconds } = await gateway.fullSeries(anonymous, 'ecb', id, {});
  return { rows, label, ageSeconds };
};

describe('an expired answer', () => {
  it('is fresh again after a 304', async () => {
    const gateway = await open([
      { ...data, requestHeaders: { 'if-modified-since': old }, status: 304, reply: '' },
      { ...data, headers: { 'last-modified': old }, reply: rates },
    ]);
    const first = await read(gateway);
    for (let run = 0; run < 2; run += 1) {
      nowMs += day;
      expect(await read(gateway)).toEqual(first);
    }
    await read(gateway);
    expect(conditions()).toEqual([
      [undefined, undefined],
      [undefined, old],
      [undefined, old],
    ]);
  });

  it('is replaced by a changed reply', async () => {
    const gateway = await open([
      { ...data, headers: { etag: 'W/"1"' }, reply: rates, times: 1 },
      { ...data, requestHeaders: { 'if-none-match': 'W/"1"' }, headers: { etag: '"2"' }, reply: changed },
    ]);
    const { rows } = await read(gateway);
    nowMs += day;
    const after = await read(gateway);
    expect(after.rows).not.toEqual(rows);
    expect(after.rows).toHaveLength(rows.length);
  });

  it('is requested without a condition if it could have changed within the second of Last-Modified', async () => {
    const gateway = await open([
      { ...data, reply: rates, headers: { 'last-modified': new Date().toUTCString() } },
    ]);
    await read(gateway);
    nowMs += day;
    await read(gateway);
    expect(conditions()).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('is requested without a condition after thirty days', async () => {
    const gateway = await open([
      { ...data, requestHeaders: { 'if-none-match': '"1"' }, status: 304, reply: '' },
      { ...data, headers: { etag: '"1"' }, reply: rates },
    ]);
    await read(gateway);
    for (let week = 0; week < 5; week += 1) {
      nowMs += 7 * day;
      await read(gateway);
    }
    expect(conditions().map(([etag]) => etag)).toEqual([undefined, '"1"', '"1"', '"1"', '"1"', undefined]);
  });

  it('fails when the upstream answers 304 to a request without a condition', async () => {
    const gateway = await open([{ ...data, status: 304, reply: '' }]);
    await expect(read(gateway)).rejects.toMatchObject({ code: 'upstream_failed' });
  });

  it('that several series share is revalidated once for all of them', async () => {
    const file = { path: '/output.csv', headers: { etag: '"1"' } };
    const gateway = await open([
      { ...file, requestHeaders: { 'if-none-match': '"1"' }, status: 304, reply: '' },
      { ...file, reply: 'Month,Copper,Tin\n2026-01,1.50,2\n' },
    ]);
    const values = async (series: string) =>
      (await gateway.fullSeries(anonymous, 'mines', series, {})).data.map(({ value }) => value);
    expect([await values('copper'), await values('tin')]).toEqual([['1.50'], ['2']]);
    nowMs += day;
    expect([await values('copper'), await values('tin')]).toEqual([['1.50'], ['2']]);
    expect(conditions()).toEqual([
      [undefined, undefined],
      ['"1"', undefined],
    ]);
  });
});

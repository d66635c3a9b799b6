/** Heavy queries of an owner take turns until their first row; light ones do not wait for them. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Semaphore } from '../../../src/lib/semaphore/semaphore.js';
import type { ReadableVersion } from '../../../src/model/version.js';
import { serverOf } from '../../../src/rows/index.js';
import { limitHeavyQueries } from '../../../src/storage/clickhouse/heavy-queries.js';
import type { Reader, ReadQuery } from '../../../src/storage/clickhouse/reader.js';
import { querySemaphore } from '../../support/query-semaphore.js';
import { createDownloadServer, type DownloadServer } from './download-server.js';
import { createStoredTables, type StoredTables } from './stored-table.js';

let tables: StoredTables;
let server: DownloadServer;
let turns: Semaphore;
let large: ReadableVersion;
let small: ReadableVersion;
let heavy = 0;
let peak = 0;

/** Counts concurrent heavy queries in ClickHouse. */
const counting = (reader: Reader): Reader => {
  const count = async <T>({ isHeavy }: ReadQuery, work: () => Promise<T>): Promise<T> => {
    if (!isHeavy) return work();
    heavy += 1;
    peak = Math.max(peak, heavy);
    return work().finally(() => {
      heavy -= 1;
    });
  };
  return {
    ...reader,
    open: (query) => count(query, () => reader.open(query)),
    queryObjects: <T>(query: ReadQuery) => count(query, () => reader.queryObjects<T>(query)),
  };
};

const columns = [
  { name: 'Country', physical: 's' },
  { name: 'Day', physical: 'd' },
  { name: 'Amount', physical: 'f' },
] as const;

beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'));
  const add = (rows: number): Promise<ReadableVersion> =>
    tables.addSelected(
      columns,
      rows,
      ([country, day, amount]) =>
        `number AS _row, toString(number) AS ${country}, toDate32('2020-01-01') + number % 3 AS ${day},
         number / 2 AS ${amount} FROM numbers(${rows})`,
    );
  large = await add(100_000);
  small = await add(10);
  turns = querySemaphore({ maxRunning: 4, ownRunning: 1, queueLength: 64, maxWaitMs: 60_000 });
  server = await createDownloadServer(limitHeavyQueries(counting(tables.reader), turns));
});
afterAll(async () => {
  await server.close();
  await tables.close();
});

const ask = async (version: ReadableVersion, options: Record<string, string>): Promise<number> => {
  const answer = await fetch(server.dataUrl(version, new URLSearchParams(options).toString()));
  await answer.text();
  return answer.status;
};

const maxOfFour = async (version: ReadableVersion, options: Record<string, string>): Promise<number> => {
  peak = 0;
  const statuses = await Promise.all(Array.from({ length: 4 }, () => ask(version, options)));
  expect(statuses).toEqual([200, 200, 200, 200]);
  return peak;
};

describe('heavy queries of one owner', () => {
  it.each<[string, Record<string, string>]>([
    [
      'groups',
      { $apply: 'groupby((Country),aggregate(Amount with sum as Total))', $top: '5', $format: 'json' },
    ],
    ['distinct rows', { $distinct: 'true', $select: 'Country', $top: '5', $format: 'json' }],
    ['sorted rows', { $orderby: 'Amount desc', $top: '5', $format: 'json' }],
    ['transposed rows', { transpose: 'true', $filter: 'Amount gt 1', $format: 'csv' }],
  ])('run one at a time: %s', async (_, options) => {
    expect(await maxOfFour(large, options)).toBe(1);
    expect(turns.running).toBe(0);
  });

  it('do not block its pages or heavy queries of others', async () => {
    const permit = await turns.acquire('ip:127.0.0.1', new AbortController().signal);
    const waiting = ask(large, { $orderby: 'Amount desc', $top: '5', $format: 'json' });
    await expect.poll(() => turns.waiting).toBeGreaterThan(0);
    expect(await ask(large, { $top: '5', $format: 'json' })).toBe(200);
    const [row] = await limitHeavyQueries(tables.reader, turns).queryObjects<{ one: number }>({
      sql: 'SELECT 1 AS one FORMAT JSONEachRow',
      values: {},
      place: serverOf(large),
      queryId: `others-${Date.now()}`,
      isHeavy: true,
      owner: 'account:2',
    });
    expect(row?.one).toBe(1);
    permit.release();
    expect(await waiting).toBe(200);
  });

  it('of few rows do not wait for a turn', async () => {
    const permit = await turns.acquire('ip:127.0.0.1', new AbortController().signal);
    try {
      expect(await ask(small, { $orderby: 'Amount desc', $top: '5', $format: 'json' })).toBe(200);
    } finally {
      permit.release();
    }
  });

  it('leave the queue when their client disconnects', async () => {
    const permit = await turns.acquire('ip:127.0.0.1', new AbortController().signal);
    const gone = new AbortController();
    const query = new URLSearchParams({ $orderby: 'Amount', $top: '5', $format: 'json' }).toString();
    const answer = fetch(server.dataUrl(large, query), { signal: gone.signal }).catch(() => undefined);
    await expect.poll(() => turns.waiting).toBe(1);
    gone.abort();
    await answer;
    await expect.poll(() => turns.waiting).toBe(0);
    permit.release();
    await expect.poll(() => turns.running).toBe(0);
  });
});

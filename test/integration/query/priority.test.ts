/** Long calculations have a lower thread priority than short queries. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ReadableVersion } from '../../../src/model/version.js';
import { serverOf } from '../../../src/rows/index.js';
import type { ReadQuery } from '../../../src/storage/clickhouse/reader.js';
import { createDownloadServer, type DownloadServer } from './download-server.js';
import { createStoredTables, type StoredTables } from './stored-table.js';

let tables: StoredTables;
let server: DownloadServer;
let sales: ReadableVersion;
let many: ReadableVersion;
const sent: ReadQuery[] = [];

beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'));
  const { reader } = tables;
  server = await createDownloadServer({
    ...reader,
    open: (query) => {
      sent.push(query);
      return reader.open(query);
    },
    queryObjects: (query) => {
      sent.push(query);
      return reader.queryObjects(query);
    },
  });
  const columns = [
    { name: 'Country', physical: 's' },
    { name: 'Amount', physical: 'f' },
  ] as const;
  sales = await tables.add(columns, [
    ['Norway', 1],
    ['Peru', 2],
  ]);
  many = await tables.add(
    columns,
    Array.from({ length: 100_000 }, (_, at) => [`country ${at % 7}`, at]),
  );
});
afterAll(async () => {
  await server.close();
  await tables.close();
});

const heaviness = async (version: ReadableVersion, options: Record<string, string>): Promise<boolean[]> => {
  sent.length = 0;
  const query = new URLSearchParams({ ...options, $format: 'json' }).toString();
  const answer = await fetch(server.dataUrl(version, query));
  expect(answer.status).toBe(200);
  await answer.text();
  return sent.map(({ isHeavy = false }) => isHeavy);
};

describe('queries', () => {
  it('that group many rows are heavy; pages and groups of few rows are not', async () => {
    const apply = 'groupby((Country),aggregate(Amount with sum as Total))';
    expect(new Set(await heaviness(many, { $apply: apply, $top: '1' }))).toEqual(new Set([true]));
    expect(new Set(await heaviness(many, { $filter: 'Amount gt 1.5', $top: '1' }))).toEqual(new Set([false]));
    expect(new Set(await heaviness(sales, { $apply: apply, $top: '1' }))).toEqual(new Set([false]));
  });

  it.each([
    [true, 10],
    [false, 0],
  ])('that are heavy (%s) run with the nice value %i', async (isHeavy, nice) => {
    const [row] = await tables.reader.queryObjects<{ nice: number }>({
      sql: `SELECT toInt32(getSetting('os_threads_nice_value_query')) AS nice FORMAT JSONEachRow`,
      values: {},
      place: serverOf(sales),
      queryId: `nice-${isHeavy}-${Date.now()}`,
      isHeavy,
    });
    expect(row?.nice).toBe(nice);
  });
});

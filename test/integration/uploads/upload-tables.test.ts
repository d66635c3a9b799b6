/** Staging tables of long uploads, with late and concurrent workers (docs/adr/0027-upload-tables.md). */
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { Target } from '../../../src/rows/copy.js';
import { ensureDatabase } from '../../../src/rows/ddl.js';
import { placeOf } from '../../../src/rows/place.js';
import { createRowTables, type RowTables } from '../../../src/rows/tables.js';
import { type ClickHouse, createClickHouse, standAlone } from '../../../src/storage/clickhouse/client.js';
import { countRows } from '../../support/stored-rows.js';

const place = placeOf({ storeId: 1, shard: 1, pool: null });
const columns = [{ name: 'c1_f', physical: 'f' }] as const;
let clickhouse: ClickHouse;

beforeAll(async () => {
  clickhouse = createClickHouse({
    url: inject('clickhouseUrl'),
    database: `t${randomBytes(6).toString('hex')}_tables`,
  });
  await ensureDatabase(clickhouse);
});

afterAll(async () => {
  await clickhouse.command(`DROP DATABASE ${clickhouse.database}`);
  await clickhouse.close();
});

const blockOf = async (segmentId: number, row: number): Promise<Buffer> => {
  const { body } = await clickhouse.send({
    body: `SELECT toUInt64(${segmentId}) AS _seg, toUInt64(${row}) AS _row, toNullable(0.5) AS c1_f FORMAT Native`,
    contentType: 'text/plain',
    search: {},
    queryId: crypto.randomUUID(),
    signal: new AbortController().signal,
  });
  return buffer(body);
};

const to = (segment: number): Target => ({ segment, place });

/** Stores a chunk of one row. */
const store = async (tables: RowTables, segmentId: number, chunk: number): Promise<void> => {
  await tables.insert(to(segmentId), {
    number: chunk,
    columns,
    block: [await blockOf(segmentId, chunk)],
    rows: 1,
    token: `${segmentId}/${chunk}`,
    queryId: crypto.randomUUID(),
  });
};

const worker = (): RowTables => createRowTables(clickhouse);

/** A worker that runs `meanwhile` between counting and promoting rows. */
const slowWorker = (meanwhile: () => Promise<void>): RowTables =>
  createRowTables(
    standAlone({
      ...clickhouse,
      async command(sql, options) {
        if (sql.includes('REPLACE PARTITION')) await meanwhile();
        return clickhouse.command(sql, options);
      },
    }),
  );

it('staging tables are promoted with exactly the counted rows or not at all, even by a late worker', async () => {
  const [first, second] = [worker(), worker()];
  for (const chunk of [0, 1]) await store(first, 1, chunk);
  const slow = slowWorker(async () => {
    await second.promote(to(1), 2);
    await second.dropStaging(1);
    // A chunk that is redelivered to another worker.
    const late = worker();
    await store(late, 1, 1);
    await late.promote(to(1), 2);
  });
  await expect(slow.promote(to(1), 2)).rejects.toThrow(/a1_[0-9a-f]+/);
  expect(await countRows(clickhouse, place, 1)).toBe(2);
  expect(await first.listStaging()).toEqual([1]);
  await first.dropStaging(1);
  expect(await first.listStaging()).toEqual([]);
});

it('staging tables count chunks that arrived in time, but no late ones', async () => {
  const [first, late] = [worker(), worker()];
  for (const chunk of [0, 1, 2]) await store(first, 2, chunk);
  await first.promote(to(2), 3);
  await store(late, 2, 1);
  await late.promote(to(2), 3);
  expect(await countRows(clickhouse, place, 2)).toBe(3);
  await late.promote(to(2), 4);
  expect(await countRows(clickhouse, place, 2)).toBe(3);
  await first.dropStaging(2);
  expect(await first.listStaging()).toEqual([]);
});

it('staging tables are promoted into a table with the same columns without changing them', async () => {
  const changes: string[] = [];
  const recording = createRowTables(
    standAlone({
      ...clickhouse,
      async command(sql, options) {
        if (/\b(CREATE TABLE|ADD COLUMN)\b/.test(sql)) changes.push(sql);
        return clickhouse.command(sql, options);
      },
    }),
  );
  await store(recording, 20, 0);
  changes.length = 0;
  await recording.promote(to(20), 1);
  expect(changes).toEqual([]);
  expect(await countRows(clickhouse, place, 20)).toBe(1);
});

it('staging tables are promoted into a table that has gained a column, and into one that was dropped', async () => {
  const [first, second] = [worker(), worker()];
  await store(first, 21, 0);
  await second.ensure(place, [...columns, { name: 'c2_f', physical: 'f' }]);
  await first.promote(to(21), 1);
  expect(await countRows(clickhouse, place, 21)).toBe(1);
  await store(first, 22, 0);
  await second.dropOwnTable(1);
  await first.promote(to(22), 1);
  expect(await countRows(clickhouse, place, 22)).toBe(1);
});

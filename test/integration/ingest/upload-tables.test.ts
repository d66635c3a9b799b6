/** The tables that take the chunks of long uploads, and what workers do with them that are late (docs/adr/0027-upload-tables.md). */
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { ensureDatabase } from '../../../src/rows/ddl.js';
import { placeOf } from '../../../src/rows/place.js';
import { createStoreTables, type StoreTables } from '../../../src/rows/tables.js';
import { type ClickHouse, createClickHouse, standAlone } from '../../../src/storage/clickhouse/client.js';

const placement = placeOf({ storeId: 1, shard: 1, pool: null });
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

/** A worker stores a chunk of one row. */
const store = async (tables: StoreTables, segmentId: number, chunk: number): Promise<void> => {
  await tables.ensureIntake({ placement, segmentId, chunk }, columns);
  await tables.insertBlock({
    placement,
    segmentId,
    chunk,
    columns,
    block: [await blockOf(segmentId, chunk)],
    rows: 1,
    token: `${segmentId}/${chunk}`,
    queryId: crypto.randomUUID(),
  });
};

const worker = (): StoreTables => createStoreTables(clickhouse);

/** A worker that does something else between having counted what it hands over and handing it over. */
const slowWorker = (meanwhile: () => Promise<void>): StoreTables =>
  createStoreTables(
    standAlone({
      ...clickhouse,
      async command(sql, options) {
        if (sql.includes('REPLACE PARTITION')) await meanwhile();
        return clickhouse.command(sql, options);
      },
    }),
  );

it('are handed over as they were counted, or not at all, whoever is late', async () => {
  const [first, second] = [worker(), worker()];
  for (const chunk of [0, 1]) await store(first, 1, chunk);
  const slow = slowWorker(async () => {
    await second.handOver(placement, 1, 2);
    await second.dropIntake(1);
    // A chunk that is delivered again to a worker that has not heard of it.
    const late = worker();
    await store(late, 1, 1);
    await late.handOver(placement, 1, 2);
  });
  await expect(slow.handOver(placement, 1, 2)).rejects.toThrow(/a1_[0-9a-f]+/);
  expect(await first.countRows(placement, 1)).toBe(2);
  expect(await first.listIntakes()).toEqual([1]);
  await first.dropIntake(1);
  expect(await first.listIntakes()).toEqual([]);
});

it('count the chunks that came in time, and not a late one beside them', async () => {
  const [first, late] = [worker(), worker()];
  for (const chunk of [0, 1, 2]) await store(first, 2, chunk);
  await first.handOver(placement, 2, 3);
  await store(late, 2, 1);
  await late.handOver(placement, 2, 3);
  expect(await first.countRows(placement, 2)).toBe(3);
  await late.handOver(placement, 2, 4);
  expect(await first.countRows(placement, 2)).toBe(3);
  await first.dropIntake(2);
  expect(await first.listIntakes()).toEqual([]);
});

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { NamedColumn } from '../../../src/model/column.js';
import { ensureDatabase } from '../../../src/rows/ddl.js';
import { placeOf } from '../../../src/rows/place.js';
import { type CountedRows, versionSource } from '../../../src/rows/source.js';
import { createRowTables } from '../../../src/rows/tables.js';
import { type ClickHouse, createClickHouse } from '../../../src/storage/clickhouse/client.js';

let clickhouse: ClickHouse;

beforeAll(async () => {
  const database = `indexes_${randomBytes(4).toString('hex')}`;
  clickhouse = createClickHouse({ url: inject('clickhouseUrl'), database });
  await ensureDatabase(clickhouse);
});
afterAll(async () => {
  await clickhouse.command(`DROP DATABASE ${clickhouse.database} SYNC`);
  await clickhouse.close();
});

const indexed = async (storeId: number): Promise<string[]> => {
  const rows = await clickhouse.rows<{ expr: string; type: string }>(
    `SELECT expr, type FROM system.data_skipping_indices
     WHERE database = {database:String} AND table = {table:String} ORDER BY expr`,
    { params: { database: clickhouse.database, table: `s${storeId}` } },
  );
  return rows.map(({ expr, type }) => `${type} ${expr}`);
};

const own = (storeId: number) => placeOf({ storeId, shard: 1, pool: null });

const date: NamedColumn = { name: 'c1_d', physical: 'd' };
const text: NamedColumn = { name: 'c2_s', physical: 's' };
const number: NamedColumn = { name: 'c3_f', physical: 'f' };

describe('skipping indexes of a table', () => {
  it('are created with its columns, including later ones', async () => {
    await createRowTables(clickhouse).ensure(own(1), [date, text]);
    expect(await indexed(1)).toEqual(['minmax c1_d', 'minmax c2_s']);
    await createRowTables(clickhouse).ensure(own(1), [date, number]);
    await createRowTables(clickhouse).ensure(own(1), [number, date]);
    expect(await indexed(1)).toEqual(['minmax c1_d', 'minmax c2_s', 'minmax c3_f']);
  });

  it('are not created in a table of many columns', async () => {
    const columns = Array.from(
      { length: 201 },
      (_, at): NamedColumn => ({ name: `c${at}_f`, physical: 'f' }),
    );
    await createRowTables(clickhouse).ensure(own(2), columns);
    expect(await indexed(2)).toEqual([]);
  });

  it('skip granules that cannot match a filter', async () => {
    await createRowTables(clickhouse).ensure(own(3), [text]);
    await clickhouse.command(
      `INSERT INTO ${clickhouse.database}.s3 (_seg, _row, c2_s)
       SELECT 1, number, concat('series ', toString(intDiv(number, 50000))) FROM numbers(400000)`,
    );
    const plan = await clickhouse.rows<{ explain: string }>(
      `EXPLAIN indexes = 1 SELECT _row FROM ${clickhouse.database}.s3 WHERE _seg IN (1) AND c2_s = {text:String}`,
      { params: { text: 'series 3' } },
    );
    const steps = plan.map(({ explain }) => explain).join('\n');
    const [, kept, all] = /i_c2_s[\s\S]*?Granules: (\d+)\/(\d+)/.exec(steps) ?? [];
    expect(Number(kept)).toBeGreaterThan(0);
    expect(Number(kept)).toBeLessThan(Number(all) / 4);
  });
});

describe('rows of a version that is one partition', () => {
  const version = (segmentId: number, rowCount: number) => ({
    place: own(4),
    columns: [
      {
        id: 3,
        storageId: 3,
        name: 'n',
        dataType: 'Number',
        physical: 'f',
        isEntity: false,
        description: null,
      },
    ],
    segmentIds: [segmentId],
    rowCount,
  });
  const countMatching = async (
    segmentId: number,
    rowCount: number,
    settings: Record<string, string | number>,
  ) => {
    const { from, wherePart, values } = versionSource(
      clickhouse.database,
      version(segmentId, rowCount) as CountedRows,
    );
    const [row] = await clickhouse.rows<{ n: string }>(
      `SELECT toString(count()) AS n FROM ${from} PREWHERE c3_f >= 90 WHERE ${wherePart}`,
      { params: values, settings },
    );
    return Number(row?.n);
  };

  it('are the same with and without partition pruning', async () => {
    await createRowTables(clickhouse).ensure(own(4), [number]);
    for (const [segment, rows] of [
      [7, 100],
      [8, 1_000],
      [70, 95],
    ])
      await clickhouse.command(
        `INSERT INTO ${clickhouse.database}.s4 (_seg, _row, c3_f) SELECT ${segment}, number, number FROM numbers(${rows})`,
      );
    for (const settings of [{}, { use_partition_pruning: 0 }, { optimize_move_to_prewhere: 0 }]) {
      expect(await countMatching(7, 100, settings)).toBe(10);
      expect(await countMatching(8, 1_000, settings)).toBe(910);
      expect(await countMatching(70, 95, settings)).toBe(5);
      await expect(countMatching(7, 101, settings)).rejects.toThrow(/segments_gone/);
    }
  });

  it('have a partition condition, but not in a pool, on all shards, or with patches, cuts or several segments', () => {
    const base = version(7, 100) as CountedRows;
    const conditionFor = (change: Partial<CountedRows>) =>
      versionSource('db', { ...base, ...change }).wherePart;
    expect(conditionFor({})).toContain('_partition_id');
    const pool = { mapId: 1, pool: 'narrow', slots: { c3_f: 'f0' } } as const;
    expect(conditionFor({ place: placeOf({ storeId: 4, shard: 1, pool }) })).toBeUndefined();
    expect(conditionFor({ place: placeOf({ storeId: 4, shard: null, pool: null }) })).toBeUndefined();
    expect(conditionFor({ segmentIds: [7, 8] })).toBeUndefined();
    expect(conditionFor({ segmentIds: [7], patches: [7] })).toBeUndefined();
    expect(conditionFor({ cuts: [{ segmentId: 7, beforeUpload: 3 }] })).toBeUndefined();
  });
});

import { buffer } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStorageSweep } from '../../../src/compose/sweep.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import type { NamedColumn } from '../../../src/model/column.js';
import type { Place } from '../../../src/model/version.js';
import { ensureDatabase } from '../../../src/rows/ddl.js';
import { createInventory } from '../../../src/rows/inventory.js';
import { insideOf, placeOf, placeSql } from '../../../src/rows/place.js';
import { register } from '../../../src/rows/register.js';
import { segmentsOf } from '../../../src/rows/segment-ranges.js';
import { holdEmpty } from '../../../src/rows/stores.js';
import { createTidy } from '../../../src/rows/sweep.js';
import { createRowTables, type RowTables } from '../../../src/rows/tables.js';
import { type ClickHouse, createClickHouse } from '../../../src/storage/clickhouse/client.js';
import { inTransaction } from '../../../src/storage/postgres/sql.js';
import { isStoreJoined } from '../../../src/uploads/lifecycle/store-writers.js';
import {
  type Client,
  call,
  createDataset,
  download,
  json,
  type ProcessAnswer,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { leasesOf } from '../../support/leases.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { recordSql } from '../../support/records.js';
import { countRows } from '../../support/stored-rows.js';
import { uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({
    poolMaxRows: '40',
    firstChunkBytes: '4096',
    chunkBytes: '4096',
    sweepIntervalMs: '200',
    segmentGraceMs: '0',
    poolDropIntervalMs: '0',
    compactionMinSegments: '0',
    patchFoldMinPercent: '0',
  });
  const { key } = await product.createAccount('ada');
  owner = { baseUrl: product.baseUrl, key };
});

afterAll(() => product.close());

const send = async (dataset: number, content: string, mode = 'replace'): Promise<ProcessAnswer> => {
  const done = await uploadWith(owner, dataset, content, { mode });
  if (done.status !== 'completed') throw new Error(JSON.stringify(done));
  return done;
};

/** Tables of the segments of each version, oldest version first. */
const placesOf = async (dataset: number): Promise<string[]> => {
  const rows = await product.sql.query<{ id: number; place: Place }>(
    `SELECT v.id, ${placeSql('g')} AS place FROM versions v JOIN LATERAL (${segmentsOf('v.dataset_id', 'v.id')}) s ON true
       JOIN segments g ON g.id = s.segment_id WHERE v.dataset_id = $1 ORDER BY v.id, g.id`,
    [dataset],
  );
  const versions = new Map<number, Set<string>>();
  for (const { id, place } of rows) {
    const places = versions.get(id) ?? new Set();
    versions.set(id, places.add(insideOf(place).pool?.pool ?? 'table'));
  }
  return [...versions.values()].map((places) => [...places].join(' and '));
};

const tableNames = async (): Promise<string[]> => {
  const text = await product.clickhouse(
    `SELECT name FROM system.tables WHERE database = '${product.config.clickhouseDatabase}' ORDER BY name`,
  );
  return text.split('\n').filter((name) => name !== '');
};

const storeOf = async (dataset: number): Promise<number> => {
  const [row] = await product.sql.query<{ id: number }>('SELECT store_id AS id FROM datasets WHERE id = $1', [
    dataset,
  ]);
  return row?.id ?? 0;
};

/** A value of every physical type, in three rows. */
const everyType = [
  'day,far,text,double,short,long,nothing',
  '2024-01-02,0999-05-06,"a ""b"", c",1.5,12345678901234567890.12,1234567890123456789012345678901234567890.5,',
  '1899-12-31,2300-01-01,,-0.1,-1.01,0.000000000000000000000000000001,',
  ',,x,,,,',
  '',
].join('\n');
const everyTypeShown = [
  '"day","far","text","double","short","long","nothing"',
  '"2024-01-02","0999-05-06","a ""b"", c",1.5,12345678901234567890.12,1234567890123456789012345678901234567890.5,',
  '"1899-12-31","2300-01-01",,-0.1,-1.01,0.000000000000000000000000000001,',
  ',,"x",,,,',
  '',
].join('\n');

const rowsFrom = (first: number, count: number): string =>
  `k,v\n${Array.from({ length: count }, (_, at) => `key ${first + at},${first + at}.25\n`).join('')}`;
const shown = (count: number): string =>
  `"k","v"\n${Array.from({ length: count }, (_, at) => `"key ${at}",${at}.25\n`).join('')}`;

describe('a small dataset', () => {
  it('is stored in a pool with values of any type, and reads back unchanged', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, everyType);
    expect(await placesOf(dataset)).toEqual(['medium']);
    expect(await tableNames()).not.toContain(`s${await storeOf(dataset)}`);
    expect(await download(owner, dataset)).toBe(everyTypeShown);
    for (const format of ['csv', 'tsv', 'json', 'xlsx', 'parquet', 'arrow'])
      expect((await call(owner, 'GET', `/datasets/${dataset}/data?$format=${format}&$skip=0`)).status).toBe(
        200,
      );
    const long = '1234567890123456789012345678901234567890.5';
    expect(
      await download(owner, dataset, `?$filter=${encodeURIComponent(`long eq ${long}`)}&$select=text`),
    ).toBe('"day","far","text"\n"2024-01-02","0999-05-06","a ""b"", c"\n');
  });

  it('is replaced, appended to, upserted and restored there', async () => {
    const dataset = await createDataset(owner);
    const first = await send(dataset, rowsFrom(0, 3));
    await send(dataset, rowsFrom(3, 3), 'append');
    await send(dataset, 'k,v\nkey 1,100\nkey 6,6.25\n', 'upsert');
    const lines = shown(7).replace('"key 1",1.25', '"key 1",100');
    expect(await download(owner, dataset)).toBe(lines);
    await json(await call(owner, 'POST', `/datasets/${dataset}/versions/${first.versionId}/restore`), 201);
    expect(await download(owner, dataset)).toBe(shown(3));
    await send(dataset, rowsFrom(3, 1), 'append');
    expect(await download(owner, dataset)).toBe(shown(4));
    expect(await placesOf(dataset)).toEqual(['narrow', 'narrow', 'narrow', 'narrow', 'narrow']);
  });

  it('gets new columns and wider types with its appends', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, 'k,v\na,1\n');
    await send(dataset, 'k,w\nb,2\n', 'append');
    await send(dataset, 'k,v,w\nc,12345678901234567890.5,3\n', 'append');
    expect(await download(owner, dataset)).toBe(
      '"k","v","w"\n"a",1,\n"b",,2\n"c",12345678901234567890.5,3\n',
    );
    expect(new Set(await placesOf(dataset))).toEqual(new Set(['narrow']));
  });

  it('moves to a larger class when its columns outgrow the smaller one', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, 'k,v\na,1\n');
    const names = Array.from({ length: 9 }, (_, at) => `n${at}`);
    await send(dataset, `k,${names.join(',')}\nb,${names.map((_, at) => at).join(',')}\n`, 'append');
    expect(await placesOf(dataset)).toEqual(['narrow', 'medium']);
    expect(await download(owner, dataset)).toBe(
      `"k","v",${names.map((name) => `"${name}"`).join(',')}\n"a",1${','.repeat(9)}\n"b",,0,1,2,3,4,5,6,7,8\n`,
    );
  });

  it('that has more columns than any class has a table of its own', async () => {
    const dataset = await createDataset(owner);
    const names = Array.from({ length: 80 }, (_, at) => `n${at}`);
    await send(dataset, `${names.join(',')}\n${names.map((_, at) => at).join(',')}\n`);
    expect(await placesOf(dataset)).toEqual(['table']);
    expect((await download(owner, dataset)).split('\n')[1]).toBe(names.map((_, at) => at).join(','));
  });
});

describe('a dataset that outgrows its pool', () => {
  it('moves to a table of its own with its next append; old versions stay where they are', async () => {
    const dataset = await createDataset(owner);
    const first = await send(dataset, rowsFrom(0, 30));
    await send(dataset, rowsFrom(30, 15), 'append');
    expect(await placesOf(dataset)).toEqual(['narrow', 'table']);
    expect(await download(owner, dataset)).toBe(shown(45));
    const last = await send(dataset, rowsFrom(45, 2), 'append');
    expect(await placesOf(dataset)).toEqual(['narrow', 'table', 'table']);
    expect(await download(owner, dataset)).toBe(shown(47));
    expect(await download(owner, dataset, `?versionId=${first.versionId}&$skip=0`)).toBe(shown(30));
    const diff = await json<{ added: number; removed: number; changed: number }>(
      await call(owner, 'GET', `/datasets/${dataset}/versions/${first.versionId}/diff/${last.versionId}`),
    );
    expect(diff).toMatchObject({ added: 17, removed: 0, changed: 0 });
  });

  it('has its rows replaced in its table', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, rowsFrom(0, 60));
    expect(await placesOf(dataset)).toEqual(['table']);
    await send(dataset, 'k,v\nkey 7,70\nkey 60,60.25\n', 'upsert');
    expect(await download(owner, dataset)).toBe(shown(61).replace('"key 7",7.25', '"key 7",70'));
    expect(await placesOf(dataset)).toEqual(['table', 'table']);
  });

  it('returns to a pool when a small file replaces it, and its clone stays in the table', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, rowsFrom(0, 60));
    const home = await json<{ id: number }>(await call(owner, 'GET', '/repositories/home'));
    const clone = await json<{ id: number }>(
      await call(owner, 'POST', `/datasets/${dataset}/clone`, {
        repositoryId: home.id,
        name: `clone ${dataset}`,
      }),
      201,
    );
    await send(dataset, rowsFrom(0, 2));
    await send(clone.id, rowsFrom(60, 1), 'append');
    expect(await placesOf(dataset)).toEqual(['table', 'narrow']);
    expect(await download(owner, dataset)).toBe(shown(2));
    expect(await download(owner, clone.id)).toBe(shown(61));
  });

  it('of several chunks leaves no staging table', async () => {
    const dataset = await createDataset(owner);
    const { rows } = await upload(owner, dataset, rowsFrom(0, 2_000));
    expect(rows).toBe(2_000);
    expect(await download(owner, dataset)).toBe(shown(2_000));
    expect((await tableNames()).filter((name) => /^[ua]\d/.test(name))).toEqual([]);
    const [window] = (
      await product.clickhouse(
        `SELECT create_table_query FROM system.tables
         WHERE database = '${product.config.clickhouseDatabase}' AND name = 's${await storeOf(dataset)}'`,
      )
    ).match(/non_replicated_deduplication_window = \d+/) ?? [''];
    expect(window).toBe('non_replicated_deduplication_window = 0');
  });
});

describe('the comparison of both databases', () => {
  let clickhouse: ClickHouse;
  let pool: string;

  beforeAll(() => {
    const { clickhouseUrl, clickhouseDatabase } = product.config;
    clickhouse = createClickHouse({ url: clickhouseUrl ?? '', database: clickhouseDatabase });
    pool = `${clickhouseDatabase}.pool_narrow`;
  });
  afterAll(() => clickhouse.close());

  /** Runs a sweep. Counts the segment lists that were read. */
  const sweep = async () => {
    let lists = 0;
    for await (const _ of createInventory(product.sql, clickhouse).compare()) lists += 1;
    const { orphanSegments, missingSegments } = await createTidy({
      sql: product.sql,
      clickhouse,
      tables: createRowTables(clickhouse),
      leases: leasesOf(product.sql),
      poolDropIntervalMs: 0,
      graceMs: 0,
      isBeingRead: isStoreJoined,
      log: silentLog,
    }).sweep();
    return { orphans: orphanSegments, missing: missingSegments, lists };
  };
  const newest = async (dataset: number): Promise<number> => {
    const [row] = await product.sql.query<{ id: number }>(
      'SELECT max(segment_id) AS id FROM segment_ranges WHERE dataset_id = $1',
      [dataset],
    );
    return row?.id ?? 0;
  };
  const erase = (condition: string): Promise<string> =>
    product.clickhouse(`DELETE FROM ${pool} WHERE ${condition} SETTINGS lightweight_deletes_sync = 1`);

  it('lists no segments while the sums of both databases agree', async () => {
    for (const rows of [5, 6, 7, 60, 61]) await send(await createDataset(owner), rowsFrom(0, rows));
    await expect.poll(sweep, { interval: 200 }).toEqual({ orphans: 0, missing: 0, lists: 0 });
  });

  it('finds segments in own tables that only one database has or whose row counts differ', async () => {
    const [less, gone] = [await createDataset(owner), await createDataset(owner)];
    for (const dataset of [less, gone]) await send(dataset, rowsFrom(0, 60));
    const tableOf = async (dataset: number): Promise<string> =>
      `${clickhouse.database}.s${await storeOf(dataset)}`;
    const [short, lost] = [await newest(less), await newest(gone)];
    await product.clickhouse(
      `ALTER TABLE ${await tableOf(less)} DELETE WHERE ${recordSql} = 5 SETTINGS mutations_sync = 1`,
    );
    await product.clickhouse(`ALTER TABLE ${await tableOf(gone)} DROP PARTITION ${lost}`);
    // Rows of a segment in the table of another store, and rows of none.
    await product.clickhouse(`INSERT INTO ${await tableOf(gone)} (_seg, _row) VALUES (${short}, 5)`);
    await product.clickhouse(`INSERT INTO ${await tableOf(gone)} (_seg, _row) VALUES (${lost + 1}, 0)`);
    expect(await sweep()).toMatchObject({ orphans: 2, missing: 2 });
    expect(await sweep()).toMatchObject({ orphans: 0, missing: 2 });
    for (const dataset of [less, gone])
      expect((await call(owner, 'DELETE', `/datasets/${dataset}`)).status).toBe(204);
    await expect.poll(async () => (await sweep()).lists, { interval: 200 }).toBe(0);
  });

  it('finds segments in pools that only one database has or whose row counts differ', async () => {
    const [less, more, gone] = [
      await createDataset(owner),
      await createDataset(owner),
      await createDataset(owner),
    ];
    for (const dataset of [less, more, gone]) await send(dataset, rowsFrom(0, 6));
    const [short, long, lost] = [await newest(less), await newest(more), await newest(gone)];
    await erase(`_seg = ${short} AND ${recordSql} = 5`);
    await erase(`_seg = ${lost}`);
    // The total row count is unchanged.
    await product.clickhouse(`INSERT INTO ${pool} (_seg, _row) SELECT ${long}, 100 + number FROM numbers(6)`);
    await product.clickhouse(`INSERT INTO ${pool} (_seg, _row) VALUES (${lost + 1}, 0)`);
    expect(await sweep()).toMatchObject({ orphans: 1, missing: 3 });
    expect(await sweep()).toMatchObject({ orphans: 0, missing: 3 });
    for (const dataset of [less, more, gone]) {
      expect((await call(owner, 'DELETE', `/datasets/${dataset}`)).status).toBe(204);
    }
    await expect.poll(async () => (await sweep()).lists, { interval: 200 }).toBe(0);
  });
});

describe('rows of a pool', () => {
  const rowsIn = async (pool: string, segment: number): Promise<number> =>
    Number(
      await product.clickhouse(
        `SELECT count() FROM ${product.config.clickhouseDatabase}.pool_${pool} WHERE _seg = ${segment}`,
      ),
    );
  const segmentOf = async (dataset: number): Promise<number> => {
    const [row] = await product.sql.query<{ id: number }>(
      `SELECT segment_id AS id FROM segment_ranges WHERE dataset_id = $1 AND until_version IS NULL`,
      [dataset],
    );
    return row?.id ?? 0;
  };

  it('are deleted with their dataset; rows of other datasets stay', async () => {
    const [gone, kept] = [await createDataset(owner), await createDataset(owner)];
    await send(gone, rowsFrom(0, 5));
    await send(kept, rowsFrom(0, 6));
    const segment = await segmentOf(gone);
    expect(await rowsIn('narrow', segment)).toBe(5);
    expect((await call(owner, 'DELETE', `/datasets/${gone}`)).status).toBe(204);
    await expect.poll(() => rowsIn('narrow', segment), { interval: 200 }).toBe(0);
    expect(await download(owner, kept)).toBe(shown(6));
  });

  it('are not returned if some are missing or duplicate', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, rowsFrom(0, 5));
    const segment = await segmentOf(dataset);
    const pool = `${product.config.clickhouseDatabase}.pool_narrow`;
    await product.clickhouse(`INSERT INTO ${pool} (_seg, _row) VALUES (${segment}, 5)`);
    const answer = await call(owner, 'GET', `/datasets/${dataset}/data?$skip=0`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: 'version_gone' });
    await product.clickhouse(
      `DELETE FROM ${pool} WHERE _seg = ${segment} AND ${recordSql} >= 4 SETTINGS lightweight_deletes_sync = 1`,
    );
    expect((await call(owner, 'GET', `/datasets/${dataset}/data?$skip=0`)).status).toBe(503);
    expect((await readDataset(owner, dataset)).rowCount).toBe(5);
  });
});

describe('the table of a dataset whose rows are all in a pool', () => {
  const sweep = async (): Promise<void> => {
    const scope = createScope(silentLog);
    const run = await openStorageSweep({ config: product.config, log: silentLog, scope, sql: product.sql });
    await run().finally(() => scope.close());
  };

  it('is dropped with the last version that has rows in it, and created again when they outgrow the pool', async () => {
    const dataset = await createDataset(owner);
    const table = `s${await storeOf(dataset)}`;
    const large = await send(dataset, rowsFrom(0, 60));
    await send(dataset, rowsFrom(0, 10));
    expect(await placesOf(dataset)).toEqual(['table', 'narrow']);
    await sweep();
    expect(await download(owner, dataset, `?versionId=${large.versionId}&$skip=0`)).toBe(shown(60));
    const deleted = await call(owner, 'DELETE', `/datasets/${dataset}/versions/${large.versionId}`);
    expect(deleted.status).toBe(204);
    await sweep();
    expect(await tableNames()).not.toContain(table);
    expect(await download(owner, dataset, '?$skip=0')).toBe(shown(10));
    await send(dataset, rowsFrom(10, 60), 'append');
    expect(await placesOf(dataset)).toEqual(['narrow', 'table']);
    expect(await download(owner, dataset, '?$skip=0')).toBe(shown(70));
  });
});

describe('the table of a store', () => {
  const storeId = 1;
  const table = { storeId, shard: 1 };
  const place = placeOf({ ...table, pool: null });
  const price = { name: 'c1_f', physical: 'f' } as const;
  const amount = { name: 'c2_f', physical: 'f' } as const;
  let clickhouse: ClickHouse;
  // Sweeps of the product would drop the tables of these tests as orphaned.
  beforeAll(async () => {
    const { clickhouseUrl, clickhouseDatabase } = product.config;
    clickhouse = createClickHouse({ url: clickhouseUrl ?? '', database: `${clickhouseDatabase}_tables` });
    await ensureDatabase(clickhouse);
  });
  afterAll(async () => {
    await clickhouse.command(`DROP DATABASE ${clickhouse.database}`);
    await clickhouse.close();
  });

  /** Inserts a row of an upload of several chunks. */
  const insert = async (tables: RowTables, segment: number, columns: readonly NamedColumn[]) => {
    const { body } = await clickhouse.send({
      body: `SELECT toUInt64(${segment}) AS _seg, toUInt64(0) AS _row, toNullable(0.5) AS c1_f FORMAT Native`,
      contentType: 'text/plain',
      search: {},
      queryId: crypto.randomUUID(),
      signal: new AbortController().signal,
    });
    const block = [await buffer(body)];
    const chunk = { columns, block, rows: 1, token: 'first', queryId: crypto.randomUUID() };
    await tables.insert({ segment, place }, chunk);
  };

  /** Two processes: the second has dropped a table that the first has cached. */
  const droppedByAnother = async () => {
    const [one, another] = [createRowTables(clickhouse), createRowTables(clickhouse)];
    await insert(one, 1, [price]);
    await another.dropOwnTable(storeId);
    return { one, another };
  };

  it('is created again by a process that has cached it before another one dropped it', async () => {
    const { one } = await droppedByAnother();
    await insert(one, 2, [price]);
    expect([await one.listOwnTables(), await one.listStaging()]).toEqual([[{ storeId, shard: 1 }], [1, 2]]);
    await createRowTables(clickhouse).dropOwnTable(storeId);
    await insert(one, 3, [price, amount]);
    expect(await one.columnNames(table)).toEqual(['c1_f', 'c2_f']);
    for (const segmentId of [1, 2, 3]) await one.dropStaging(segmentId);
  });

  it('accepts a repeated insert after it was created again with other columns', async () => {
    const { one, another } = await droppedByAnother();
    await another.ensure(place, [amount]);
    await expect(insert(one, 4, [price])).rejects.toThrow('c1_f');
    await insert(one, 4, [price]);
    await one.promote({ segment: 4, place }, 1);
    expect(await countRows(clickhouse, place, 4)).toBe(1);
    expect(await one.columnNames(table)).toEqual(expect.arrayContaining(['c1_f', 'c2_f']));
  });

  it('stays when a segment is added to it while a sweep is about to drop it', async () => {
    const dataset = await createDataset(owner);
    const store = await storeOf(dataset);
    const sweeper = new pg.Client({ connectionString: product.config.databaseUrl });
    await sweeper.connect();
    await sweeper.query('BEGIN');
    let held: Promise<boolean> | undefined;
    await product.sql.tx(async (tx) => {
      await tx.query(
        `INSERT INTO processes (id, dataset_id, upload_number, created_by, request_id, status) OVERRIDING SYSTEM VALUE
         SELECT 987654, id, 1, created_by, 'held', 'completed' FROM datasets WHERE id = $1`,
        [dataset],
      );
      await register(tx, { id: 987_654_321, processId: 987_654, storeId: store }, {});
      held = holdEmpty(inTransaction(sweeper), store);
      await expect
        .poll(() =>
          product.sql.query(
            `SELECT 1 AS one FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM stores%FOR UPDATE%'`,
          ),
        )
        .toEqual([{ one: 1 }]);
    });
    expect(await held).toBe(false);
    await sweeper.end();
    await product.sql.query('DELETE FROM segments WHERE id = 987654321');
    expect(await product.sql.tx((tx) => holdEmpty(tx, store))).toBe(true);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { placeOf } from '../../../src/rows/place.js';
import { createRowTables } from '../../../src/rows/tables.js';
import { createClickHouse } from '../../../src/storage/clickhouse/client.js';
import { type Client, createDataset, download, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { countRows } from '../../support/stored-rows.js';
import { uploadWith } from '../../support/upload-options.js';
import { createUnsteadyProxy, type Mischief, type UnsteadyProxy } from './unsteady-proxy.js';

let proxy: UnsteadyProxy;
let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  proxy = await createUnsteadyProxy(inject('clickhouseUrl'));
  product = await startProduct({
    poolMaxRows: '0',
    clickhouseUrl: proxy.url,
    firstChunkBytes: '1024',
    chunkBytes: '4096',
    sweepIntervalMs: '300',
  });
  owner = await product.createAccount('owner');
});

afterAll(async () => {
  await product?.close();
  await proxy?.close();
});

beforeEach(() => {
  proxy.slow(0, Number.POSITIVE_INFINITY);
  proxy.play('lose_answer', 0);
});

const lines = Array.from({ length: 1_500 }, (_, row) => `${row},"text ${row}"`);
const file = `a,b\n${lines.join('\n')}\n`;
const shown = `"a","b"\n${lines.join('\n')}\n`;

/** Number of rows in the dataset's table, referenced by a version or not. */
const storedRows = async (dataset: number): Promise<number> => {
  const [row] = await product.sql.query<{ storeId: number }>(
    'SELECT store_id AS "storeId" FROM datasets WHERE id = $1',
    [dataset],
  );
  return Number(
    await product.clickhouse(`SELECT count() FROM ${product.config.clickhouseDatabase}.s${row?.storeId}`),
  );
};

const cases: [what: string, mischief: Mischief][] = [
  ['answers to inserts are lost', 'lose_answer'],
  ['connections break in the middle of the rows', 'break_request'],
];

describe('a ClickHouse server behind a bad connection', () => {
  it.each(cases)('stores every record once when %s', async (_what, mischief) => {
    const dataset = await createDataset(owner);
    const before = proxy.done;
    proxy.play(mischief, 6);
    const done = await upload(owner, dataset, file);
    expect(done).toMatchObject({ status: 'completed', rows: lines.length, progress: { attempt: 1 } });
    expect(proxy.done - before).toBe(6);
    expect(await storedRows(dataset)).toBe(lines.length);
    expect(await download(owner, dataset)).toBe(shown);
  });

  it('stores the rows of an append once when its answers are lost', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, file);
    proxy.play('lose_answer', 2);
    const before = proxy.done;
    const long = '12345678901234567890.25';
    const done = await uploadWith(owner, dataset, `a,b\n${long},z\n`, { mode: 'append' });
    expect(done).toMatchObject({ status: 'completed' });
    expect(proxy.done - before).toBe(2);
    expect(await download(owner, dataset)).toBe(`${shown}${long},"z"\n`);
  });

  it('does not fail uploads with slow answers or truncate downloads with trickling ones', async () => {
    const dataset = await createDataset(owner);
    proxy.slow(120, 64);
    const small = 'a,b\n1,x\n2,y\n';
    expect(await upload(owner, dataset, small)).toMatchObject({ status: 'completed', rows: 2 });
    proxy.slow(1, 7);
    expect(await download(owner, dataset)).toBe('"a","b"\n1,"x"\n2,"y"\n');
  });

  it('stores the rows of an insert without an answer once when it is repeated', async () => {
    // The worker's sweep would drop the table below as orphaned.
    await product.stopWorker();
    const clickhouse = createClickHouse({ url: proxy.url, database: product.config.clickhouseDatabase });
    const tables = createRowTables(clickhouse);
    const impatient = createRowTables(clickhouse, { insertTimeoutMs: 500 });
    const store = 999_999_999;
    const columns = [{ name: 'c1_s', physical: 's' as const }];
    const place = placeOf({ storeId: store, shard: 1, pool: null });
    // One row: segment 1001, position 0, the text "x".
    const block = [
      Buffer.from([3, 1]),
      Buffer.from('\x04_seg\x06UInt64\xe9\x03\0\0\0\0\0\0', 'latin1'),
      Buffer.from('\x04_row\x06UInt64\0\0\0\0\0\0\0\0', 'latin1'),
      Buffer.from('\x04c1_s\x10Nullable(String)\0\x01x', 'latin1'),
    ];
    const to = { segment: 1001, place };
    const insert = (token: string, into = tables) =>
      into.insert(to, {
        columns,
        block,
        rows: 1,
        token,
        queryId: crypto.randomUUID(),
      });
    // Creates the table, so that the proxy drops the answer to the next insert.
    await insert('1/1/0');
    proxy.play('say_nothing', 1);
    await expect(insert('1/1/1', impatient)).rejects.toMatchObject({ code: 'store_unavailable' });
    // It may have been given up before the proxy saw it.
    proxy.play('say_nothing', 0);
    await insert('1/1/1');
    await tables.promote(to, 2);
    expect(await countRows(clickhouse, place, 1001)).toBe(2);
    await tables.dropStaging(1001);
    await tables.dropOwnTable(store);
    await clickhouse.close();
  });
});

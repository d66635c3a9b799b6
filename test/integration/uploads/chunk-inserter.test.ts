import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import type { Chunk } from '../../../src/model/chunk.js';
import { segmentId } from '../../../src/model/version.js';
import { insideOf } from '../../../src/rows/place.js';
import { createWrite } from '../../../src/rows/write.js';
import { type ClickHouse, createClickHouse } from '../../../src/storage/clickhouse/client.js';
import { createChunkReader } from '../../../src/storage/kafka/chunk-reader.js';
import { createTopicReader } from '../../../src/storage/kafka/topic-reader.js';
import { createChunkInserter } from '../../../src/uploads/insert/chunk-inserter.js';
import { createChunkRecords } from '../../../src/uploads/lifecycle/chunk-records.js';
import { createProcessRecords, requireLayout } from '../../../src/uploads/lifecycle/process-records.js';
import { type Client, createDataset, upload } from '../../support/datasets.js';
import { connectKafka } from '../../support/kafka.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;
let clickhouse: ClickHouse;

beforeAll(async () => {
  product = await startProduct({
    firstChunkBytes: '512',
    chunkBytes: '2048',
    // The table of the second attempt belongs to no upload, so a sweep would drop it.
    sweepIntervalMs: '86400000',
  });
  owner = await product.createAccount('owner');
  clickhouse = createClickHouse({
    url: product.config.clickhouseUrl ?? '',
    database: product.config.clickhouseDatabase,
  });
});

afterAll(async () => {
  await clickhouse?.close();
  await product?.close();
});

const rows = 2_000;
const file = `number,text\n${Array.from({ length: rows }, (_, row) => `${row},text ${row}\n`).join('')}`;

it('concurrent chunks are stored, each with its own rows', async () => {
  const { id } = await upload(owner, await createDataset(owner), file);
  const processes = createProcessRecords(product.sql);
  const state = await processes.state(id);
  if (state === undefined) expect.unreachable('the upload has a process');
  const layout = await requireLayout(processes, id);
  const groupPrefix = product.config.kafkaPrefix;
  const reader = createChunkReader(
    createTopicReader({ kafka: connectKafka(groupPrefix), groupPrefix, log: silentLog }),
  );
  const chunks: Chunk[] = [];
  await reader.read(state, await createChunkRecords(product.sql).positions(id), async (chunk) => {
    chunks.push(chunk);
    return 'next';
  });
  expect(chunks.length).toBeGreaterThan(10);

  const write = createWrite(clickhouse);
  const inserter = createChunkInserter({ write, log: silentLog, onInserted: () => undefined });
  const again = { ...state, attempt: 2 };
  await Promise.all(chunks.map((chunk) => inserter.insert(again, layout, chunk)));

  const stored = (table: string, segment: number): Promise<string> =>
    product.clickhouse(
      `SELECT * EXCEPT (_seg) FROM ${product.config.clickhouseDatabase}.${table} WHERE _seg = ${segment} ORDER BY _row`,
    );
  const segment = segmentId(id, 2);
  const expected = await stored(`s${insideOf(state.place).storeId}`, segmentId(id, 1));
  expect(expected.split('\n').length).toBeGreaterThanOrEqual(rows);
  expect(await stored(`u${segment}`, segment)).toBe(expected);
});

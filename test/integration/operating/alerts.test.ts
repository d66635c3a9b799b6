/** Alerts fire when their thing is broken on the real product, and end when it is mended. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiProcess } from '../../../src/compose/api-process.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { clientOf } from '../../../src/storage/kafka/kafkajs/client.js';
import { expectToFire, type Scrape, scrape } from '../../support/alerts.js';
import {
  type Client,
  createDataset,
  ended,
  json,
  type ProcessAnswer,
  putFile,
} from '../../support/datasets.js';
import { connectKafka } from '../../support/kafka.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct(
    {
      watchIntervalMs: '100',
      poolMaxRows: '0',
      firstChunkBytes: '4096',
      chunkBytes: '4096',
    },
    silentLog,
  );
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

const api = (): string => product.baseUrl.replace(/\/api$/, '');

const valuesOf = (samples: Scrape, name: string): number[] =>
  samples.filter((sample) => sample.name === name).map(({ value }) => value);

/** The first scrape of the API process of which it is true. */
const when = async (wanted: (samples: Scrape) => boolean): Promise<Scrape> => {
  for (;;) {
    const samples = await scrape([api()]);
    if (wanted(samples)) return samples;
    await sleep(100);
  }
};

const sumOf = (samples: Scrape, name: string): number =>
  valuesOf(samples, name).reduce((sum, value) => sum + value, 0);

const whole = (): Promise<Scrape> =>
  when(
    (samples) =>
      sumOf(samples, 'tabulary_consumer_group_members') > 0 &&
      sumOf(samples, 'tabulary_consumer_lag_messages') === 0 &&
      sumOf(samples, 'tabulary_uploads_pending') === 0,
  );

it('no worker, lag, the oldest pending upload: a worker that is away, an upload and a message that wait for it', async () => {
  const healthy = await whole();
  await product.stopWorker();
  const dataset = await createDataset(owner);
  const upload = await json<ProcessAnswer>(await putFile(owner, dataset, 'a\n1\n'), 201);
  // It was accepted an hour ago, and ten minutes ago somebody wrote nonsense into the lane of long uploads.
  await product.sql.query(`UPDATE processes SET created_at = created_at - interval '1 hour' WHERE id = $1`, [
    upload.id,
  ]);
  const producer = clientOf(connectKafka('alerts-test')).producer();
  await producer.connect();
  await producer.send({
    topic: `${product.config.kafkaPrefix}.chunks.bulk`,
    messages: [{ partition: 0, value: Buffer.from('nonsense'), timestamp: String(Date.now() - 600_000) }],
  });
  await producer.disconnect();
  const broken = await when(
    (samples) =>
      valuesOf(samples, 'tabulary_consumer_group_members').some((members) => members === 0) &&
      valuesOf(samples, 'tabulary_consumer_lag_seconds').some((seconds) => seconds > 300) &&
      valuesOf(samples, 'tabulary_uploads_oldest_pending_seconds').some((seconds) => seconds > 1800),
  );

  await product.startWorker();
  expect(await ended(owner, upload)).toMatchObject({ status: 'completed' });
  const mended = await whole();
  for (const alert of ['TabularyNoWorker', 'TabularyConsumerLag', 'TabularyOldestPendingUpload'])
    await expectToFire({ alert, healthy, broken, mended });

  // The nonsense has become a dead letter, until somebody decides.
  const waiting = await when((samples) => sumOf(samples, 'tabulary_dead_letters_waiting') === 1);
  await product.sql.query(`UPDATE dead_letters SET state = 'dropped'`);
  const settled = await when((samples) => sumOf(samples, 'tabulary_dead_letters_waiting') === 0);
  await expectToFire({ alert: 'TabularyDeadLetters', healthy, broken: waiting, mended: settled });
});

it('many parts: a table whose parts are not merged', async () => {
  const { clickhouseDatabase } = product.config;
  const healthy = await whole();
  const table = `${clickhouseDatabase}.filler`;
  await product.clickhouse(`CREATE TABLE ${table} (n UInt64) ENGINE = MergeTree ORDER BY n`);
  await product.clickhouse(`SYSTEM STOP MERGES ${table}`);
  await product.clickhouse(
    `INSERT INTO ${table} SELECT number FROM numbers(720)
     SETTINGS max_block_size = 1, min_insert_block_size_rows = 1, min_insert_block_size_bytes = 1, max_insert_threads = 1`,
  );
  const broken = await when((samples) => sumOf(samples, 'tabulary_store_parts_per_partition') > 700);
  await product.clickhouse(`DROP TABLE ${table} SYNC`);
  const mended = await when((samples) => sumOf(samples, 'tabulary_store_parts_per_partition') < 700);
  await expectToFire({ alert: 'TabularyManyParts', healthy, broken, mended });
});

it('disk: no test fills one, so its size is said to be twice what it is, and the limit lies between', async () => {
  const samples = await when((now) => sumOf(now, 'tabulary_store_disk_bytes') > 0);
  const [free = 0] = valuesOf(samples, 'tabulary_store_disk_free_bytes');
  const filled = samples.map((sample) =>
    sample.name === 'tabulary_store_disk_bytes' ? { ...sample, value: sample.value * 2 } : sample,
  );
  const [size = 0] = valuesOf(samples, 'tabulary_store_disk_bytes');
  const limit = String((0.75 * free) / size);
  await expectToFire(
    { alert: 'TabularyDiskFull', healthy: samples, broken: filled, mended: samples },
    (rules) => rules.replace('ratio < 0.15', `ratio < ${limit}`),
  );
});

it('version skew: processes of two versions', async () => {
  const healthy = await scrape([api()]);
  const earlier = createScope(silentLog);
  const { port } = await createApiProcess(product.config, silentLog, earlier, '0.0.1');
  const broken = await scrape([api(), `http://127.0.0.1:${port}`]);
  await earlier.close();
  const mended = await scrape([api()]);
  await expectToFire({ alert: 'TabularyVersionSkew', healthy, broken, mended });
});

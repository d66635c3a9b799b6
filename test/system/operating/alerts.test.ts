/** Alerts fire on real faults of the product and resolve after the repair. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { clientOf } from '../../../src/storage/kafka/kafkajs/client.js';
import { type GatewayWorld, startGatewayWorld } from '../../integration/gateway-http/world.js';
import { answerOf, formEnd, openUpload, partHead } from '../../integration/hostile/raw-upload.js';
import {
  expectToFire,
  type Scrape,
  sampleOf,
  scrape,
  scrapeUntil,
  sumOf,
  valuesOf,
} from '../../support/alerts.js';
import {
  authorization,
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  putFile,
  upload,
} from '../../support/datasets.js';
import { startFurther } from '../../support/further-process.js';
import { connectKafka } from '../../support/kafka.js';
import { testWith } from '../../support/optional-tools.js';
import type { TestProduct } from '../../support/product.js';

const it = await testWith('promtool');

let world: GatewayWorld;
let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  world = await startGatewayWorld({
    watchIntervalMs: '100',
    sweepIntervalMs: '200',
    poolMaxRows: '0',
    firstChunkBytes: '4096',
    chunkBytes: '1000000',
    providerKeys: 'fred=serviceserviceserviceservice0123',
    providerLimits: 'fred=3/day',
  });
  product = world.product;
  owner = await product.createAccount('owner');
});

afterEach(async () => {
  world.bank.answerAll(undefined);
  await product.clickhouse(`DROP TABLE IF EXISTS ${product.config.clickhouseDatabase}.filler SYNC`);
});
afterAll(() => world?.close());

const api = (): string => product.baseUrl.replace(/\/api$/, '');

/** Scrapes the API process until the condition holds. */
const scrapeApiUntil = (wanted: (samples: Scrape) => boolean): Promise<Scrape> =>
  scrapeUntil([api()], wanted);

const whole = (): Promise<Scrape> =>
  scrapeApiUntil(
    (samples) =>
      sumOf(samples, 'tabulary_consumer_group_members') > 0 &&
      sumOf(samples, 'tabulary_consumer_lag_messages') === 0 &&
      sumOf(samples, 'tabulary_uploads_pending') === 0,
  );

// Must run first, because the message with an old timestamp must be the first of its partition.
it('no worker, consumer lag, oldest pending upload: fire when the worker is down and an upload and a message are pending', async () => {
  const healthy = await whole();
  await product.stopWorker();
  const dataset = await createDataset(owner);
  const upload = await json<ProcessAnswer>(await putFile(owner, dataset, 'a\n1\n'), 201);
  // Backdates the upload by an hour and sends an invalid bulk message dated ten minutes ago.
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
  const broken = await scrapeApiUntil(
    (samples) =>
      valuesOf(samples, 'tabulary_consumer_group_members').some((members) => members === 0) &&
      valuesOf(samples, 'tabulary_consumer_lag_seconds').some((seconds) => seconds > 300) &&
      valuesOf(samples, 'tabulary_uploads_oldest_pending_seconds').some((seconds) => seconds > 1800),
  );

  await product.startWorker();
  expect(await ended(owner, upload)).toMatchObject({ status: 'completed' });
  const repaired = await whole();
  for (const alert of ['TabularyNoWorker', 'TabularyConsumerLag', 'TabularyOldestPendingUpload'])
    await expectToFire({ alert, healthy, broken, repaired });

  // The invalid message is a dead letter that waits for an operator.
  const waiting = await scrapeApiUntil((samples) => sumOf(samples, 'tabulary_dead_letters_waiting') === 1);
  await product.sql.query(`UPDATE dead_letters SET state = 'dropped'`);
  const settled = await scrapeApiUntil((samples) => sumOf(samples, 'tabulary_dead_letters_waiting') === 0);
  await expectToFire({ alert: 'TabularyDeadLetters', healthy, broken: waiting, repaired: settled });
});

it('answers broken: fires when ClickHouse aborts a query in the middle of a download', async () => {
  const healthy = await scrape([api()]);
  const dataset = await createDataset(owner);
  const rows = Array.from({ length: 5_000 }, (_, row) => `${row},${'x'.repeat(100)}\n`);
  expect((await upload(owner, dataset, `n,text\n${rows.join('')}`)).status).toBe('completed');
  // 200 MB, more than all buffers on the way.
  const longer = Array.from({ length: 8 }, (_, at) => `compute(concat(t${at},t${at}) as t${at + 1})`);
  const apply = ['compute(concat(text,text) as t0)', ...longer].join('/');
  const path = `/datasets/${dataset}/data?$apply=${encodeURIComponent(apply)}`;
  const request = get(`${owner.baseUrl}${path}`, { headers: authorization(owner.key) });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  answer.on('error', () => undefined);
  expect(answer.statusCode).toBe(200);
  await product.clickhouse(
    `KILL QUERY WHERE current_database = '${product.config.clickhouseDatabase}' AND query LIKE '%concat%'
       AND query NOT LIKE '%KILL%' SYNC`,
  );
  answer.resume();
  if (!answer.closed) await new Promise((resolve) => answer.once('close', resolve));
  expect(answer.complete).toBe(false);
  const broken = await scrapeApiUntil(
    (samples) =>
      sampleOf(samples, 'tabulary_http_answers_broken_total', {
        route: '/api/datasets/{id}/data',
        reason: 'server',
      }) === 1,
  );
  const again = await call(owner, 'GET', `/datasets/${dataset}/data?$filter=${encodeURIComponent('n lt 7')}`);
  expect((await again.text()).trim().split('\n')).toHaveLength(8);
  await expectToFire({ alert: 'TabularyAnswersBroken', healthy, broken, repaired: await scrape([api()]) });
});

it('quota used up: fires after the last request of a day and resolves a day later without a request', async () => {
  const left = { provider: 'fred', span: 'day', key: 'service' };
  const leftIs = (wanted: number): Promise<Scrape> =>
    scrapeApiUntil((samples) => sampleOf(samples, 'tabulary_gateway_quota_left', left) === wanted);
  const healthy = await leftIs(3);
  const preview = await call(owner, 'GET', '/providers/fred/series/GDP');
  expect(preview.status).toBe(200);
  const broken = await leftIs(0);
  expect(await json(await call(owner, 'GET', '/providers/fred/quota'))).toMatchObject({
    quotas: [{ span: 'day', limit: 3, left: 0 }],
  });
  await product.sql.query(`UPDATE gateway_usage SET bucket = bucket - interval '1 day'`);
  const repaired = await leftIs(3);
  await expectToFire({ alert: 'TabularyQuotaUsedUp', healthy, broken, repaired });
});

it('upstream changed: fires when a provider answers in an unexpected format', async () => {
  const healthy = await scrape([api()]);
  world.bank.answerAll({ reply: '<html>We have a new site</html>' });
  const changed = await call(owner, 'GET', '/providers/bankofcanada/series/FXUSDCAD');
  expect(changed.status).toBe(502);
  const broken = await scrapeApiUntil(
    (samples) =>
      (sampleOf(samples, 'tabulary_gateway_unexpected_replies_total', { provider: 'bankofcanada' }) ?? 0) > 0,
  );
  world.bank.answerAll(undefined);
  await expectToFire({ alert: 'TabularyUpstreamChanged', healthy, broken, repaired: await scrape([api()]) });
});

it('segments miscounted: fires when ClickHouse loses rows of an upload, which is replayed', async () => {
  const healthy = await scrape([api(), product.workerUrl]);
  const dataset = await createDataset(owner);
  const rows = Array.from({ length: 40_000 }, (_, row) => `${row},text of row ${row}\n`);
  const file = Buffer.from(`${partHead}n,text\n${rows.join('')}${formEnd}`);
  const socket = await openUpload(owner, dataset, file.length, 'async=false');
  // Holds back the last bytes, so that the upload is still running when its first rows are lost.
  socket.write(file.subarray(0, -100));
  const database = product.config.clickhouseDatabase;
  const stagingTable = async (): Promise<string> =>
    (
      await product.clickhouse(
        `SELECT DISTINCT table FROM system.parts WHERE database = '${database}' AND active AND rows > 0 AND match(table, '^u[0-9]+$')`,
      )
    ).trim();
  await expect.poll(stagingTable, { interval: 50 }).not.toBe('');
  await product.clickhouse(`TRUNCATE TABLE ${database}.${await stagingTable()} SYNC`);
  socket.write(file.subarray(-100));
  expect(await answerOf(socket)).toContain('"status":"completed"');

  let broken: Scrape = [];
  const miscounted = async (): Promise<number> => {
    broken = await scrape([api(), product.workerUrl]);
    return sumOf(broken, 'tabulary_segments_miscounted_total');
  };
  await expect.poll(miscounted).toBe(1);
  expect((await download(owner, dataset)).split('\n')).toHaveLength(rows.length + 2);
  await expectToFire({ alert: 'TabularySegmentsMiscounted', healthy, broken, repaired: broken });
});

it('many parts: fires for a table whose parts are not merged', async () => {
  const { clickhouseDatabase } = product.config;
  const healthy = await whole();
  const table = `${clickhouseDatabase}.filler`;
  await product.clickhouse(`CREATE TABLE ${table} (n UInt64) ENGINE = MergeTree ORDER BY n`);
  await product.clickhouse(`SYSTEM STOP MERGES ${table}`);
  await product.clickhouse(
    `INSERT INTO ${table} SELECT number FROM numbers(720)
     SETTINGS max_block_size = 1, min_insert_block_size_rows = 1, min_insert_block_size_bytes = 1, max_insert_threads = 1`,
  );
  const broken = await scrapeApiUntil(
    (samples) => sumOf(samples, 'tabulary_store_parts_per_partition') > 700,
  );
  await product.clickhouse(`DROP TABLE ${table} SYNC`);
  const repaired = await scrapeApiUntil(
    (samples) => sumOf(samples, 'tabulary_store_parts_per_partition') < 700,
  );
  await expectToFire({ alert: 'TabularyManyParts', healthy, broken, repaired });
});

it('disk full: fires when the reported size of a disk doubles at the same free space', async () => {
  const samples = await scrapeApiUntil((now) => sumOf(now, 'tabulary_store_disk_bytes') > 0);
  const [free = 0] = valuesOf(samples, 'tabulary_store_disk_free_bytes');
  const filled = samples.map((sample) =>
    sample.name === 'tabulary_store_disk_bytes' ? { ...sample, value: sample.value * 2 } : sample,
  );
  const [size = 0] = valuesOf(samples, 'tabulary_store_disk_bytes');
  const limit = String((0.75 * free) / size);
  await expectToFire(
    { alert: 'TabularyDiskFull', healthy: samples, broken: filled, repaired: samples },
    (rules) => rules.replace('ratio < 0.15', `ratio < ${limit}`),
  );
});

it('version skew: fires while processes of two versions run', async () => {
  const healthy = await scrape([api()]);
  const earlier = await startFurther(product, 'api', { version: '0.0.1' });
  const broken = await scrape([api(), earlier.root]);
  await earlier.stop();
  const repaired = await scrape([api()]);
  await expectToFire({ alert: 'TabularyVersionSkew', healthy, broken, repaired });
});

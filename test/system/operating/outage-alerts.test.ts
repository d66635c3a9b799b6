/** Alerts on outages, refusals and backlog of the real product: they fire during the fault and resolve after the repair. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { formEnd, openUpload, partHead } from '../../integration/hostile/raw-upload.js';
import { expectToFire, type Scrape, sampleOf, scrape, scrapeUntil, valuesOf } from '../../support/alerts.js';
import {
  type Client,
  call,
  createDataset,
  ended,
  json,
  type ProcessAnswer,
  putFile,
} from '../../support/datasets.js';
import { type FurtherProcess, startFurther } from '../../support/further-process.js';
import { createGate, type Gate } from '../../support/gate.js';
import { configureChunkTopics } from '../../support/kafka.js';
import { testWith } from '../../support/optional-tools.js';
import { startProduct, type TestProduct } from '../../support/product.js';

const it = await testWith('promtool');

let product: TestProduct;
let further: FurtherProcess;
/** Gate between a second API process and PostgreSQL. */
let database: Gate;
let behindGate: Client;
let owner: Client;
let dataset: number;

const addressOf = (client: Client): string => client.baseUrl.replace(/\/api$/, '');

beforeAll(async () => {
  product = await startProduct({
    watchIntervalMs: '100',
    sweepIntervalMs: '200',
    backlogProbeMs: '100',
    maxBacklogSeconds: '86400',
    firstChunkBytes: '20000',
    chunkBytes: '20000',
  });
  owner = await product.createAccount('owner');
  await configureChunkTopics(product.config.kafkaPrefix, { 'retention.bytes': '300000' });
  database = await createGate(product.config.databaseUrl ?? '');
  further = await startFurther(product, 'api', { changes: { databaseUrl: database.url } });
  behindGate = { ...owner, baseUrl: further.baseUrl };
  dataset = await createDataset(owner);
});

afterAll(async () => {
  await further?.stop();
  await product?.close();
  await database?.close();
});

const allUp = (samples: Scrape): boolean => {
  const up = valuesOf(samples, 'tabulary_component_up');
  return up.length === 3 && up.every((value) => value === 1);
};

const databaseIsDown = (samples: Scrape): boolean =>
  sampleOf(samples, 'tabulary_component_up', { component: 'database' }) === 0;

it('component down, requests fail: fire while PostgreSQL is unreachable for an API process', async () => {
  const read = async (status: number): Promise<void> => {
    expect((await call(behindGate, 'GET', `/datasets/${dataset}`)).status).toBe(status);
  };
  await read(200);
  const healthy = await scrapeUntil([addressOf(behindGate)], allUp);
  database.shut();
  for (let count = 0; count < 5; count += 1) await read(503);
  const broken = await scrapeUntil([addressOf(behindGate)], databaseIsDown);
  database.open();
  await expect.poll(async () => (await call(behindGate, 'GET', `/datasets/${dataset}`)).status).toBe(200);
  // Failed polls belong to the outage.
  const back = await scrape([addressOf(behindGate)]);
  for (let count = 0; count < 5; count += 1) await read(200);
  const repaired = await scrapeUntil([addressOf(behindGate)], allUp);
  await expectToFire({ alert: 'TabularyComponentDown', healthy, broken, repaired });
  await expectToFire({ alert: 'TabularyRequestsFail', healthy, broken: back, repaired, rising: true });
});

it('backlog grows, uploads refused: fire when workers are down until the backlog nears the retention of Kafka', async () => {
  const backlogIs = (wanted: (share: number) => boolean) => (samples: Scrape) => {
    const shares = valuesOf(samples, 'tabulary_ingest_backlog_ratio');
    return shares.length > 0 && wanted(Math.max(...shares));
  };
  const isHigh = backlogIs((share) => share > 0.33);
  const api = [addressOf(owner)];
  const healthy = await scrapeUntil(
    api,
    backlogIs((share) => share === 0),
  );
  await product.stopWorker();
  const file = `text\n${Array.from({ length: 150 }, () => randomBytes(75).toString('base64')).join('\n')}\n`;
  const accepted: ProcessAnswer[] = [];
  for (;;) {
    const answer = await putFile(owner, dataset, file);
    if (answer.status !== 503) {
      accepted.push(await json<ProcessAnswer>(answer, 201));
      continue;
    }
    await answer.text();
    // Chunks that are sent during a probe count twice until the next one, so that an upload may be refused too early.
    if (isHigh(await scrape(api))) break;
  }
  const broken = await scrapeUntil(api, isHigh);
  await product.startWorker();
  for (const process of accepted) expect(await ended(owner, process)).toMatchObject({ status: 'completed' });
  const repaired = await scrapeUntil(
    api,
    backlogIs((share) => share === 0),
  );
  await expectToFire({ alert: 'TabularyBacklogGrows', healthy, broken, repaired });
  await expectToFire({ alert: 'TabularyUploadsRefused', healthy, broken, repaired });
});

it('uploads fail: fires when the process that receives an upload dies', async () => {
  const all = [addressOf(owner), product.workerUrl];
  const healthy = await scrape(all);
  const cut = await openUpload(owner, dataset, 100_000);
  cut.write(`${partHead}text\n${'more\n'.repeat(6_000)}`);
  const failed = { outcome: 'failed', reason: 'upload_abandoned' };
  const abandoned = (samples: Scrape) =>
    sampleOf(samples, 'tabulary_uploads_ended_total', failed) !== undefined;
  // Backdates the heartbeat by an hour, repeatedly, because the process renews it until a sweep has run.
  const expireHeartbeat = async (): Promise<boolean> => {
    await product.sql.query(
      `UPDATE processes SET heartbeat_at = now() - interval '1 hour' WHERE status = 'pending' AND chunk_count IS NULL`,
    );
    return abandoned(await scrape(all));
  };
  await expect.poll(expireHeartbeat, { interval: 50 }).toBe(true);
  const broken = await scrape(all);
  cut.write(formEnd);
  cut.destroy();
  // Uploads the file again, as the runbook says. The alert resolves when nothing fails within its range.
  const again = await json<ProcessAnswer>(await putFile(owner, dataset, 'text\nmore\n'), 201);
  expect(await ended(owner, again)).toMatchObject({ status: 'completed' });
  await expectToFire({ alert: 'TabularyUploadsFail', healthy, broken, repaired: await scrape(all) });
});

it('event loop blocked: fires when a process computes without yielding', async () => {
  const api = [addressOf(owner)];
  const lag = (samples: Scrape): number => valuesOf(samples, 'nodejs_eventloop_lag_p99_seconds')[0] ?? 0;
  // The metric covers the time since the last scrape.
  const isCalm = (samples: Scrape) => lag(samples) < 0.4;
  const healthy = await scrapeUntil(api, isCalm);
  const broken = await scrapeUntil(api, (samples) => {
    if (lag(samples) > 0.6) return true;
    for (const until = Date.now() + 1_000; Date.now() < until; );
    return false;
  });
  const repaired = await scrapeUntil(api, isCalm);
  await expectToFire({ alert: 'TabularyEventLoopBlocked', healthy, broken, repaired });
});

it('process down: fires when a worker is stopped and resolves when it is started', async () => {
  const worker = [product.workerUrl];
  const isUp = (value: number) => (samples: Scrape) => valuesOf(samples, 'up')[0] === value;
  const healthy = await scrapeUntil(worker, isUp(1));
  await product.stopWorker();
  const broken = await scrapeUntil(worker, isUp(0));
  await product.startWorker();
  // The port differs only in the test, so the instance is relabelled.
  const started = await scrapeUntil([product.workerUrl], isUp(1));
  const repaired = started.map((sample) => ({
    ...sample,
    labels: { ...sample.labels, instance: worker[0] ?? '' },
  }));
  await expectToFire({ alert: 'TabularyProcessDown', healthy, broken, repaired });
});

/** Workers killed while they run an installation-wide job, which another worker continues. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { childEnvironment } from '../../../src/config.js';
import type { JobName } from '../../../src/jobs/list.js';
import { type JobState, listJobs, runJobNow } from '../../../src/jobs/records.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { freePort } from '../../support/proxies.js';

let product: TestProduct;
/** Running workers by address. */
const workers = new Map<string, ChildProcess>();

const startWorker = async (): Promise<void> => {
  const port = await freePort();
  const { databaseUrl = '', clickhouseUrl = '', clickhouseDatabase, kafkaPrefix, dataDir } = product.config;
  const child = spawn(process.execPath, ['dist/worker.js'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: childEnvironment({
      ...inject('kafka'),
      databaseUrl,
      clickhouseUrl,
      clickhouseDatabase,
      kafkaPrefix,
      dataDir,
      logLevel: 'fatal',
      workerPort: String(port),
      jobLeaseMs: '1000',
      sweepIntervalMs: '86400000',
      segmentHashIntervalMs: '86400000',
    }),
  });
  workers.set(`${hostname()}:${port}`, child);
};

const kill = async (address: string): Promise<void> => {
  const child = workers.get(address);
  if (child === undefined) throw new Error(`no worker has the address ${address}`);
  workers.delete(address);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
};

const stateOf = async (name: JobName): Promise<JobState> => {
  const found = (await listJobs(product.sql)).find((job) => job.name === name);
  if (found === undefined) throw new Error(`no worker has started ${name}`);
  return found;
};

beforeAll(async () => {
  product = await startProduct();
  await product.stopWorker();
  await Promise.all([startWorker(), startWorker()]);
});

afterAll(async () => {
  for (const address of [...workers.keys()]) await kill(address);
  await product?.close();
});

it.each<[name: JobName, table: string]>([
  ['trims', 'audit_events'],
  ['row-drops', 'released_segments'],
  ['segment-hashes', 'segments'],
  ['key-checks', 'versions'],
  ['read-copies', 'read_copies'],
  ['storage-sweep', 'versions'],
])('%s is taken over by another worker when its holder is killed', async (name, table) => {
  await expect.poll(async () => (await stateOf(name)).state).toBe('waiting');
  const before = (await stateOf(name)).lastRunAt;
  // Blocks the job.
  const blocking = new pg.Client({ connectionString: product.config.databaseUrl });
  await blocking.connect();
  try {
    await blocking.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    await runJobNow(product.sql, name);
    // A worker that has just started may hold the job before its address is recorded.
    let holder = '';
    await expect
      .poll(async () => {
        holder = (await stateOf(name)).holder ?? '';
        return workers.has(holder);
      })
      .toBe(true);
    await kill(holder);
    await blocking.query('ROLLBACK');
  } finally {
    await blocking.end();
    // The next job needs two workers, even if this test fails.
    if (workers.size < 2) await startWorker();
  }
  await expect
    .poll(async () => {
      const { state, lastRunAt, failure } = await stateOf(name);
      return { state, isNew: lastRunAt !== before, failure };
    })
    .toEqual({ state: 'waiting', isNew: true, failure: null });
});

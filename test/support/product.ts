/** The product in the test process, on real services, with its own database, topics and tables. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { createAccounts } from '../../src/catalog/accounts.js';
import { createKeys } from '../../src/catalog/keys.js';
import { createApiProcess } from '../../src/compose/api-process.js';
import { createWorkerProcess } from '../../src/compose/worker-process.js';
import { type Config, loadConfig, settings } from '../../src/config.js';
import { createLog, type Log } from '../../src/lib/log.js';
import { createScope } from '../../src/lib/scope.js';
import { migrate } from '../../src/storage/postgres/migrate.js';
import { createPool } from '../../src/storage/postgres/pool.js';
import { createSql, type Sql } from '../../src/storage/postgres/sql.js';
import { clickHouseText } from './clickhouse-http.js';
import { createDatabase, createEmptyDatabase } from './database.js';

export interface TestProduct {
  /** Base URL of the API, `/api` included. */
  readonly baseUrl: string;
  /** Base URL of the current worker's health endpoints. */
  readonly workerUrl: string;
  readonly config: Config;
  readonly sql: Sql;
  /** Creates an account with a key. */
  createAccount(name: string, plan?: string): Promise<{ id: number; key: string; baseUrl: string }>;
  /** Runs a statement on the product's ClickHouse. */
  clickhouse(sql: string): Promise<string>;
  /** Shuts the worker down; `startWorker` starts another one. */
  stopWorker(): Promise<void>;
  startWorker(): Promise<void>;
  /** Shuts the API down for good, for tests that start their own processes. */
  stopApi(): Promise<void>;
  close(): Promise<void>;
}

/** Databases of a product that has not started yet. That of ClickHouse does not exist yet. */
export interface PreparedPlaces {
  readonly databaseUrl: string;
  readonly clickhouseUrl: string;
  readonly clickhouseDatabase: string;
}

type Settings = Partial<Record<keyof Config, string>>;

const log = createLog('test', process.env.TEST_LOG_LEVEL ?? 'error', 2);

/** A worker that a test has stopped. */
interface StoppedWorker {
  readonly test: string | undefined;
  start(): Promise<void>;
}
const stopped = new Set<StoppedWorker>();

/** Starts the workers that this test has stopped, so that a failed test does not fail the others of its file. */
export const startStoppedWorkers = async (test: string | undefined): Promise<void> => {
  for (const worker of stopped) if (worker.test === test) await worker.start();
};

const toEnvironment = (changes: Settings): Record<string, string> =>
  Object.fromEntries(
    Object.entries(changes).map(([key, value]) => [settings[key as keyof Config].env, value]),
  );

export const startProduct = async (
  changes: Settings = {},
  /** Log of the product; by default errors go to standard error. */
  productLog: Log = log,
  /** Fills the databases before they are migrated. Without it, the database is a copy of the template. */
  prepare?: (places: PreparedPlaces) => Promise<void>,
): Promise<TestProduct> => {
  const scope = createScope(log);
  const name = `t${randomBytes(6).toString('hex')}`;
  const dataDir = await mkdtemp(join(tmpdir(), 'tabulary-product-'));
  await scope.defer('data folder', () => rm(dataDir, { recursive: true, force: true }));
  const clickhouseUrl = inject('clickhouseUrl');
  const clickhouse = (sql: string): Promise<string> => clickHouseText(clickhouseUrl, { sql });
  await scope.defer('ClickHouse database', async () => {
    await clickhouse(`DROP DATABASE IF EXISTS ${name} SYNC`);
  });
  const server = inject('databaseUrl');
  const database = await (prepare === undefined
    ? createDatabase(server, name)
    : createEmptyDatabase(server, { name }));
  await scope.defer('database', database.drop);
  const config = loadConfig(
    toEnvironment({
      databaseUrl: database.databaseUrl,
      ...inject('kafka'),
      kafkaPrefix: name,
      kafkaPartitions: '2',
      clickhouseUrl,
      clickhouseDatabase: name,
      dataDir,
      port: '0',
      workerPort: '0',
      databasePool: '8',
      // Kept-alive connections of this process have no request in flight when a test ends.
      drainIdleMs: '0',
      // Upstreams are unreachable from tests, so housekeeping of the gateway runs on demand only.
      gatewayIntervalMs: '86400000',
      // Repeated queries read the rows again: a cached result would hide what happened to them.
      resultCacheBytes: '0',
      // Work that starts a second after publishing would depend on the speed of the test.
      exportsAheadBytes: '0',
      summariesAheadCells: '0',
      readCopyMinRows: '0',
      ...changes,
    }),
  );
  const databaseUrl = config.databaseUrl ?? '';
  await prepare?.({ databaseUrl, clickhouseUrl, clickhouseDatabase: name });
  // The template exists on the shared server only.
  if (prepare !== undefined || changes.databaseUrl !== undefined) await migrate({ databaseUrl, log });
  const pool = createPool({ databaseUrl, maxConnections: 2, log });
  await scope.defer('pool', () => pool.end());
  const sql = createSql(pool);

  let workerScope = createScope(log);
  let workerPort = 0;
  let worker: StoppedWorker | undefined;
  const forgetStopped = (): void => {
    if (worker !== undefined) stopped.delete(worker);
    worker = undefined;
  };
  const startWorker = async (): Promise<void> => {
    forgetStopped();
    workerScope = createScope(log);
    workerPort = (await createWorkerProcess(config, productLog, workerScope)).port;
  };
  await scope.defer('worker', () => workerScope.close());
  const apiScope = createScope(log);
  await scope.defer('API', () => apiScope.close());
  const [, api] = await Promise.all([startWorker(), createApiProcess(config, productLog, apiScope)]);

  const baseUrl = `http://127.0.0.1:${api.port}/api`;
  return {
    baseUrl,
    get workerUrl() {
      return `http://127.0.0.1:${workerPort}`;
    },
    config,
    sql,
    clickhouse,
    async createAccount(accountName, plan = 'unlimited') {
      const { id } = await createAccounts({ sql }).create({ name: accountName, plan });
      const { key } = await createKeys({ sql }).create(id, { name: 'test' });
      return { id, key, baseUrl };
    },
    async stopWorker() {
      forgetStopped();
      worker = { test: expect.getState().currentTestName, start: startWorker };
      stopped.add(worker);
      await workerScope.close();
    },
    startWorker,
    stopApi: () => apiScope.close(),
    close() {
      forgetStopped();
      return scope.close();
    },
  };
};

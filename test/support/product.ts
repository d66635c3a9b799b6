/** The product inside of the test process, on the real services, with names of its own. */
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
  /** Address of the API, `/api` included. */
  readonly baseUrl: string;
  /** Address of the present worker's health endpoints. */
  readonly workerUrl: string;
  readonly config: Config;
  readonly sql: Sql;
  /** Makes an account; gives its key, and where to use it. */
  createAccount(name: string, plan?: string): Promise<{ id: number; key: string; baseUrl: string }>;
  /** Statement on the product's ClickHouse; gives the answer's text. */
  clickhouse(sql: string): Promise<string>;
  /** Ends the worker; `startWorker` brings another one. */
  stopWorker(): Promise<void>;
  startWorker(): Promise<void>;
  /** Ends the API for good, for tests that start processes of their own. */
  stopApi(): Promise<void>;
  close(): Promise<void>;
}

/** Databases of a product that has not started yet; that of ClickHouse is not there. */
export interface PreparedPlaces {
  readonly databaseUrl: string;
  readonly clickhouseUrl: string;
  readonly clickhouseDatabase: string;
}

type Settings = Partial<Record<keyof Config, string>>;

const log = createLog('test', process.env.TEST_LOG_LEVEL ?? 'error', 2);

/** A worker that a test has stopped, and which test. */
interface StoppedWorker {
  readonly test: string | undefined;
  start(): Promise<void>;
}
const stopped = new Set<StoppedWorker>();

/** Starts the workers that this test has stopped: one that fails before it does so itself takes no other with it. */
export const startStoppedWorkers = async (test: string | undefined): Promise<void> => {
  for (const worker of stopped) if (worker.test === test) await worker.start();
};

const toEnvironment = (changes: Settings): Record<string, string> =>
  Object.fromEntries(
    Object.entries(changes).map(([key, value]) => [settings[key as keyof Config].env, value]),
  );

export const startProduct = async (
  changes: Settings = {},
  /** Destination of the product's log; default: errors, to standard error. */
  productLog: Log = log,
  /** Fills its databases before they are migrated. Without it the database is a copy of the template. */
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
      // Connections that this process keeps alive have nothing on their way when a test ends.
      drainIdleMs: '0',
      // The upstreams cannot be reached from a test: who wants a round of housekeeping asks for it.
      gatewayIntervalMs: '86400000',
      // A repeated question reads the rows again: an answer in memory would hide what became of them.
      resultCacheBytes: '0',
      // What is made a second after a version was published would depend on how fast the test is.
      exportsAheadBytes: '0',
      summariesAheadCells: '0',
      ...changes,
    }),
  );
  const databaseUrl = config.databaseUrl ?? '';
  await prepare?.({ databaseUrl, clickhouseUrl, clickhouseDatabase: name });
  // The template is a database of the common server.
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

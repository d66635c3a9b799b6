import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccounts } from '../../src/catalog/accounts.js';
import { createKeys } from '../../src/catalog/keys.js';
import { childEnvironment } from '../../src/config.js';
import { type EmbeddedAccess, startEmbedded } from '../../src/embedded/components.js';
import { startProduct } from '../../src/embedded/product.js';
import { createLog, type Log } from '../../src/lib/log.js';
import { createScope } from '../../src/lib/scope.js';
import { migrate } from '../../src/storage/postgres/migrate.js';
import { createPool } from '../../src/storage/postgres/pool.js';
import { createSql } from '../../src/storage/postgres/sql.js';

export interface Account {
  readonly key: string;
  readonly authorization: string;
  readonly homeId: number;
}

/** The whole product as `npm start` runs it, in its own data folder; requires `npm run build`. */
export interface RunningProduct {
  /** Address of the API, `/api` included. */
  readonly baseUrl: string;
  /** Address of the worker's health endpoints. */
  readonly workerUrl: string;
  readonly authorization: string;
  readonly databaseUrl: string;
  readonly clickhouseUrl: string;
  /** Connection settings of the components. */
  readonly access: EmbeddedAccess;
  readonly homeId: number;
  /** Current process ids by name. */
  pids(): Record<string, number>;
  readonly dataDir: string;
  createAccount(name: string): Promise<Account>;
  /** Stops all processes but keeps the data folder until `stop`. */
  halt(): Promise<void>;
  stop(): Promise<void>;
}

export type ProductSettings = Parameters<typeof childEnvironment>[0];

const openAccount = async (databaseUrl: string, name: string, log: Log): Promise<Account> => {
  const pool = createPool({ databaseUrl, maxConnections: 2, log });
  const sql = createSql(pool);
  // A reused data folder already has the account.
  const [earlier] = await sql.query<{ id: number }>('SELECT id FROM accounts WHERE name = $1', [name]);
  const account = earlier ?? (await createAccounts({ sql }).create({ name, plan: 'unlimited' }));
  const { key } = await createKeys({ sql }).create(account.id, { name });
  const [home] = await sql.query<{ id: number }>(
    'SELECT id FROM repositories WHERE is_home AND created_by = $1',
    [account.id],
  );
  await pool.end();
  return { key, authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`, homeId: home?.id ?? 0 };
};

export interface StartOptions {
  /** Aborts the start and stops whatever has been started. */
  readonly signal?: AbortSignal | undefined;
  /** Environment variables of API and worker that are not settings. */
  readonly environment?: Readonly<Record<string, string>>;
  /** ClickHouse servers, each a shard of one cluster. @default 1 */
  readonly clickhouseNodes?: number;
  /** Data folder to create or reuse, and to keep. @default a fresh one that is deleted */
  readonly dataDir?: string | undefined;
}

export const startWholeProduct = async (
  settings: ProductSettings = {},
  { signal, environment = {}, clickhouseNodes = 1, dataDir: kept }: StartOptions = {},
): Promise<RunningProduct> => {
  const log = createLog('bench', 'warn', 2);
  const whole = createScope(log);
  const scope = createScope(log);
  signal?.addEventListener('abort', () => void whole.close(), { once: true });
  const dataDir = kept ?? (await mkdtemp(join(tmpdir(), 'tabulary-bench-')));
  if (kept === undefined)
    await whole.defer('data folder', () => rm(dataDir, { recursive: true, force: true }));
  await whole.defer('processes', scope.close);
  try {
    const need = { postgres: true, kafka: true, clickhouse: true };
    const { access, pids } = await startEmbedded({
      dataDir,
      need,
      clickhouseNodes,
      // Required by the bench kafka-engine.
      clickhouseSources: ['KAFKA'],
      log,
      scope,
    });
    const { databaseUrl, clickhouseUrl } = access;
    if (!databaseUrl || !clickhouseUrl) throw new Error('a component has no address');
    await migrate({ databaseUrl, log });

    const { authorization, homeId } = await openAccount(databaseUrl, 'bench', log);
    // Repeated queries must read the same rows each time, so only benches that measure the result cache or read copies enable them.
    const own = { resultCacheBytes: '0', readCopyMinRows: '0', ...settings };
    const env = { ...childEnvironment({ ...own, ...access, logLevel: 'warn' }), ...environment };
    const shared = { dataDir, env, host: '127.0.0.1', port: 0, drainTimeoutMs: 5_000, log, scope };
    const worker = await startProduct({ ...shared, entry: 'worker', portVariable: 'WORKER_PORT' });
    const api = await startProduct({ ...shared, entry: 'api', portVariable: 'PORT' });
    const all = () => ({ api: api.pid(), worker: worker.pid(), ...pids() });
    return {
      baseUrl: `http://127.0.0.1:${api.port}/api`,
      workerUrl: `http://127.0.0.1:${worker.port}`,
      authorization,
      databaseUrl,
      clickhouseUrl,
      access,
      homeId,
      pids: () =>
        Object.fromEntries(
          Object.entries(all()).filter((pair): pair is [string, number] => pair[1] !== undefined),
        ),
      dataDir,
      createAccount: (name) => openAccount(databaseUrl, name, log),
      halt: () => scope.close(),
      stop: () => whole.close(),
    };
  } catch (error) {
    await whole.close();
    throw error;
  }
};

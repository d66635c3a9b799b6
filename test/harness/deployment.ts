/** The whole product as `npm start` runs it, in its own data folder, with several API and worker processes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createAccounts } from '../../src/catalog/accounts.js';
import { createKeys } from '../../src/catalog/keys.js';
import { childEnvironment } from '../../src/config.js';
import { type EmbeddedAccess, startEmbedded } from '../../src/embedded/components.js';
import { answersApiVersions } from '../../src/embedded/kafka-probe.js';
import { startProduct } from '../../src/embedded/product.js';
import type { Log } from '../../src/lib/log.js';
import type { Scope } from '../../src/lib/scope.js';
import { migrate } from '../../src/storage/postgres/migrate.js';
import { createPool } from '../../src/storage/postgres/pool.js';
import { createSql, type Sql } from '../../src/storage/postgres/sql.js';
import { basic } from '../support/credentials.js';

export const components = ['postgres', 'kafka', 'clickhouse'] as const;
export type Component = (typeof components)[number];

/** Separate data folder of one component. */
export interface SmallDisk {
  readonly component: Component;
  readonly folder: string;
}

export interface Deployment {
  /** URLs of the API processes including `/api`. */
  readonly apis: readonly string[];
  readonly key: string;
  readonly keyId: number;
  readonly authorization: string;
  readonly homeId: number;
  readonly sql: Sql;
  /** Connection settings of the components. */
  readonly access: Required<EmbeddedAccess>;
  /** Names of the components and processes. */
  readonly names: readonly string[];
  /** Current process id; undefined during a restart. */
  pid(name: string): number | undefined;
  /** Returns true if Kafka responds and every API and worker process is ready. */
  isWhole(): Promise<boolean>;
  /** Number of pending uploads. */
  pendingUploads(): Promise<number>;
}

export interface DeploymentOptions {
  readonly dataDir: string;
  readonly apis: number;
  readonly workers: number;
  readonly smallDisk?: SmallDisk;
  /** Settings that override the defaults of `hurried`. */
  readonly settings?: Parameters<typeof childEnvironment>[0];
  readonly log: Log;
  readonly scope: Scope;
}

/** Small chunks and short intervals, so that a run of minutes covers what otherwise takes hours. */
export const hurried = {
  firstChunkBytes: '8192',
  chunkBytes: '131072',
  receiveTimeoutMs: '20000',
  jobLeaseMs: '5000',
  sweepIntervalMs: '1000',
  storageSweepIntervalMs: '1000',
  segmentGraceMs: '1000',
  // Compacts during disruptions.
  compactionIntervalMs: '1000',
  compactionMinSegments: '3',
  sendPatienceMs: '60000',
  uploadIdleMs: '15000',
  gatewayIntervalMs: '86400000',
  // Without a result cache, repeated queries read the stored rows and notice damage.
  resultCacheBytes: '0',
  logLevel: 'info',
};

export const isReady = async (url: string): Promise<boolean> => {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    // Connection refused, reset or timed out.
    return false;
  }
};

const openAccount = async (sql: Sql): Promise<{ key: string; keyId: number; homeId: number }> => {
  const account = await createAccounts({ sql }).create({ name: 'harness', plan: 'unlimited' });
  const { id: keyId, key } = await createKeys({ sql }).create(account.id, { name: 'harness' });
  const [home] = await sql.query<{ id: number }>('SELECT id FROM repositories WHERE is_home');
  if (home === undefined) throw new Error('the account has no home');
  return { key, keyId, homeId: home.id };
};

/** Starts all components; one with a small disk uses its folder. */
const startComponents = async ({ dataDir, smallDisk, log, scope }: DeploymentOptions) => {
  const needOnly = (wanted: (name: Component) => boolean) => ({
    postgres: wanted('postgres'),
    kafka: wanted('kafka'),
    clickhouse: wanted('clickhouse'),
  });
  const separate = smallDisk?.component;
  const need = needOnly((name) => name !== separate);
  const others = await startEmbedded({ dataDir, need, log, scope });
  if (smallDisk === undefined) return others;
  const one = await startEmbedded({
    dataDir: smallDisk.folder,
    need: needOnly((name) => name === separate),
    log,
    scope,
  });
  return {
    access: { ...others.access, ...one.access },
    pids: () => ({ ...others.pids(), [smallDisk.component]: one.pids()[smallDisk.component] }),
  };
};

export const startDeployment = async (options: DeploymentOptions): Promise<Deployment> => {
  const { dataDir, log, scope } = options;
  const embedded = await startComponents(options);
  const access = embedded.access as Required<EmbeddedAccess>;
  const { databaseUrl, kafkaBrokers, clickhouseUrl } = access;
  if (!databaseUrl || !kafkaBrokers || !clickhouseUrl) throw new Error('a component has no address');
  await migrate({ databaseUrl, log });
  const pool = createPool({ databaseUrl, maxConnections: 4, log });
  await scope.defer('pool of the checker', () => pool.end());
  const sql = createSql(pool);
  const { key, keyId, homeId } = await openAccount(sql);

  const exportsDir = join(dataDir, 'exports');
  mkdirSync(exportsDir, { recursive: true });
  const exportsUrl = `file://${exportsDir}`;
  const env = childEnvironment({ ...hurried, ...options.settings, ...access, exportsUrl });
  const start = async (entry: 'api' | 'worker', number: number) => {
    const name = `${entry}-${number}`;
    // Each process needs its own folder, which records its id and port.
    const folder = join(dataDir, name);
    mkdirSync(folder, { recursive: true });
    const portVariable = entry === 'api' ? 'PORT' : 'WORKER_PORT';
    const shared = {
      env,
      host: '127.0.0.1',
      port: 0,
      drainTimeoutMs: Number(options.settings?.drainTimeoutMs ?? 5_000),
      log,
      scope,
    };
    const { port, pid } = await startProduct({ ...shared, entry, dataDir: folder, portVariable });
    return { name, entry, pid, url: `http://127.0.0.1:${port}` };
  };
  const processes: Awaited<ReturnType<typeof start>>[] = [];
  for (let number = 1; number <= options.workers; number += 1) processes.push(await start('worker', number));
  for (let number = 1; number <= options.apis; number += 1) processes.push(await start('api', number));

  const pid = (name: string): number | undefined => {
    const component = components.find((known) => known === name);
    if (component !== undefined) return embedded.pids()[component];
    return processes.find((process) => process.name === name)?.pid();
  };
  const names = [...components, ...processes.map((process) => process.name)];
  const kafkaPort = Number(kafkaBrokers.split(':')[1]);
  return {
    apis: processes.filter(({ entry }) => entry === 'api').map(({ url }) => `${url}/api`),
    key,
    keyId,
    authorization: basic(key),
    homeId,
    sql,
    access,
    names,
    pid,
    async pendingUploads() {
      const [row] = await sql.query<{ count: number }>(
        `SELECT count(*) AS count FROM processes WHERE status = 'pending'`,
      );
      return Number(row?.count ?? 0);
    },
    async isWhole() {
      if (names.some((name) => pid(name) === undefined)) return false;
      if (!(await answersApiVersions(kafkaPort, 2_000))) return false;
      return (await Promise.all(processes.map(({ url }) => isReady(url)))).every(Boolean);
    },
  };
};

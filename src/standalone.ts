import { join, relative, resolve } from 'node:path';
import { createAccounts } from './catalog/accounts.js';
import { createKeys } from './catalog/keys.js';
import { openDatabase } from './compose/core.js';
import { masterKeyFile } from './compose/gateway.js';
import { type Config, childEnvironment, isGiven, loadConfig } from './config.js';
import { type EmbeddedAccess, startEmbedded } from './embedded/components.js';
import { isFree } from './embedded/ports.js';
import { addressOf, startProduct } from './embedded/product.js';
import type { EntryContext } from './entry.js';
import { openKeyFile } from './gateway/keys/key-file.js';
import { AppError, messageOf, unavailable } from './lib/errors.js';
import { migrate } from './storage/postgres/migrate.js';
import { takeTour } from './tour/tour.js';

const say = (line = ''): void => {
  process.stdout.write(`${line}\n`);
};

/** The ports of API and worker; 0 takes a free one. */
interface Ports {
  readonly api: number;
  readonly worker: number;
}

/**
 * Runs before anything starts, so that an occupied port costs a second and not half a minute. Clients do not
 * use the worker's port: unless it is set, any free one will do.
 */
const choosePorts = async (config: Config): Promise<Ports> => {
  const occupied = async (port: number): Promise<boolean> => port !== 0 && !(await isFree(port, config.host));
  const refuse = (port: number, variable: string): never => {
    throw unavailable(
      'port_occupied',
      `port ${port} is in use: stop what listens there or set ${variable} to another port`,
    );
  };
  if (await occupied(config.port)) refuse(config.port, 'PORT');
  if (!(await occupied(config.workerPort))) return { api: config.port, worker: config.workerPort };
  if (isGiven('workerPort')) refuse(config.workerPort, 'WORKER_PORT');
  return { api: config.port, worker: 0 };
};

/** Starts the components that no setting names; how they are reached. */
const startComponents = async ({ config, log, scope }: EntryContext): Promise<EmbeddedAccess> => {
  const need = {
    postgres: config.databaseUrl === undefined,
    kafka: config.kafkaBrokers === undefined,
    clickhouse: config.clickhouseUrl === undefined,
  };
  const missing = [
    need.postgres && 'PostgreSQL',
    need.kafka && 'Kafka',
    need.clickhouse && 'ClickHouse',
  ].filter(Boolean);
  if (missing.length > 0) say(`Starting ${missing.join(', ')} in ${config.dataDir} …`);
  const { access } = await startEmbedded({
    dataDir: config.dataDir,
    need,
    ports: {
      postgres: config.embeddedPostgresPort,
      kafka: config.embeddedKafkaPort,
      kafkaController: config.embeddedKafkaControllerPort,
      clickhouse: config.embeddedClickhousePort,
    },
    kafkaNodes: config.embeddedKafkaNodes,
    clickhouseNodes: config.embeddedClickhouseNodes,
    log,
    scope,
  });
  const { kafkaReplication, ...addresses } = access;
  return isGiven('kafkaReplication') ? addresses : access;
};

/** Makes account and key on an empty database; gives the key, which is shown this once. */
const createFirstAccount = async ({ config, log, scope }: EntryContext): Promise<string | undefined> => {
  const sql = await openDatabase(config, log, scope);
  const accounts = createAccounts({ sql });
  const account = await accounts.createFirst({
    name: config.firstAccount,
    plan: config.defaultPlan,
    isOperator: true,
  });
  if (account === undefined) return undefined;
  const { key } = await createKeys({ sql }).create(account.id, { name: 'first key' });
  return key;
};

const startProcesses = async (
  { config, log, scope }: EntryContext,
  access: EmbeddedAccess,
  ports: Ports,
): Promise<string> => {
  const { drainTimeoutMs, dataDir, host } = config;
  const env = childEnvironment(access);
  const shared = { dataDir, drainTimeoutMs, host, log, scope };
  // The worker calls no upstream, so it gets no key.
  const masterKeys = (config.masterKeys ?? openKeyFile(masterKeyFile(config))).join(',');
  const apiEnv = childEnvironment({ masterKeys }, env);
  // On one host the API has METRICS_PORT, and the worker shows its metrics on its own port.
  const workerEnv = childEnvironment({ metricsPort: '' }, env);
  say('Starting API and worker …');
  const [, api] = await Promise.all([
    startProduct({
      ...shared,
      env: workerEnv,
      entry: 'worker',
      port: ports.worker,
      portVariable: 'WORKER_PORT',
    }),
    startProduct({ ...shared, env: apiEnv, entry: 'api', port: ports.api, portVariable: 'PORT' }),
  ]);
  return addressOf(host, api.port);
};

interface Welcome {
  readonly address: string;
  /** Undefined when the first key was shown by an earlier start. */
  readonly key: string | undefined;
  /** The sample table; undefined when this start did not make it. */
  readonly sampleId: number | undefined;
  readonly logs: string;
}

const printWelcome = ({ address, key, sampleId, logs }: Welcome): void => {
  const shown = key ?? '<API_KEY>';
  say(`\nReady: ${address} (web app; sign in with the key)`);
  say(`  API   ${address}/api`);
  say(`  Docs  ${address}/docs`);
  say(`  Logs  ${logs} (api, worker, postgres, kafka, clickhouse, start)`);
  say(
    key === undefined
      ? '\nA key is shown only when it is created: npm run admin -- key create <account>'
      : `\nAPI key of the first account (shown this once): ${key}`,
  );
  say('\nTry:');
  say(`  curl -u ${shown}: ${address}/api/datasets`);
  if (sampleId !== undefined) {
    const data = `${address}/api/datasets/${sampleId}/data`;
    say(`  curl -u ${shown}: -G ${data} --data-urlencode "\\$filter=Source eq 'Wind'" -d '$top=5'`);
  }
  say('\nCtrl-C stops everything.');
};

/** Starts what is missing, migrates, runs API and worker; the first time also the tour. */
export const startAll = async (context: EntryContext): Promise<void> => {
  const { log, scope } = context;
  const ports = await choosePorts(context.config);
  const access = await startComponents(context);
  const config = loadConfig(childEnvironment(access));
  if (config.databaseUrl === undefined) {
    throw new AppError('unexpected', 'component_missing', 'PostgreSQL was started but has no address');
  }
  await migrate({ databaseUrl: config.databaseUrl, log });
  const address = await startProcesses({ ...context, config }, access, ports);
  // Not before: the key of a start that fails, on an occupied port say, would never be seen.
  const key = await createFirstAccount({ ...context, config });
  let sampleId: number | undefined;
  if (key !== undefined) {
    const leaving = new AbortController();
    await scope.defer('tour', () => leaving.abort());
    try {
      sampleId = await takeTour({
        baseUrl: `${address}/api`,
        apiKey: key,
        print: say,
        signal: leaving.signal,
      });
    } catch (error) {
      if (leaving.signal.aborted) return;
      say(`The tour failed: ${messageOf(error)}`);
    }
  }
  const logs = relative(process.cwd(), join(resolve(config.dataDir), 'logs'));
  printWelcome({ address, key, sampleId, logs });
};

import { createAccounts } from './catalog/accounts.js';
import { createKeys } from './catalog/keys.js';
import { openDatabase } from './compose/core.js';
import { masterKeyFile } from './compose/gateway.js';
import { type Config, childEnvironment } from './config.js';
import { type Embedded, startEmbedded } from './embedded/components.js';
import { startProduct } from './embedded/product.js';
import type { EntryContext } from './entry.js';
import { openKeyFile } from './gateway/keys/key-file.js';
import { AppError, messageOf } from './lib/errors.js';
import { migrate } from './storage/postgres/migrate.js';
import { takeTour } from './tour/tour.js';

const say = (line = ''): void => {
  process.stdout.write(`${line}\n`);
};

/** The settings with the addresses of the embedded components in the place of those that are missing. */
const withEmbedded = (config: Config, embedded: Embedded): Config => ({
  ...config,
  databaseUrl: config.databaseUrl ?? embedded.databaseUrl,
  kafkaBrokers: config.kafkaBrokers ?? embedded.kafkaBrokers?.split(','),
  clickhouseUrl: config.clickhouseUrl ?? embedded.clickhouseUrl,
});

const startComponents = async ({ config, log, scope }: EntryContext): Promise<Config> => {
  const need = {
    postgres: config.databaseUrl === undefined,
    kafka: config.kafkaBrokers === undefined,
    clickhouse: config.clickhouseUrl === undefined,
  };
  const missing = Object.entries(need).filter(([, needed]) => needed);
  if (missing.length > 0) say(`Starting ${missing.map(([name]) => name).join(', ')} in ${config.dataDir} …`);
  const embedded = await startEmbedded({
    dataDir: config.dataDir,
    need,
    ports: {
      postgres: config.embeddedPostgresPort,
      kafka: config.embeddedKafkaPort,
      kafkaController: config.embeddedKafkaControllerPort,
      clickhouse: config.embeddedClickhousePort,
    },
    log,
    scope,
  });
  return withEmbedded(config, embedded);
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

const startProcesses = async ({ config, log, scope }: EntryContext): Promise<string> => {
  const { databaseUrl, kafkaBrokers, clickhouseUrl, drainTimeoutMs, dataDir } = config;
  if (databaseUrl === undefined || kafkaBrokers === undefined || clickhouseUrl === undefined) {
    throw new AppError('unexpected', 'component_missing', 'a component was started but has no address');
  }
  const env = childEnvironment({ databaseUrl, kafkaBrokers: kafkaBrokers.join(','), clickhouseUrl });
  const shared = { dataDir, drainTimeoutMs, host: config.host, log, scope };
  // The worker calls no upstream, so it gets no key.
  const masterKeys = (config.masterKeys ?? openKeyFile(masterKeyFile(config))).join(',');
  const apiEnv = childEnvironment({ masterKeys }, env);
  const [, api] = await Promise.all([
    startProduct({ ...shared, env, entry: 'worker', port: config.workerPort, portVariable: 'WORKER_PORT' }),
    startProduct({ ...shared, env: apiEnv, entry: 'api', port: config.port, portVariable: 'PORT' }),
  ]);
  return `http://${config.host}:${api.port}`;
};

const printWelcome = (address: string, key: string | undefined): void => {
  const shown = key ?? '<API_KEY>';
  say(`\nReady at ${address}/api (documents: ${address}/docs)`);
  say(
    key === undefined
      ? 'Keys are shown once, when they are made: npm run admin -- key create <account>'
      : `API key of the first account (shown this once): ${key}`,
  );
  say('\nTry:');
  say(`  curl -u ${shown}: ${address}/api/datasets`);
  say(`  curl -u ${shown}: -X POST ${address}/api/repositories -H 'Content-Type: application/json' \\`);
  say(`    -d '{"name":"My data","privacy":"Private"}'`);
  say(
    `  curl -u ${shown}: -G ${address}/api/datasets/1/data --data-urlencode "\\$filter=Source eq 'Wind'" -d '$top=5'`,
  );
  say('\nCtrl-C stops everything.');
};

/** Starts what is missing, migrates, runs API and worker; the first time also the tour. */
export const startAll = async (context: EntryContext): Promise<void> => {
  const { log, scope } = context;
  const config = await startComponents(context);
  if (config.databaseUrl === undefined) {
    throw new AppError('unexpected', 'component_missing', 'PostgreSQL was started but has no address');
  }
  await migrate({ databaseUrl: config.databaseUrl, log });
  const address = await startProcesses({ ...context, config });
  // Not before: the key of a start that fails, on an occupied port say, would never be seen.
  const key = await createFirstAccount({ ...context, config });
  if (key !== undefined) {
    const leaving = new AbortController();
    await scope.defer('tour', () => leaving.abort());
    try {
      await takeTour({ baseUrl: `${address}/api`, apiKey: key, print: say, signal: leaving.signal });
    } catch (error) {
      if (leaving.signal.aborted) return;
      say(`The tour did not succeed: ${messageOf(error)}`);
    }
  }
  printWelcome(address, key);
};

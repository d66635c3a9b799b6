import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { clickhouseSettings } from './config/clickhouse-settings.js';
import { exportSettings } from './config/export-settings.js';
import { gatewaySettings } from './config/gateway-settings.js';
import { httpSettings } from './config/http-settings.js';
import { ingestSettings } from './config/ingest-settings.js';
import { kafkaSettings } from './config/kafka-settings.js';
import {
  choice,
  integer,
  MiB,
  milliseconds,
  optional,
  type Setting,
  seconds,
  setting,
  text,
  url,
} from './config/setting.js';
import { tracingSettings } from './config/tracing-settings.js';
import { badConfiguration, messageOf } from './lib/errors.js';

/**
 * Every environment variable of the product: name, default, unit and meaning are here, and in the files of
 * config/ that are spread here, and nowhere else.
 * `--help` prints this list; `--check-config` prints the values in force, secrets hidden, and exits.
 */
export const settings = {
  ...httpSettings,
  logLevel: setting(
    'LOG_LEVEL',
    choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
    'Lowest level of logged events.',
  ),
  auditRetentionDays: setting(
    'AUDIT_RETENTION_DAYS',
    integer(1, 36_500),
    '400',
    'Days for which the audit trail and the daily use of keys are kept.',
  ),
  keyUseIntervalMs: setting(
    'KEY_USE_INTERVAL_MS',
    milliseconds(100),
    '60000',
    'Milliseconds after which an API process records how often keys were used.',
  ),
  ...tracingSettings,
  dataDir: setting('DATA_DIR', text, '.data', 'Folder of the embedded components and of local export files.'),

  databaseUrl: setting(
    'DATABASE_URL',
    optional(url('postgres', 'postgresql')),
    undefined,
    'Address of the PostgreSQL database with the catalog. If absent, npm start runs an embedded server.',
    { secret: true },
  ),
  databasePool: setting(
    'DATABASE_POOL',
    integer(2, 500),
    '16',
    'Most connections to PostgreSQL per process.',
  ),
  databaseWaitMs: setting(
    'DATABASE_WAIT_MS',
    milliseconds(0),
    '60000',
    'Milliseconds for which the migration waits until PostgreSQL is up.',
  ),
  heartbeatIntervalMs: setting(
    'HEARTBEAT_INTERVAL_MS',
    integer(100, 600_000),
    '5000',
    'Milliseconds between heartbeats of a process; after three missed ones it no longer counts as running.',
  ),
  componentSilenceMs: setting(
    'COMPONENT_SILENCE_MS',
    integer(1000, 600_000),
    '15000',
    'Milliseconds without a sign of life from PostgreSQL or ClickHouse, including pings, after which requests that wait for it get 503; also the longest wait for a connection to PostgreSQL.',
  ),
  ...kafkaSettings,
  ...clickhouseSettings,
  ...exportSettings,
  embeddedPostgresPort: setting(
    'EMBEDDED_POSTGRES_PORT',
    optional(integer(1, 65_535)),
    undefined,
    'Port of the embedded PostgreSQL; default: a free one, remembered in DATA_DIR.',
  ),
  embeddedKafkaPort: setting(
    'EMBEDDED_KAFKA_PORT',
    optional(integer(1, 65_535)),
    undefined,
    'Port of the first node of the embedded Kafka; default: a free one, remembered in DATA_DIR.',
  ),
  embeddedKafkaControllerPort: setting(
    'EMBEDDED_KAFKA_CONTROLLER_PORT',
    optional(integer(1, 65_535)),
    undefined,
    'Port of the controller of that node; default: a free one, remembered in DATA_DIR.',
  ),
  embeddedKafkaNodes: setting(
    'EMBEDDED_KAFKA_NODES',
    z.enum(['1', '3', '5']).transform(Number),
    '1',
    'Nodes of the embedded Kafka: 1, 3 or 5; fixed when DATA_DIR is created. With 3, topics have three replicas and survive the loss of one node.',
  ),
  embeddedClickhousePort: setting(
    'EMBEDDED_CLICKHOUSE_PORT',
    optional(integer(1, 65_535)),
    undefined,
    'HTTP port of the first node of the embedded ClickHouse; default: a free one, remembered in DATA_DIR.',
  ),
  embeddedClickhouseNodes: setting(
    'EMBEDDED_CLICKHOUSE_NODES',
    integer(1, 16),
    '1',
    'Nodes of the embedded ClickHouse, each a shard; nodes may be added to a DATA_DIR, and the last ones removed if they are empty.',
  ),

  ...ingestSettings,

  queryTimeoutSeconds: setting(
    'QUERY_TIMEOUT_SECONDS',
    seconds(1),
    '300',
    'Longest run of a download query in seconds.',
  ),
  queryMaxMemoryBytes: setting(
    'QUERY_MAX_MEMORY_BYTES',
    integer(64 * MiB),
    String(2048 * MiB),
    'Most memory of a query in ClickHouse.',
  ),
  summariesAheadCells: setting(
    'SUMMARIES_AHEAD_CELLS',
    integer(0),
    '1000000',
    'Largest version, in rows times columns, whose summary is computed right after it is published; 0: summaries are computed on request.',
  ),
  comparisonsMemoryBytes: setting(
    'COMPARISONS_MEMORY_BYTES',
    integer(0),
    String(64 * MiB),
    'Size of the cache of an API process for differences between versions, so that a pair of versions is compared once; results above a sixteenth of it are not cached. 0: no cache.',
  ),
  queriesInFlight: setting(
    'QUERIES_IN_FLIGHT',
    integer(1),
    '16',
    'Downloads that an API process runs at a time; a quarter of them for one account or address. Queries that sort, group or compare many rows are limited to a quarter of it, and an eighth for one account.',
  ),
  queriesQueued: setting(
    'QUERIES_QUEUED',
    integer(0),
    '256',
    'Downloads that may wait for a permit; half of them for one account or address. Others get 503.',
  ),
  ...gatewaySettings,
  firstAccount: setting(
    'FIRST_ACCOUNT',
    text,
    'admin',
    'Name of the account that is created if there is none.',
  ),
  defaultPlan: setting('DEFAULT_PLAN', text, 'unlimited', 'Plan of new accounts.'),
} as const;

type Settings = typeof settings;
export type Config = { readonly [K in keyof Settings]: Settings[K] extends Setting<infer T> ? T : never };

type Environment = Readonly<Record<string, string | undefined>>;

/** A secret may be in a file instead, as container platforms mount them: `<NAME>_FILE` names it. */
const givenValue = (item: Setting<unknown>, env: Environment): string | undefined => {
  const value = env[item.env] || undefined;
  const file = item.secret ? env[`${item.env}_FILE`] : undefined;
  if (!file) return value;
  if (value !== undefined) throw new Error(`${item.env}: set either it or ${item.env}_FILE, not both`);
  let content: string;
  try {
    content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`${item.env}_FILE: ${messageOf(error)}`);
  }
  // As an unset variable, it would leave /metrics open and backups unsigned.
  if (content === '') throw new Error(`${item.env}_FILE: the file is empty`);
  return content;
};

/**
 * Environment -> one frozen object. Reports every mistake at once.
 * @throws AppError kind `invalid`, code `bad_configuration`, one line per mistake.
 */
export const loadConfig = (env: Environment = process.env): Config => {
  const mistakes: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(settings) as [string, Setting<unknown>][]) {
    let given: string | undefined;
    try {
      given = givenValue(item, env);
    } catch (error) {
      mistakes.push(messageOf(error));
      continue;
    }
    const parsed = item.schema.safeParse(given === undefined || given === '' ? item.default : given);
    if (parsed.success) values[key] = parsed.data;
    else mistakes.push(`${item.env}: ${parsed.error.issues.map((issue) => issue.message).join('; ')}`);
  }
  if (mistakes.length > 0) throw badConfiguration(mistakes.join('\n'));
  return Object.freeze(values) as Config;
};

/** True when the environment sets the variable itself; the default is then not in force. */
export const isGiven = (key: keyof Config, env: Environment = process.env): boolean =>
  Boolean(env[settings[key].env]);

/** Text of `--help`: one block per variable. */
export const describeSettings = (): string =>
  (Object.values(settings) as Setting<unknown>[])
    .map(
      (item) =>
        `  ${item.env}${item.default === undefined ? '' : `=${item.default}`}\n      ${item.text}${item.secret ? ` Or ${item.env}_FILE, a file that holds it.` : ''}`,
    )
    .join('\n');

/** The values in force as `NAME=value` lines, secrets hidden. */
export const describeConfig = (config: Config): string =>
  (Object.entries(settings) as [keyof Config, Setting<unknown>][])
    .map(([key, item]) => {
      const value = config[key];
      return `${item.env}=${value === undefined ? '' : item.secret ? hidden(value) : printed(value)}`;
    })
    .join('\n');

/** Addresses are shown without user, password and parameters, in which drivers take passwords too. */
const withoutSecrets = (address: string): string => {
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//[hidden]@${host}${pathname}`;
};

const hidden = (value: unknown): string => {
  const texts = Array.isArray(value) ? value : [value];
  return texts
    .map((item) =>
      typeof item === 'string' && /^[a-z]+:\/\//.test(item) ? withoutSecrets(item) : '[hidden]',
    )
    .join(',');
};

const printed = (value: Config[keyof Config]): string =>
  typeof value !== 'object' || Array.isArray(value)
    ? String(value)
    : Object.entries(value)
        .map(([name, item]) => `${name}=${item}`)
        .join(',');

/** The environment of a child process of ours: this one's, with other values for some settings. */
export const childEnvironment = (
  changes: Partial<Record<keyof Config, string>>,
  env: Environment = process.env,
): Record<string, string | undefined> => {
  const changed = Object.entries(changes).flatMap(([key, value]) => {
    const { env: name } = settings[key as keyof Config];
    return [
      [name, value],
      [`${name}_FILE`, undefined],
    ];
  });
  return { ...env, ...Object.fromEntries(changed) };
};

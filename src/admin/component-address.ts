import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config.js';
import { badConfiguration } from '../lib/errors.js';

/** State that `npm start` writes about a component it runs: the ports it listens on, by purpose, and our password. */
const stateSchema = z.object({
  ports: z.record(z.string(), z.number()),
  /** Further nodes use the password of the first. */
  password: z.string().optional(),
  nodes: z.number().int().default(1),
});

type State = z.infer<typeof stateSchema>;

const stateOf = (dataDir: string, component: string): State | undefined => {
  try {
    return stateSchema.parse(
      JSON.parse(readFileSync(join(dataDir, 'embedded', `${component}.json`), 'utf8')),
    );
  } catch {
    // No such file, or not written by us: no embedded component runs in this folder.
    return undefined;
  }
};

/** The value, or an error if `npm start` does not run the component in the data folder. */
const found = (
  component: string,
  variable: string,
  { dataDir }: Config,
): State & { readonly password: string } => {
  const state = stateOf(dataDir, component);
  if (state?.password !== undefined) return { ...state, password: state.password };
  throw badConfiguration(`${variable} is not set, and ${dataDir} is not the data folder of npm start`);
};

/** DATABASE_URL, or the address of the database that `npm start` runs in the data folder. */
export const databaseAddress = (config: Config): string => {
  if (config.databaseUrl !== undefined) return config.databaseUrl;
  const { ports, password } = found('postgres', 'DATABASE_URL', config);
  return `postgres://tabulary:${password}@127.0.0.1:${ports.sql}/tabulary`;
};

const kafkaAccess = (config: Config): Partial<Config> => {
  if (config.kafkaBrokers !== undefined) return {};
  const { ports, password } = found('kafka', 'KAFKA_BROKERS', config);
  return {
    kafkaBrokers: [`127.0.0.1:${ports.broker}`],
    kafkaSaslMechanism: 'plain',
    kafkaSaslUsername: 'tabulary',
    kafkaSaslPassword: password,
  };
};

const clickhouseAccess = (config: Config): Partial<Config> => {
  if (config.clickhouseUrl !== undefined) return {};
  const { ports, password, nodes } = found('clickhouse', 'CLICKHOUSE_URL', config);
  const addressOf = (port: number | undefined): string => `http://tabulary:${password}@127.0.0.1:${port}`;
  const clickhouseUrl = addressOf(ports.http);
  if (nodes === 1) return { clickhouseUrl };
  const others = Array.from({ length: nodes - 1 }, (_, at) =>
    addressOf(stateOf(config.dataDir, `clickhouse-${at + 2}`)?.ports.http),
  );
  return { clickhouseUrl, clickhouseCluster: 'tabulary', clickhouseNodeUrls: [clickhouseUrl, ...others] };
};

/** The settings, with the addresses of what `npm start` runs in the data folder where none are set. */
export const withComponentAddresses = (config: Config): Config => ({
  ...config,
  ...kafkaAccess(config),
  ...clickhouseAccess(config),
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config.js';
import { AppError } from '../lib/errors.js';

/** What `npm start` writes about a component it runs: the ports it listens on, by purpose. */
const stateSchema = z.object({ ports: z.record(z.string(), z.number()) });

const portOf = (dataDir: string, component: string, purpose: string): number | undefined => {
  try {
    const text = readFileSync(join(dataDir, 'embedded', `${component}.json`), 'utf8');
    return stateSchema.parse(JSON.parse(text)).ports[purpose];
  } catch {
    // No such file, or not one of ours: then there is no embedded component in this folder.
    return undefined;
  }
};

const missing = (variable: string, dataDir: string): AppError =>
  new AppError(
    'invalid',
    'bad_configuration',
    `${variable} is not set, and ${dataDir} is not the data folder of npm start`,
  );

/** The settings with the addresses of what `npm start` runs in the data folder in the place of missing ones. */
export const withComponentAddresses = (config: Config): Config => {
  const { dataDir } = config;
  const kafkaPort = portOf(dataDir, 'kafka', 'broker');
  const clickhousePort = portOf(dataDir, 'clickhouse', 'http');
  const kafkaBrokers = config.kafkaBrokers ?? (kafkaPort && [`127.0.0.1:${kafkaPort}`]);
  const clickhouseUrl = config.clickhouseUrl ?? (clickhousePort && `http://127.0.0.1:${clickhousePort}`);
  if (!kafkaBrokers) throw missing('KAFKA_BROKERS', dataDir);
  if (!clickhouseUrl) throw missing('CLICKHOUSE_URL', dataDir);
  return { ...config, kafkaBrokers, clickhouseUrl };
};

/**
 * Starts PostgreSQL, Kafka and ClickHouse before the first integration test.
 *
 * - DATABASE_URL, KAFKA_BROKERS, CLICKHOUSE_URL: external servers; each that is set is used.
 * - otherwise: embedded servers, in a temporary folder.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildAll } from '../../scripts/build.mjs';
import { kafkaSettings } from '../../src/config/kafka-settings.js';
import { startEmbedded } from '../../src/embedded/components.js';
import { createLog, silentLog } from '../../src/lib/log.js';
import { createScope, type Scope } from '../../src/lib/scope.js';
import { migrate } from '../../src/storage/postgres/migrate.js';
import { createEmptyDatabase } from './empty-database.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL with a superuser; each test file creates its own database. */
    databaseUrl: string;
    /** Migrated template database on that server. Nothing may connect to it. */
    templateDatabase: string;
    /** Access to Kafka as settings of the product; each test file uses its own topic prefix. */
    kafka: KafkaAccess;
    /** HTTP URL; each test file creates its own database. */
    clickhouseUrl: string;
  }
}

/** Values of the KAFKA_ settings. */
export type KafkaAccess = Partial<Record<keyof typeof kafkaSettings, string>>;

interface Services {
  databaseUrl: string;
  kafka: KafkaAccess;
  clickhouseUrl: string;
}

const fromEnvironment = (): Partial<Services> => {
  const { DATABASE_URL, KAFKA_BROKERS, CLICKHOUSE_URL } = process.env;
  const kafka: KafkaAccess = Object.fromEntries(
    Object.entries(kafkaSettings).flatMap(([key, { env }]) => {
      const value = process.env[env];
      return value === undefined ? [] : [[key, value]];
    }),
  );
  return {
    ...(DATABASE_URL ? { databaseUrl: DATABASE_URL } : {}),
    ...(KAFKA_BROKERS ? { kafka } : {}),
    ...(CLICKHOUSE_URL ? { clickhouseUrl: CLICKHOUSE_URL } : {}),
  };
};

const needed = (found: Partial<Services>) => ({
  postgres: found.databaseUrl === undefined,
  kafka: found.kafka === undefined,
  clickhouse: found.clickhouseUrl === undefined,
});

const startMissing = async (found: Partial<Services>, scope: Scope): Promise<Partial<Services>> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tabulary-test-'));
  await scope.defer('test data folder', () => rm(dataDir, { recursive: true, force: true }));
  const log = createLog('test-services', process.env.TEST_LOG_LEVEL ?? 'warn', 2);
  const { access } = await startEmbedded({
    dataDir,
    need: needed(found),
    durability: 'off',
    log,
    scope,
  });
  const { databaseUrl, clickhouseUrl, ...kafka } = access;
  return {
    ...(databaseUrl && { databaseUrl }),
    ...(clickhouseUrl && { clickhouseUrl }),
    ...(kafka.kafkaBrokers && { kafka }),
  };
};

/** Creates a migrated database, which those of the tests are copied from. */
const createTemplate = async (databaseUrl: string, scope: Scope): Promise<string> => {
  const { name, databaseUrl: template, drop } = await createEmptyDatabase(databaseUrl);
  await scope.defer('template database', drop);
  await migrate({ databaseUrl: template, log: silentLog });
  return name;
};

export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  await buildAll();
  const scope = createScope(createLog('test-services', 'warn', 2));
  try {
    const found = fromEnvironment();
    const services = { ...(await startMissing(found, scope)), ...found };
    const { databaseUrl, kafka, clickhouseUrl } = services;
    if (!databaseUrl || !kafka || !clickhouseUrl) throw new Error('a service was not started');
    project.provide('databaseUrl', databaseUrl);
    project.provide('templateDatabase', await createTemplate(databaseUrl, scope));
    project.provide('kafka', kafka);
    project.provide('clickhouseUrl', clickhouseUrl);
  } catch (error) {
    await scope.close();
    throw error;
  }
  return () => scope.close();
};

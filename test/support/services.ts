/**
 * Starts what the integration tests need before the first of them: PostgreSQL, Kafka and ClickHouse.
 *
 * - DATABASE_URL, KAFKA_BROKERS, CLICKHOUSE_URL: servers that run already; each that is set is used.
 * - TEST_CONTAINERS=1: containers, when a Docker engine answers.
 * - otherwise: the embedded ones, in a folder that is thrown away.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../../src/embedded/components.js';
import { createLog } from '../../src/lib/log.js';
import { createScope, type Scope } from '../../src/lib/scope.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser address; each test file makes a database of its own. */
    databaseUrl: string;
    /** Comma-separated host:port; each test file uses a topic prefix of its own. */
    kafkaBrokers: string;
    /** HTTP address; each test file makes a database of its own. */
    clickhouseUrl: string;
  }
}

interface Services {
  databaseUrl: string;
  kafkaBrokers: string;
  clickhouseUrl: string;
}

const fromEnvironment = (): Partial<Services> => {
  const { DATABASE_URL, KAFKA_BROKERS, CLICKHOUSE_URL } = process.env;
  return {
    ...(DATABASE_URL ? { databaseUrl: DATABASE_URL } : {}),
    ...(KAFKA_BROKERS ? { kafkaBrokers: KAFKA_BROKERS } : {}),
    ...(CLICKHOUSE_URL ? { clickhouseUrl: CLICKHOUSE_URL } : {}),
  };
};

const needed = (found: Partial<Services>) => ({
  postgres: found.databaseUrl === undefined,
  kafka: found.kafkaBrokers === undefined,
  clickhouse: found.clickhouseUrl === undefined,
});

const startMissing = async (found: Partial<Services>, scope: Scope): Promise<Partial<Services>> => {
  if (process.env.TEST_CONTAINERS === '1') {
    const { startContainers } = await import('./containers.js');
    return startContainers(needed(found), scope);
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'tabulary-test-'));
  await scope.defer('test data folder', () => rm(dataDir, { recursive: true, force: true }));
  const log = createLog('test-services', process.env.TEST_LOG_LEVEL ?? 'warn', 2);
  const { pids: _, ...urls } = await startEmbedded({
    dataDir,
    need: needed(found),
    durability: 'off',
    log,
    scope,
  });
  return urls;
};

export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const scope = createScope(createLog('test-services', 'warn', 2));
  try {
    const found = fromEnvironment();
    const services = { ...(await startMissing(found, scope)), ...found };
    for (const name of ['databaseUrl', 'kafkaBrokers', 'clickhouseUrl'] as const) {
      const url = services[name];
      if (url === undefined) throw new Error(`no service for ${name}`);
      project.provide(name, url);
    }
  } catch (error) {
    await scope.close();
    throw error;
  }
  return () => scope.close();
};

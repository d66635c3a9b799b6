import { resolve } from 'node:path';
import { AppError } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { Scope } from '../lib/scope.js';
import { startClickhouse } from './clickhouse.js';
import type { ComponentContext } from './component.js';
import { type ComponentName, createStateFile } from './component-state.js';
import { lockFolder } from './folder-lock.js';
import { startKafka } from './kafka.js';
import { startPostgres } from './postgres.js';
import type { SupervisedChild } from './supervised-child.js';

export interface EmbeddedOptions {
  /** Holds everything that survives a restart; made when missing. */
  dataDir: string;
  need: { postgres: boolean; kafka: boolean; clickhouse: boolean };
  /** Ports to take; each that is left out is chosen once and remembered in the data folder. */
  ports?: {
    postgres?: number | undefined;
    kafka?: number | undefined;
    kafkaController?: number | undefined;
    clickhouse?: number | undefined;
  };
  /** Where the broker's jars are kept; `.data/kafka-lib` of the checkout when left out. */
  kafkaLibDir?: string | undefined;
  /** `off` gives up PostgreSQL's crash safety for speed; for tests only. */
  durability?: 'full' | 'off';
  log: Log;
  scope: Scope;
}

export interface Embedded {
  databaseUrl?: string;
  kafkaBrokers?: string;
  clickhouseUrl?: string;
  /** The process ids at this moment; undefined for what is not started here or is being restarted. */
  pids(): Record<ComponentName, number | undefined>;
}

/** Waits for all of them, then throws the first failure: nothing is left starting behind the caller's back. */
const settle = async (starts: Promise<unknown>[]): Promise<void> => {
  const outcomes = await Promise.allSettled(starts);
  const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
  // Those that were merely told to stop because another one failed explain nothing.
  const cause =
    failed.find(({ reason }) => !(reason instanceof AppError && reason.code === 'stopped')) ?? failed[0];
  if (cause !== undefined) throw cause.reason;
};

/**
 * Starts the needed components side by side and returns when all of them answer. How to stop them is registered
 * with the scope before the first one starts, so closing the scope is right at any moment.
 */
export const startEmbedded = async (options: EmbeddedOptions): Promise<Embedded> => {
  const { need, ports = {}, log, scope } = options;
  const dataDir = resolve(options.dataDir);
  const children = new Map<ComponentName, SupervisedChild>();
  const stopping = new AbortController();
  const starts: Promise<void>[] = [];

  const stopChildren = async (): Promise<void> => {
    await Promise.all([...children.values()].map((child) => child.stop()));
  };
  const stopAll = async (): Promise<void> => {
    stopping.abort();
    await stopChildren();
    await Promise.allSettled(starts);
  };
  const unlock = lockFolder(dataDir);
  await scope.defer('data folder lock', unlock);
  await scope.defer('embedded components', stopAll);

  const found: Omit<Embedded, 'pids'> = {};
  const start = (name: ComponentName, run: (context: ComponentContext) => Promise<void>): void => {
    const startedAt = Date.now();
    const adopt = (child: SupervisedChild): void => {
      children.set(name, child);
      if (stopping.signal.aborted) throw new AppError('unavailable', 'stopped', `${name} was stopped`);
    };
    const context = { dataDir, state: createStateFile(dataDir, name), log, signal: stopping.signal, adopt };
    starts.push(
      run(context)
        .then(() => log.info({ component: name, ms: Date.now() - startedAt }, 'embedded component started'))
        .catch(async (error: unknown) => {
          // The others need not finish what can not succeed as a whole.
          stopping.abort();
          await stopChildren();
          throw error;
        }),
    );
  };

  if (need.postgres) {
    start('postgres', async (context) => {
      const durability = options.durability ?? 'full';
      found.databaseUrl = await startPostgres(context, { port: ports.postgres, durability });
    });
  }
  if (need.kafka) {
    start('kafka', async (context) => {
      found.kafkaBrokers = await startKafka(context, {
        port: ports.kafka,
        controllerPort: ports.kafkaController,
        libDir: options.kafkaLibDir,
      });
    });
  }
  if (need.clickhouse) {
    start('clickhouse', async (context) => {
      found.clickhouseUrl = await startClickhouse(context, ports.clickhouse);
    });
  }
  await settle(starts);

  const pid = (name: ComponentName): number | undefined => children.get(name)?.pid();
  return {
    ...found,
    pids: () => ({ postgres: pid('postgres'), kafka: pid('kafka'), clickhouse: pid('clickhouse') }),
  };
};

import { resolve } from 'node:path';
import type { Log } from '../lib/log.js';
import type { Scope } from '../lib/scope.js';
import { type ClickhouseAccess, startClickhouse } from './clickhouse.js';
import { createComponentGroup } from './component-group.js';
import type { EmbeddedName } from './component-state.js';
import { lockFolder } from './folder-lock.js';
import { type KafkaAccess, type KafkaChanges, startKafka } from './kafka.js';
import { startPostgres } from './postgres.js';

export interface EmbeddedOptions {
  /** Folder for everything that survives a restart; created if missing. */
  dataDir: string;
  need: { postgres: boolean; kafka: boolean; clickhouse: boolean };
  /** Ports to use; a port that is left out is chosen once and remembered in the data folder. */
  ports?: {
    postgres?: number | undefined;
    kafka?: number | undefined;
    kafkaController?: number | undefined;
    clickhouse?: number | undefined;
  };
  /** @default 1 */
  kafkaNodes?: number;
  /** @default 1 */
  clickhouseNodes?: number;
  /** Properties of the brokers that are added or replace others; for tests. */
  kafkaProperties?: KafkaChanges;
  /** Sources and engines that the product's user may use in ClickHouse in addition to its own tables, such as `KAFKA`. */
  clickhouseSources?: readonly string[];
  /** `off` trades PostgreSQL's crash safety for speed; for tests only. */
  durability?: 'full' | 'off';
  log: Log;
  scope: Scope;
}

/** Connection settings of the components, as texts under the names of the product's settings. Contains passwords. */
export interface EmbeddedAccess extends Partial<KafkaAccess>, Partial<ClickhouseAccess> {
  databaseUrl?: string;
}

export interface Embedded {
  /** Access to the components that were started. */
  readonly access: EmbeddedAccess;
  /** Current process ids; undefined for a component that was not started here or is being restarted. */
  pids(): Record<EmbeddedName, number | undefined>;
  /** Process ids of the brokers, in order of nodes. */
  kafkaPids(): (number | undefined)[];
  /** Process ids of the ClickHouse servers, in order of nodes. */
  clickhousePids(): (number | undefined)[];
}

/**
 * Starts the needed components concurrently and returns when all of them answer. Their shutdown is registered with the scope
 * before the first one starts, so the scope may be closed at any moment.
 */
export const startEmbedded = async (options: EmbeddedOptions): Promise<Embedded> => {
  const { need, ports = {}, kafkaNodes = 1, clickhouseNodes = 1, log, scope } = options;
  const dataDir = resolve(options.dataDir);
  const unlock = lockFolder(dataDir);
  await scope.defer('data folder lock', unlock);
  const group = createComponentGroup(dataDir, log);
  await scope.defer('embedded components', () => group.stop());

  const access: EmbeddedAccess = {};
  if (need.postgres) {
    group.start('postgres', async (context) => {
      const durability = options.durability ?? 'full';
      access.databaseUrl = await startPostgres(context, { port: ports.postgres, durability });
    });
  }
  if (need.kafka) {
    group.start('kafka', async (context) => {
      const { kafka: port, kafkaController: controllerPort } = ports;
      Object.assign(
        access,
        await startKafka(context, {
          nodes: kafkaNodes,
          port,
          controllerPort,
          properties: options.kafkaProperties,
        }),
      );
    });
  }
  if (need.clickhouse) {
    group.start('clickhouse', async (context) => {
      const { clickhouse: port } = ports;
      const sources = options.clickhouseSources ?? [];
      Object.assign(access, await startClickhouse(context, { nodes: clickhouseNodes, port, sources }));
    });
  }
  await group.started();
  const pidsOf = (name: EmbeddedName, nodes: number) =>
    Array.from({ length: nodes }, (_, index) =>
      group.pid(index === 0 ? name : (`${name}-${index + 1}` as const)),
    );
  return {
    access,
    pids: () => ({
      postgres: group.pid('postgres'),
      kafka: group.pid('kafka'),
      clickhouse: group.pid('clickhouse'),
    }),
    kafkaPids: () => pidsOf('kafka', kafkaNodes),
    clickhousePids: () => pidsOf('clickhouse', clickhouseNodes),
  };
};

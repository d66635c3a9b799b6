/** What an operator does with the shards of a ClickHouse cluster. */
import { type PlannedShard, planMoves, type StoreMove } from '../ingest/maintenance/shard-plan.js';
import type { MoveReport, StoreMover } from '../ingest/maintenance/store-mover.js';
import { conflict, invalid } from '../lib/errors.js';
import type { ClickHouse } from '../storage/clickhouse/client.js';
import { readShardSizes, type ShardSizes } from '../storage/clickhouse/shard-sizes.js';
import type { ShardAddress } from '../storage/clickhouse/topology.js';
import { drainingShards, markDraining } from '../storage/postgres/draining-shards.js';
import { countStores, storesOnShards } from '../storage/postgres/shard-stores.js';
import type { Sql } from '../storage/postgres/sql.js';

/** A line of `cluster show`. */
export interface ShardLine extends ShardSizes {
  /** Nodes as `host:port` of the native protocol. */
  readonly nodes: string;
  /** `draining`: nothing new is placed there. */
  readonly state: 'in use' | 'draining' | 'away';
  /** Stores whose rows all lie there. */
  readonly stores: number;
}

export interface ClusterView {
  readonly cluster: string;
  /** Stores whose rows lie on all shards. */
  readonly spreadStores: number;
  readonly shards: readonly ShardLine[];
}

export interface MovedStores extends MoveReport {
  /** Stores that were to be moved. */
  readonly planned: number;
  /** Of a shard that is to be emptied: spread stores, which stay. */
  readonly spreadStores?: number;
}

export interface MoveOptions {
  /** Says what would be done. */
  readonly dryRun: boolean;
  /** How long stores that are written are waited for. */
  readonly waitMs: number;
}

export interface ClusterOperations {
  show(): Promise<ClusterView>;
  /** Moves stores until all shards are as full as each other. */
  rebalance(options: MoveOptions, stop: AbortSignal): Promise<MovedStores>;
  /** Moves all stores off a shard, where nothing new is placed from now on. */
  drain(shard: number, options: MoveOptions, stop: AbortSignal): Promise<MovedStores>;
  /** Lets a shard take stores again. */
  fill(shard: number): Promise<void>;
}

/** A shard of the cluster and the connection to it. */
export interface OperatedShard extends ShardAddress {
  readonly clickhouse: ClickHouse;
}

export interface ClusterParts {
  readonly sql: Sql;
  readonly cluster: string;
  readonly shards: readonly OperatedShard[];
  readonly mover: StoreMover;
}

const nothingMoved: MoveReport = { moved: 0, rows: 0, bytes: 0, left: [] };

export const createClusterOperations = ({ sql, cluster, shards, mover }: ClusterParts): ClusterOperations => {
  const requireShard = (number: number): void => {
    if (!shards.some((shard) => shard.number === number))
      throw invalid(
        'unknown_shard',
        `cluster ${cluster} has no shard ${number}; there are ${shards.map((shard) => shard.number).join(', ')}`,
      );
  };

  const sizes = (): Promise<ShardSizes[]> =>
    Promise.all(shards.map(({ number, clickhouse }) => readShardSizes(number, clickhouse)));

  const plan = async (): Promise<{ moves: readonly StoreMove[]; drains: ReadonlySet<number> }> => {
    const drains = new Set(await drainingShards(sql));
    const found = await sizes();
    const gone = found.find(({ error }) => error !== null);
    if (gone !== undefined)
      throw conflict('shard_away', `shard ${gone.shard} does not answer (${gone.error}): nothing is moved`);
    const planned = found.map(
      ({ shard, bytes, freeBytes }): PlannedShard => ({
        number: shard,
        // Disks without an end are as large as each other.
        capacity: freeBytes === null ? 1 : (bytes ?? 0) + freeBytes,
        drains: drains.has(shard),
      }),
    );
    return { moves: planMoves(planned, await storesOnShards(sql)), drains };
  };

  const carryOut = async (
    moves: readonly StoreMove[],
    { dryRun, waitMs }: MoveOptions,
    stop: AbortSignal,
  ): Promise<MovedStores> => ({
    planned: moves.length,
    ...(dryRun || moves.length === 0 ? nothingMoved : await mover.move(moves, waitMs, stop)),
  });

  const spreadStores = async (): Promise<number> =>
    (await countStores(sql)).find(({ shard }) => shard === null)?.stores ?? 0;

  return {
    async show() {
      const [found, counts, drains] = await Promise.all([sizes(), countStores(sql), drainingShards(sql)]);
      const lines = shards.map(({ number, replicas }, at): ShardLine => {
        const size = found[at] as ShardSizes;
        return {
          ...size,
          nodes: replicas.map(({ host, tcpPort }) => `${host}:${tcpPort}`).join(' '),
          state: size.error !== null ? 'away' : drains.includes(number) ? 'draining' : 'in use',
          stores: counts.find(({ shard }) => shard === number)?.stores ?? 0,
        };
      });
      return {
        cluster,
        spreadStores: counts.find(({ shard }) => shard === null)?.stores ?? 0,
        shards: lines,
      };
    },

    async rebalance(options, stop) {
      return carryOut((await plan()).moves, options, stop);
    },

    async drain(shard, options, stop) {
      requireShard(shard);
      const others = shards.filter(({ number }) => number !== shard);
      const drains = await drainingShards(sql);
      if (others.every(({ number }) => drains.includes(number)))
        throw conflict('last_shard', `shard ${shard} is the last one that takes stores`);
      if (!options.dryRun) await markDraining(sql, shard, true);
      const { moves } = await plan();
      const leaving = moves.filter(({ from }) => from === shard);
      return { ...(await carryOut(leaving, options, stop)), spreadStores: await spreadStores() };
    },

    async fill(shard) {
      requireShard(shard);
      await markDraining(sql, shard, false);
    },
  };
};

/** What an operator does with the shards of a ClickHouse cluster. */
import type { ShardSummary } from '../http/routes/ops-actions.js';
import { type PlannedShard, planMoves, type StoreMove } from '../ingest/maintenance/shard-plan.js';
import type { SpreadMover, StorePlan } from '../ingest/maintenance/spread-mover.js';
import type { MoveReport, StoreMover } from '../ingest/maintenance/store-mover.js';
import { conflict, invalid } from '../lib/errors.js';
import { drainingShards, markDraining } from '../rows/draining-shards.js';
import { readShardSizes } from '../rows/shard-sizes.js';
import { storesOnShards } from '../rows/shard-stores.js';
import { giveUpTables } from '../rows/stores.js';
import type { ShardAddress } from '../rows/topology.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import type { Sql } from '../storage/postgres/sql.js';
import { type ShardsView, viewShards } from './shards.js';

/** A line of `cluster show`. */
export interface ShardWithNodes extends ShardSummary {
  /** As `host:port` of the native protocol. */
  readonly nodes: string;
}

export interface ClusterView extends ShardsView {
  readonly cluster: string;
  readonly shards: readonly ShardWithNodes[];
}

export interface MovedStores extends MoveReport {
  /** Stores that were to be moved. */
  readonly planned: number;
}

export interface MoveOptions {
  /** Says what would be done. */
  readonly dryRun: boolean;
  /** How long stores that are written are waited for. */
  readonly waitMs: number;
}

export interface ClusterOperations {
  show(): Promise<ClusterView>;
  /**
   * Moves stores until all shards are as full as each other, and rows of spread ones to shards that have few of theirs.
   */
  rebalance(options: MoveOptions, stop: AbortSignal): Promise<MovedStores>;
  /** Moves all stores off a shard, also its part of those that are spread, and places nothing new there from now on. */
  drain(shard: number, options: MoveOptions, stop: AbortSignal): Promise<MovedStores>;
  /** Lets a shard take stores again. */
  fill(shard: number): Promise<void>;
}

export interface ClusterParts {
  readonly sql: Sql;
  readonly cluster: string;
  readonly servers: ClickHouseServers;
  readonly addresses: readonly ShardAddress[];
  readonly mover: StoreMover;
  readonly spread: SpreadMover;
}

/** Stores that lie on one shard each, and those that are spread. */
const together = (whole: MovedStores, parts: MovedStores): MovedStores => ({
  planned: whole.planned + parts.planned,
  moved: whole.moved + parts.moved,
  rows: whole.rows + parts.rows,
  bytes: whole.bytes + parts.bytes,
  left: [...whole.left, ...parts.left],
});

const nothingMoved: MoveReport = { moved: 0, rows: 0, bytes: 0, left: [] };

export const createClusterOperations = ({
  sql,
  cluster,
  servers,
  addresses,
  mover,
  spread,
}: ClusterParts): ClusterOperations => {
  const { shards } = servers;
  const requireShard = (number: number): void => {
    if (!shards.some((shard) => shard.number === number))
      throw invalid(
        'unknown_shard',
        `cluster ${cluster} has no shard ${number}; there are ${shards.map((shard) => shard.number).join(', ')}`,
      );
  };

  /** @param emptied A shard that is to be emptied, marked or not. */
  const plan = async (emptied: readonly number[] = []): Promise<readonly StoreMove[]> => {
    const drains = new Set([...(await drainingShards(sql)), ...emptied]);
    const found = await Promise.all(shards.map(readShardSizes));
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
    return planMoves(planned, await storesOnShards(sql));
  };

  const carryOut = async (
    moves: readonly StoreMove[],
    { dryRun, waitMs }: MoveOptions,
    stop: AbortSignal,
  ): Promise<MovedStores> => ({
    planned: moves.length,
    ...(dryRun || moves.length === 0 ? nothingMoved : await mover.move(moves, waitMs, stop)),
  });

  const carryOutSpread = async (
    plans: readonly StorePlan[],
    { dryRun, waitMs }: MoveOptions,
    stop: AbortSignal,
  ): Promise<MovedStores> => ({
    planned: plans.length,
    ...(dryRun || plans.length === 0 ? nothingMoved : await spread.move(plans, waitMs, stop)),
  });

  return {
    async show() {
      const view = await viewShards(sql, servers);
      const nodesOf = (number: number): string =>
        (addresses.find((address) => address.number === number)?.replicas ?? [])
          .map(({ host, tcpPort }) => `${host}:${tcpPort}`)
          .join(' ');
      return {
        cluster,
        ...view,
        shards: view.shards.map((shard) => ({ ...shard, nodes: nodesOf(shard.shard) })),
      };
    },

    async rebalance(options, stop) {
      const whole = await carryOut(await plan(), options, stop);
      if (stop.aborted) return whole;
      const plans = await spread.evening(await drainingShards(sql));
      return together(whole, await carryOutSpread(plans, options, stop));
    },

    async drain(shard, options, stop) {
      requireShard(shard);
      const others = shards.filter(({ number }) => number !== shard);
      const drains = await drainingShards(sql);
      if (others.every(({ number }) => drains.includes(number)))
        throw conflict('last_shard', `shard ${shard} is the last one that takes stores`);
      if (!options.dryRun) await markDraining(sql, shard, true);
      const leaving = (await plan([shard])).filter(({ from }) => from === shard);
      const whole = await carryOut(leaving, options, stop);
      if (stop.aborted) return whole;
      const marked = await drainingShards(sql);
      const closed = shards
        .map(({ number }) => number)
        .filter((one) => one === shard || marked.includes(one));
      return together(whole, await carryOutSpread(await spread.leaving(closed), options, stop));
    },

    async fill(shard) {
      requireShard(shard);
      await markDraining(sql, shard, false);
      await giveUpTables(sql);
    },
  };
};

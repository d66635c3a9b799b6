/**
 * Removes what nobody needs any more, in PostgreSQL and in ClickHouse, and tells what it removed. Every step is
 * idempotent: any number of workers, and an operator's command beside them, may sweep at the same time.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../lib/log.js';
import { abandonSilent } from '../../rows/index.js';
import type { PoolSegments } from '../../rows/pool-segments.js';
import { sweepPools } from '../../rows/pool-sweep.js';
import { isWrittenBy } from '../../rows/segment-ids.js';
import { forgetSegments, isUnnamed, noteReleased, noteUnnamed } from '../../rows/segment-records.js';
import { isServed } from '../../rows/shard-stores.js';
import { makeShardTables } from '../../rows/shard-tables.js';
import { type PoolClass, poolClasses } from '../../rows/slots.js';
import { isWriting, shardSql } from '../../rows/sql.js';
import { deleteLonelyStores, lonelyStores } from '../../rows/stores.js';
import { createTableComparison } from '../../rows/table-comparison.js';
import type { StoreTables } from '../../rows/tables.js';
import type { ShardNumber } from '../../storage/clickhouse/client.js';
import { notHeld } from '../../storage/postgres/held-segments.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { inStates } from '../lifecycle/transitions.js';
import type { Retention } from './retention.js';

/** What lost its last name and is due. */
export interface ReleaseReport {
  /** Segments that no version, upload or compaction names: row in PostgreSQL, partition in ClickHouse. */
  readonly segments: number;
  /** Stores without a dataset: row in PostgreSQL, table in ClickHouse. */
  readonly stores: number;
}

export interface StorageReport extends ReleaseReport {
  /** Versions that retention dropped. */
  readonly versions: number;
  /** Compactions whose worker fell silent. */
  readonly abandonedCompactions: number;
  /** Partitions in ClickHouse that PostgreSQL does not know. */
  readonly orphanSegments: number;
  /** Tables in ClickHouse that PostgreSQL does not know. */
  readonly orphanStores: number;
  /** Segments of versions whose rows are not in ClickHouse. Should always be zero; nothing can be removed. */
  readonly missingSegments: number;
}

export interface StorageSweep {
  /**
   * Drops what is due. Cheap: asks PostgreSQL alone unless there is something.
   * @throws when `stop` is aborted before the end; whoever sweeps next goes on.
   */
  release(stop?: AbortSignal): Promise<ReleaseReport>;
  /** Retention, release, and a comparison of both sides. Throws as well. */
  sweep(stop?: AbortSignal): Promise<StorageReport>;
}

export interface StorageSweepOptions {
  readonly sql: Sql;
  readonly tables: StoreTables;
  readonly pools: PoolSegments;
  /** Least milliseconds between two deletes from the pools of fewer segments than a batch. */
  readonly poolDropIntervalMs: number;
  readonly retention: Retention;
  /** Milliseconds that rows stay after no version names them any more, for readers that began before. */
  readonly graceMs: number;
  readonly onSegmentsRemoved?: (count: number) => void;
  readonly log: Log;
}

const batch = 1_000;

/** Workers do not drop the same rows side by side. */
const dropLockSql = `SELECT pg_try_advisory_xact_lock(hashtext('tabulary drops')) AS held`;
/** Milliseconds between two looks whether another one is done. */
const lockLookMs = 200;

/** Segments of one table that are dropped together: a statement takes some milliseconds for each. */
const perDrop = 50;

/** Segments in the table of a store, as PostgreSQL knows them. */
interface NamedSegments {
  readonly ids: readonly number[];
  readonly storeId: number;
  readonly shard: ShardNumber;
}

/**
 * A segment that was never published (its rows are not noted) had no reader and goes at once. One that was waits for
 * its readers: downloads by time, and uploads that are being joined with a version of its store, however long.
 */
const due = `${isUnnamed} AND ${notHeld} AND (s.rows IS NULL OR (s.unnamed_at <= now() - $1 * interval '1 millisecond'
  AND NOT EXISTS (SELECT 1 FROM processes p JOIN datasets d ON d.id = p.dataset_id
    WHERE d.store_id = s.store_id AND ${inStates(['merge', 'replay'], 'p')})))`;

export const createStorageSweep = (options: StorageSweepOptions): StorageSweep => {
  const { sql, tables, pools, retention, graceMs, log } = options;
  const comparison = createTableComparison({ sql, tables, log });
  // What lies on a shard that the configuration lacks waits for it, and holds nothing else up.
  const isReached = isServed('s', tables.served);

  const dropOwnSegments = async (stop?: AbortSignal): Promise<number> => {
    let dropped = 0;
    for (;;) {
      const found = await sql.query<NamedSegments>(
        `SELECT array_agg(id) AS ids, "storeId", shard FROM (
           SELECT s.id, s.store_id AS "storeId", ${shardSql('s')} AS shard FROM segments s
           WHERE s.slot_map_id IS NULL AND ${due} AND ${isReached} LIMIT ${batch}) AS found
         GROUP BY "storeId", shard`,
        [graceMs],
      );
      for (const { ids, ...store } of found)
        for (let at = 0; at < ids.length; at += perDrop) {
          if (stop?.aborted) return dropped;
          const some = ids.slice(at, at + perDrop);
          await tables.dropSegments(store, some);
          dropped += await forgetSegments(sql, some);
        }
      if (found.reduce((sum, { ids }) => sum + ids.length, 0) < batch) return dropped;
    }
  };

  let poolsDueAt = 0;

  /** A delete takes seconds, whether of one segment or of a thousand: it waits for others, but not for long. */
  const dropPoolSegments = async (stop?: AbortSignal): Promise<number> => {
    let dropped = 0;
    for (;;) {
      const segments = await sql.query<{ id: number; shard: ShardNumber; pool: PoolClass }>(
        `SELECT s.id, ${shardSql('s')} AS shard, m.pool FROM segments s JOIN slot_maps m ON m.id = s.slot_map_id
         WHERE ${due} AND ${isReached} LIMIT ${batch}`,
        [graceMs],
      );
      if (segments.length === 0 || stop?.aborted) return dropped;
      if (segments.length < batch && Date.now() < poolsDueAt) return dropped;
      for (const shard of new Set(segments.map((segment) => segment.shard)))
        for (const pool of poolClasses) {
          const ids = segments
            .filter((segment) => segment.pool === pool && segment.shard === shard)
            .map(({ id }) => id);
          stop?.throwIfAborted();
          await pools.drop({ shard, pool }, ids);
          dropped += await forgetSegments(sql, ids);
        }
      poolsDueAt = Date.now() + options.poolDropIntervalMs;
      if (segments.length < batch) return dropped;
    }
  };

  /** The others wait, without a connection, until what they would have dropped is gone. */
  const dropAlone = async (stop?: AbortSignal): Promise<number> => {
    for (; !stop?.aborted; await sleep(lockLookMs)) {
      const dropped = await sql.tx(async (tx) => {
        const [lock] = await tx.query<{ held: boolean }>(dropLockSql);
        if (lock?.held !== true) return undefined;
        return (await dropOwnSegments(stop)) + (await dropPoolSegments(stop));
      });
      if (dropped !== undefined) return dropped;
    }
    return 0;
  };

  const dropSegments = async (stop?: AbortSignal): Promise<number> => {
    await noteReleased(sql);
    return dropAlone(stop);
  };

  /** Tables that took the chunks of uploads which have ended. */
  const dropIntakes = async (): Promise<void> => {
    const present = await tables.listIntakes();
    if (present.length === 0) return;
    const used = await sql.query<{ id: number }>(
      `SELECT s.id FROM segments s WHERE s.id = ANY ($1) AND (
         EXISTS (SELECT 1 FROM processes p WHERE p.id = s.process_id AND ${isWrittenBy('s.id', 'p')})
         OR EXISTS (SELECT 1 FROM compactions c WHERE c.segment_id = s.id AND ${isWriting('c')}))`,
      [present],
    );
    const ids = new Set(used.map(({ id }) => id));
    for (const id of present) if (!ids.has(id)) await tables.dropIntake(id);
  };

  const dropStores = async (): Promise<number> => {
    const lonely = await lonelyStores(sql, batch);
    if (lonely.length === 0) return 0;
    // Most never had a table.
    const present = new Set(await tables.listStores());
    for (const id of lonely) if (present.has(id)) await tables.dropStore(id);
    return deleteLonelyStores(sql, lonely);
  };

  const release = async (stop?: AbortSignal): Promise<ReleaseReport> => {
    const segments = await dropSegments(stop);
    options.onSegmentsRemoved?.(segments);
    stop?.throwIfAborted();
    await dropIntakes();
    return { segments, stores: await dropStores() };
  };

  return {
    release,
    async sweep(stop) {
      const versions = await retention.apply();
      await makeShardTables({ sql, tables, log });
      const abandonedCompactions = await abandonSilent(sql);
      await noteUnnamed(sql);
      poolsDueAt = 0;
      const released = await release(stop);
      const inPools = await sweepPools({ sql, pools, log }, stop);
      stop?.throwIfAborted();
      return {
        versions,
        ...released,
        abandonedCompactions,
        orphanSegments: (await comparison.dropOrphanSegments()) + inPools.orphans,
        orphanStores: await comparison.dropOrphanStores(),
        missingSegments: (await comparison.findMissing()) + inPools.missing,
      };
    },
  };
};

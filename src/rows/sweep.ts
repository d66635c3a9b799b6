/**
 * Drops what is no longer needed in PostgreSQL and ClickHouse, and reports it. Every step is idempotent: workers and operator commands may
 * sweep at the same time.
 *
 * Nothing is dropped while a backup or restore holds rows. Each step lists candidates, checks that no rows are held, and drops the candidates
 * that are still unreferenced: a restore that ended in between refers to its rows by then, and a backup that starts later does not
 * include them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Leases } from '../jobs/leases.js';
import type { Log } from '../lib/log.js';
import { type ClickHouseServers, servedBy } from '../storage/clickhouse/client.js';
import { areSegmentsHeld } from '../storage/postgres/held-segments.js';
import type { Sql } from '../storage/postgres/sql.js';
import { isWriting } from './compaction-states.js';
import { abandonSilent, createCompactions } from './compactions.js';
import { createDropRows, dropLists, type Remains } from './drop.js';
import { createInventory } from './inventory.js';
import { createDropCopies } from './read-copy-drop.js';
import { placeColumnsSql, placesSql, type SegmentPlace } from './segment-place.js';
import {
  expireUnreferenced,
  forgetSegments,
  isUnreferenced,
  isWrittenBy,
  noteReleased,
  noteUnreferenced,
  readUnreferenced,
} from './segment-records.js';
import { makeShardTables } from './shard-tables.js';
import {
  awayFromHome,
  deleteOrphanedStores,
  emptyTables,
  holdAtHome,
  holdEmpty,
  isServed,
  knownStores,
  orphanedStores,
} from './stores.js';
import type { RowTables } from './tables.js';

/** Numbers of dropped segments and stores. */
export interface ReleaseReport {
  /** Segments that no version, upload or compaction refers to, and whose grace period has expired. */
  readonly segments: number;
  /** Stores without datasets. */
  readonly stores: number;
}

export interface StorageReport extends ReleaseReport {
  /** Compactions whose worker has lost its lease. */
  readonly abandonedCompactions: number;
  /** Segments in ClickHouse that PostgreSQL does not know. */
  readonly orphanSegments: number;
  /** Tables in ClickHouse that PostgreSQL does not know. */
  readonly orphanTables: number;
  /** Segments of versions with a wrong number of rows in ClickHouse. Should always be zero; the sweep cannot repair them. */
  readonly missingSegments: number;
}

export interface Tidy {
  /**
   * Drops what is due. Cheap: one PostgreSQL statement if nothing is due.
   * @throws if `stop` is aborted before the end; the next sweep continues.
   */
  release(stop?: AbortSignal): Promise<ReleaseReport>;
  /** Releases, and compares PostgreSQL with ClickHouse. @throws as `release` */
  sweep(stop?: AbortSignal): Promise<StorageReport>;
  /**
   * Drops unreferenced segments among the given ones at once, without a grace period for readers. Returns what remains of them.
   * @throws Error if another process drops rows for longer than `patienceMs`. The next sweep drops these.
   */
  drop(segmentIds: readonly number[], patienceMs?: number): Promise<Remains>;
}

export interface TidyOptions {
  readonly sql: Sql;
  readonly clickhouse: ClickHouseServers;
  readonly tables: RowTables;
  readonly leases: Leases;
  /** Minimum milliseconds between two deletes from pools of less than a batch of segments. */
  readonly poolDropIntervalMs: number;
  /** Grace period in milliseconds: how long unreferenced rows stay for readers that started before. */
  readonly graceMs: number;
  /** Condition that an upload is reading segments of the store with this id. */
  readonly isBeingRead: (storeId: string) => string;
  readonly onSegmentsRemoved?: (count: number) => void;
  readonly log: Log;
}

const batch = 1_000;

/** Milliseconds between attempts to take the lease. */
const leaseCheckMs = 200;

export const createTidy = (options: TidyOptions): Tidy => {
  const { sql, clickhouse, tables, leases, graceMs, log } = options;
  const inventory = createInventory(sql, clickhouse);
  const dropRows = createDropRows(clickhouse);
  const dropCopies = createDropCopies(sql, clickhouse);
  const compactions = createCompactions({ sql, leases });

  /** Candidates that may still be dropped; none while a backup or restore holds rows. */
  const unlessHeld = async <T>(
    listed: readonly T[],
    stillDue: (listed: readonly T[]) => Promise<readonly T[]>,
  ): Promise<readonly T[]> => (listed.length === 0 || (await areSegmentsHeld(sql)) ? [] : stillDue(listed));

  /**
   * Segments to drop. A segment that was never published (`rows` is null) has no readers and is due at once; others are due after the grace
   * period, unless an upload is reading their store. Segments on a shard that is not configured are left out until the shard is back.
   */
  const readDue = (isPooled: boolean): Promise<SegmentPlace[]> =>
    sql.query<SegmentPlace>(
      `SELECT ${placeColumnsSql} FROM ${placesSql}
       WHERE s.slot_map_id IS ${isPooled ? 'NOT ' : ''}NULL AND ${isUnreferenced} AND ${isServed(servedBy(clickhouse))}
         AND (s.rows IS NULL OR (s.unreferenced_at <= now() - $1 * interval '1 millisecond'
           AND NOT ${options.isBeingRead('s.store_id')})) LIMIT ${batch}`,
      [graceMs],
    );

  const stillUnreferenced = async (listed: readonly SegmentPlace[]): Promise<SegmentPlace[]> => {
    const unreferenced = new Set(
      await readUnreferenced(
        sql,
        listed.map(({ id }) => id),
      ),
    );
    return listed.filter(({ id }) => unreferenced.has(id));
  };

  let poolsDueAt = 0;

  /** A delete from pools takes seconds for one segment or a thousand, so it waits a limited time for more segments. */
  const dropDue = async (isPooled: boolean, stop: AbortSignal): Promise<number> => {
    for (let dropped = 0; ; ) {
      const listed = await readDue(isPooled);
      if (isPooled && listed.length < batch && Date.now() < poolsDueAt) return dropped;
      const due = await unlessHeld(listed, stillUnreferenced);
      for (const segments of dropLists(due)) {
        if (stop.aborted) return dropped;
        await dropRows.rows(segments);
        dropped += await forgetSegments(
          sql,
          segments.map(({ id }) => id),
        );
      }
      if (isPooled && due.length > 0) poolsDueAt = Date.now() + options.poolDropIntervalMs;
      if (due.length < batch) return dropped;
    }
  };

  /** Runs in one process at a time. Others wait up to `patienceMs`, so that their segments are dropped when this returns. */
  const dropSegments = async (stop?: AbortSignal, patienceMs = Infinity): Promise<number> => {
    await noteReleased(sql);
    const deadline = Date.now() + patienceMs;
    for (; !stop?.aborted; await sleep(leaseCheckMs)) {
      const dropped = await leases.whileHeld('drops', '', async (lost) => {
        const ended = AbortSignal.any(stop === undefined ? [lost] : [stop, lost]);
        return (await dropDue(false, ended)) + (await dropDue(true, ended));
      });
      if (dropped !== undefined) return dropped;
      if (Date.now() >= deadline) throw new Error('another process still drops rows');
    }
    return 0;
  };

  /** Drops staging tables of uploads that have ended. */
  const dropStaging = async (): Promise<void> => {
    const present = await tables.listStaging();
    if (present.length === 0) return;
    const used = await sql.query<{ id: number }>(
      `SELECT s.id FROM segments s WHERE s.id = ANY ($1) AND (
         EXISTS (SELECT 1 FROM processes p WHERE p.id = s.process_id AND ${isWrittenBy})
         OR EXISTS (SELECT 1 FROM compactions c WHERE c.segment_id = s.id AND ${isWriting}))`,
      [present],
    );
    const ids = new Set(used.map(({ id }) => id));
    for (const id of present) if (!ids.has(id)) await tables.dropStaging(id);
  };

  /** If a worker dies in between, a table without a store remains, which the next sweep drops. */
  const dropStores = async (): Promise<number> => {
    const gone = await unlessHeld(await orphanedStores(sql, batch), (ids) => deleteOrphanedStores(sql, ids));
    if (gone.length === 0) return 0;
    // Most stores never had a table.
    const present = new Set((await tables.listOwnTables()).map(({ storeId }) => storeId));
    for (const id of gone) if (present.has(id)) await tables.dropOwnTable(id);
    return gone.length;
  };

  const release = async (stop?: AbortSignal, patienceMs?: number): Promise<ReleaseReport> => {
    const segments = await dropSegments(stop, patienceMs);
    options.onSegmentsRemoved?.(segments);
    stop?.throwIfAborted();
    await dropStaging();
    return { segments, stores: await dropStores() };
  };

  /** Drops rows that a crash or a late worker left without a segment, and reports missing rows. */
  const compare = async (stop?: AbortSignal) => {
    let orphanSegments = 0;
    let missingSegments = 0;
    for await (const { stored, missing } of inventory.compare(stop)) {
      for (const { id: segment, storeId: store, shard, pool, rows, found } of missing)
        log.error(
          { segment, store, shard, pool, rows, found },
          'rows of a version are not in ClickHouse as they were',
        );
      missingSegments += missing.length;
      const orphans = await unlessHeld(stored, inventory.unknown);
      for (const segments of dropLists(orphans)) {
        await dropRows.rows(segments);
        const { id: segment, storeId: store, shard, pool } = segments[0]!;
        log.info(
          { store, shard, pool, segment, segments: segments.length },
          'rows dropped that belong to no segment',
        );
      }
      orphanSegments += orphans.length;
    }
    await dropRows.clean();
    return { orphanSegments, missingSegments };
  };

  const dropOrphanTables = async (): Promise<number> => {
    const found = await tables.listOwnTables();
    const present = [...new Set(found.map(({ storeId }) => storeId))];
    const orphans = await unlessHeld(present, async (ids) => {
      const known = new Set(await knownStores(sql, ids));
      return ids.filter((id) => !known.has(id));
    });
    for (const id of orphans) {
      await tables.dropOwnTable(id);
      log.info({ store: id }, 'table dropped that belongs to no dataset');
    }
    // A table without known segments has no readers.
    for (const id of await unlessHeld(present, (ids) => emptyTables(sql, ids)))
      await sql.tx(async (tx) => {
        if (await holdEmpty(tx, id)) await tables.dropOwnTable(id);
      });
    // Rows away from home would become visible when the store goes everywhere, which waits until they are dropped.
    for (const { storeId, shard } of await unlessHeld(found, (listed) => awayFromHome(sql, listed)))
      await sql.tx(async (tx) => {
        if (!(await holdAtHome(tx, storeId))) return;
        await tables.dropOwnTable(storeId, shard);
        log.info({ store: storeId, shard }, 'table dropped that is not at the home of its store');
      });
    return orphans.length;
  };

  return {
    release: (stop) => release(stop),

    async sweep(stop) {
      await makeShardTables({ sql, clickhouse, tables, log });
      const abandonedCompactions = await abandonSilent(sql);
      // Without joins and folds no job does it, and a repair may have been killed.
      await compactions.resume(stop);
      stop?.throwIfAborted();
      await noteUnreferenced(sql);
      poolsDueAt = 0;
      const released = await release(stop);
      const compared = await compare(stop);
      await dropCopies();
      stop?.throwIfAborted();
      return { ...released, abandonedCompactions, ...compared, orphanTables: await dropOrphanTables() };
    },

    async drop(segmentIds, patienceMs) {
      await expireUnreferenced(sql, segmentIds);
      poolsDueAt = 0;
      await release(undefined, patienceMs);
      await dropCopies();
      await dropRows.clean();
      // Clones of others keep the rows that they share.
      const shared = await sql.query<{ id: number }>(
        'SELECT DISTINCT segment_id AS id FROM segment_ranges WHERE segment_id = ANY ($1)',
        [segmentIds],
      );
      const kept = new Set(shared.map(({ id }) => id));
      return dropRows.remains(segmentIds.filter((id) => !kept.has(id)));
    },
  };
};

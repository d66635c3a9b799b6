/**
 * Moves small stores out of tables of their own into pools. No version changes: segments keep their numbers, and say in
 * one transaction that they lie elsewhere now.
 *
 *   1 choose    a store whose segments are few and small, none of them being written
 *   2 copy      all of its segments; what an attempt that died left in the pool goes first
 *   3 compare   count and hash of all rows
 *   4 swap      under the locks of its datasets, if its segments are still the same
 *   5 drop      the sweep drops the table when readers that began before have ended
 *
 * One worker at a time does it, under a lock of PostgreSQL that ends with its connection. One that dies leaves copies in
 * the pool that no segment names.
 */
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { namedColumnOf, type PoolLimits } from '../../model/placement.js';
import type { PoolSegments } from '../../rows/pool-segments.js';
import { holdPools } from '../../rows/pool-sweep.js';
import { moveSegments } from '../../rows/segment-records.js';
import type { SegmentCopier } from '../../rows/segment-writes.js';
import { findSlots, readPlace } from '../../rows/slot-maps.js';
import { noteEmptied, tablesOf } from '../../rows/stores.js';
import type { StoreTables } from '../../rows/tables.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { isStoreWritten } from '../lifecycle/store-writers.js';

export interface TableMover {
  /** Moves what can be moved, until `stop` is aborted; gives the number of stores. */
  move(stop: AbortSignal): Promise<number>;
}

export interface TableMoverOptions {
  readonly sql: Sql;
  readonly tables: StoreTables;
  readonly pools: PoolSegments;
  readonly copier: Pick<SegmentCopier, 'move'>;
  readonly limits: PoolLimits;
  readonly onMoved: () => void;
  readonly log: Log;
}

interface Candidate {
  readonly id: number;
  /** Number of its tables. */
  readonly tables: number;
  readonly shard: number;
}

interface Segment {
  readonly id: number;
  readonly rows: number;
}

/** A store that is not to move back with its next upload: half of what a pool takes. */
const share = 0.5;

const pendingSql = `${isStoreWritten('s')} OR EXISTS (SELECT 1 FROM segments g WHERE g.store_id = s.id AND g.slot_map_id IS NULL AND g.rows IS NULL)`;

const segmentsSql = 'SELECT id, rows FROM segments WHERE store_id = $1 AND slot_map_id IS NULL ORDER BY id';

export const createTableMover = (options: TableMoverOptions): TableMover => {
  const { sql, tables, pools, copier, limits, onMoved, log } = options;
  /** Stores that no pool can take, or that could not be moved. */
  const passed = new Set<number>();

  const choose = async (tx: Sql): Promise<Candidate | undefined> => {
    const [store] = await tx.query<Candidate>(
      `SELECT s.id, ${tablesOf('s')} AS tables, s.shard FROM stores s JOIN segments g ON g.store_id = s.id AND g.slot_map_id IS NULL
       WHERE s.id <> ALL ($3::bigint[]) AND s.emptied_at IS NULL AND s.shard = ANY ($4) AND NOT (${pendingSql})
       GROUP BY s.id HAVING sum(g.rows) <= $1 AND sum(g.bytes) <= $2 ORDER BY s.id LIMIT 1`,
      [limits.maxRows * share, limits.maxBytes * share, [...passed], pools.shards],
    );
    return store;
  };

  /** Nobody publishes, restores, clones or drops a version of the store until the end of the transaction. */
  const isUnchanged = async (tx: Sql, storeId: number, segments: readonly Segment[]): Promise<boolean> => {
    await tx.query('SELECT 1 FROM datasets WHERE store_id = $1 ORDER BY id FOR NO KEY UPDATE', [storeId]);
    const now = await tx.query<Segment>(segmentsSql, [storeId]);
    const [busy] = await tx.query(`SELECT 1 FROM stores s WHERE s.id = $1 AND (${pendingSql})`, [storeId]);
    return busy === undefined && JSON.stringify(now) === JSON.stringify(segments);
  };

  const moveStore = async (
    tx: Sql,
    { id: storeId, tables: number, shard }: Candidate,
    stop: AbortSignal,
  ): Promise<boolean> => {
    const segments = await tx.query<Segment>(segmentsSql, [storeId]);
    const columns = (await tables.columnNames({ storeId: number, shard })).map(namedColumnOf);
    // Committed at once: an upload to one of its datasets holds that, and then wants the map. Slots of a move that comes to
    // nothing serve the next one.
    const mapId = await sql.tx((own) => findSlots(own, storeId, columns));
    if (mapId === null) return false;
    const pool = await readPlace(tx, mapId);
    const from = { storeId: number, shard, pool: null };
    const target = { ...from, pool };
    const table = { shard, pool: pool.pool };
    const segmentIds = segments.map(({ id }) => id);
    await tables.ensure(target, columns);
    if ((await pools.countRows(table, segmentIds)) > 0) await pools.drop(table, segmentIds);
    const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
    if (rows > 0) await copier.move({ from, segmentIds, target, columns, rows }, stop);
    if (!(await isUnchanged(tx, storeId, segments))) return false;
    await moveSegments(tx, segmentIds, mapId);
    await noteEmptied(tx, [number]);
    return true;
  };

  /** False when there is nothing to do, or another worker does it. */
  const moveOne = async (stop: AbortSignal): Promise<boolean> => {
    let storeId: number | undefined;
    try {
      const moved = await sql.tx(async (tx) => {
        if (!(await holdPools(tx))) return false;
        const store = await choose(tx);
        storeId = store?.id;
        return store !== undefined && (await moveStore(tx, store, stop));
      });
      if (moved) {
        onMoved();
        log.info({ store: storeId }, 'small table moved into a pool');
      } else if (storeId !== undefined) passed.add(storeId);
    } catch (error) {
      if (storeId === undefined || stop.aborted) throw error;
      passed.add(storeId);
      log.warn({ err: error, store: storeId, reason: messageOf(error) }, 'small table not moved');
    }
    return storeId !== undefined;
  };

  return {
    async move(stop) {
      passed.clear();
      let moved = 0;
      while (!stop.aborted && (await moveOne(stop))) moved += 1;
      return moved - passed.size;
    },
  };
};

/**
 * Moves stores from one shard of a cluster to another. No version and no segment changes: a store says in one
 * transaction that its rows lie elsewhere.
 *
 *   1 choose    stores that nobody writes; others are waited for
 *   2 copy      their segments, from server to server; what an attempt that died has copied is kept
 *   3 compare   count and hash of each segment
 *   4 switch    under the locks of their datasets, if their segments are still the same
 *   5 drop      the sweep drops the rows on the old shard when readers that began before have ended
 *
 * All of it is one transaction, under the lock that keeps the sweep from what PostgreSQL does not know yet. It ends with
 * the connection, so that a command that was killed leaves nothing but copies that nobody names.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { PoolClass } from '../../model/placement.js';
import type { CopiedTable, ShardCopier } from '../../rows/shard-copy.js';
import { switchShard, tablesOf } from '../../rows/stores.js';
import type { Shard } from '../../storage/clickhouse/client.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { isStoreWritten } from '../lifecycle/store-writers.js';
import { whileMoving } from './move-lock.js';
import { lockStores } from './quiet-stores.js';
import { batchesOf, type MoveBatch, type StoreMove } from './shard-plan.js';

/** Why a store stays where it is. */
export type StayReason = 'written' | 'moved a short while ago' | 'changed meanwhile' | 'failed';

export interface MoveReport {
  readonly moved: number;
  readonly rows: number;
  readonly bytes: number;
  readonly left: readonly { readonly store: number; readonly reason: StayReason; readonly error?: string }[];
}

export interface StoreMover {
  /**
   * Moves stores as planned, until `stop` is aborted.
   * @param waitMs How long stores that are written are waited for.
   */
  move(moves: readonly StoreMove[], waitMs: number, stop: AbortSignal): Promise<MoveReport>;
}

export interface StoreMoverOptions {
  readonly sql: Sql;
  readonly servers: ReadonlyMap<number, Shard>;
  readonly copier: ShardCopier;
  readonly log: Log;
}

interface Segment {
  readonly id: number;
  readonly storeId: number;
  /** Number of the tables of its store. */
  readonly tables: number;
  readonly rows: number;
  readonly bytes: number;
  /** Null: in the table of its store. */
  readonly pool: PoolClass | null;
}

/** A published segment of one of the stores. */
const segmentsSql = `
  SELECT g.id, g.store_id AS "storeId", ${tablesOf('s')} AS tables, g.rows, g.bytes, m.pool
  FROM segments g JOIN stores s ON s.id = g.store_id LEFT JOIN slot_maps m ON m.id = g.slot_map_id
  WHERE g.store_id = ANY ($1) AND g.rows > 0 AND EXISTS (SELECT 1 FROM segment_ranges r WHERE r.segment_id = g.id)
  ORDER BY g.id`;

/** Why stores cannot be moved now, of those that cannot. */
const stayingSql = `
  SELECT s.id AS store, CASE WHEN ${isStoreWritten('s')} THEN 'written' ELSE 'moved a short while ago' END AS reason FROM stores s
  WHERE s.id = ANY ($1) AND (${isStoreWritten('s')} OR s.left_at IS NOT NULL)`;

type Staying = MoveReport['left'][number];

/** How often is looked whether a store is free. */
const lookMs = 500;

const keysOf = (segments: readonly Segment[]): ReadonlySet<string> =>
  new Set(segments.map(({ id, rows, pool }) => `${id}/${rows}/${pool}`));

const isEqual = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((key) => b.has(key));

export const createStoreMover = ({ sql, servers, copier, log }: StoreMoverOptions): StoreMover => {
  const serverOf = (number: number): Shard => {
    const server = servers.get(number);
    if (server === undefined) throw new Error(`there is no shard ${number}`);
    return server;
  };

  /** Copies the segments of one table of each shard; the stores that could not be copied. */
  const copyTable = async (
    { from, to }: MoveBatch,
    table: CopiedTable,
    segments: readonly Segment[],
    stop: AbortSignal,
  ): Promise<Staying[]> => {
    try {
      await copier.copy({ from: serverOf(from), to: serverOf(to), table, segments }, stop);
      return [];
    } catch (error) {
      if (stop.aborted) throw error;
      const stores = new Set(segments.map(({ storeId }) => storeId));
      log.warn({ err: error, stores: stores.size, from, to }, 'stores not moved');
      return [...stores].map((store) => ({ store, reason: 'failed', error: messageOf(error) }));
    }
  };

  const copyStores = async (
    batch: MoveBatch,
    segments: readonly Segment[],
    stop: AbortSignal,
  ): Promise<Staying[]> => {
    const tables = new Map<string, { table: CopiedTable; segments: Segment[] }>();
    for (const segment of segments) {
      const { tables: number, pool } = segment;
      const key = pool ?? String(number);
      const entry = tables.get(key) ?? { table: { storeId: number, pool }, segments: [] };
      entry.segments.push(segment);
      tables.set(key, entry);
    }
    const failed: Staying[] = [];
    for (const { table, segments: some } of tables.values())
      failed.push(...(await copyTable(batch, table, some, stop)));
    return failed;
  };

  /** What holds back those of the stores that cannot be moved now. */
  const staying = (tx: Sql, ids: readonly number[]): Promise<Staying[]> =>
    tx.query<Staying>(stayingSql, [ids]);

  const segmentsOf = (tx: Sql, ids: readonly number[]): Promise<Segment[]> =>
    tx.query<Segment>(segmentsSql, [ids]);

  const without = (ids: readonly number[], left: readonly Staying[]): number[] => {
    const gone = new Set(left.map(({ store }) => store));
    return ids.filter((id) => !gone.has(id));
  };

  const moveBatch = async (tx: Sql, batch: MoveBatch, stop: AbortSignal): Promise<MoveReport> => {
    const here = await tx.query<{ id: number }>('SELECT id FROM stores WHERE id = ANY ($1) AND shard = $2', [
      batch.storeIds,
      batch.from,
    ]);
    const ids = here.map(({ id }) => id);
    const left = await staying(tx, ids);
    const before = await segmentsOf(tx, without(ids, left));
    left.push(...(await copyStores(batch, before, stop)));

    const copied = without(ids, left);
    await lockStores(tx, copied);
    left.push(...(await staying(tx, copied)));
    const now = await segmentsOf(tx, copied);
    for (const id of without(copied, left)) {
      const ofStore = (segments: readonly Segment[]) =>
        keysOf(segments.filter(({ storeId }) => storeId === id));
      if (!isEqual(ofStore(before), ofStore(now))) left.push({ store: id, reason: 'changed meanwhile' });
    }
    const moved = without(copied, left);
    await switchShard(tx, moved, batch);
    const switched = new Set(moved);
    const rows = now.filter(({ storeId }) => switched.has(storeId));
    return {
      moved: moved.length,
      rows: rows.reduce((sum, segment) => sum + segment.rows, 0),
      bytes: rows.reduce((sum, segment) => sum + segment.bytes, 0),
      left,
    };
  };

  const moveAll = async (moves: readonly StoreMove[], stop: AbortSignal): Promise<MoveReport> => {
    const total = { moved: 0, rows: 0, bytes: 0, left: [] as Staying[] };
    for (const batch of batchesOf(moves)) {
      if (stop.aborted) break;
      const report = await whileMoving(sql, (tx) => moveBatch(tx, batch, stop), stop);
      total.moved += report.moved;
      total.rows += report.rows;
      total.bytes += report.bytes;
      total.left.push(...report.left);
      log.info({ from: batch.from, to: batch.to, stores: report.moved }, 'stores moved to another shard');
    }
    return total;
  };

  return {
    async move(moves, waitMs, stop) {
      await whileMoving(
        sql,
        async () => {
          for (const server of servers.values()) await copier.clear(server);
        },
        stop,
      );
      const deadline = Date.now() + waitMs;
      const report = { ...(await moveAll(moves, stop)) };
      const passes = ({ reason }: Staying): boolean => reason === 'written' || reason === 'changed meanwhile';
      while (!stop.aborted && report.left.some(passes) && Date.now() < deadline) {
        await sleep(lookMs, undefined, { signal: stop });
        const again = new Set(report.left.filter(passes).map(({ store }) => store));
        const more = await moveAll(
          moves.filter(({ storeId }) => again.has(storeId)),
          stop,
        );
        report.moved += more.moved;
        report.rows += more.rows;
        report.bytes += more.bytes;
        report.left = [...report.left.filter((one) => !passes(one)), ...more.left];
      }
      return report;
    },
  };
};

/**
 * Moves rows of spread stores between shards: off those that are emptied, and to those that have few. No version and no segment
 * changes: in one transaction a store says that its tables are those of another number, which have all of its rows where they
 * are to be.
 *
 *   1 collect   the shards send the rows that leave them to the others; what an attempt that died has copied is kept
 *   2 unpool    segments in pools, which may lie on any shard, are copied into the new tables too
 *   3 join      on each shard the parts of the old tables that stay are linked beside what came
 *   4 compare   the rows of each segment with those that PostgreSQL has
 *   5 switch    under the locks of the datasets, if nobody writes the store and its segments are still the same
 *   6 drop      the sweep drops the old tables when readers that began before have ended
 *
 * Uploads go on until 5, and what they bring is copied in another turn, shorter than the one before: they leave out the shards
 * that are emptied (`segments.closed_shards`). 1 to 5 are one transaction, as in store-mover.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { namedColumnOf, type PoolPlace, poolClasses } from '../../model/placement.js';
import type { PoolSegments } from '../../rows/pool-segments.js';
import { moveSegments } from '../../rows/segment-records.js';
import type { SegmentCopier } from '../../rows/segment-writes.js';
import type { SpreadCopier } from '../../rows/spread-copy.js';
import {
  betters,
  planEvening,
  planLeaving,
  type SpreadCopy,
  type SpreadPlan,
  wholeShare,
} from '../../rows/spread-plan.js';
import { beginTables, switchTables, tablesOf } from '../../rows/stores.js';
import type { StoreTables } from '../../rows/tables.js';
import type { ClickHouseServers } from '../../storage/clickhouse/client.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { isStoreWritten } from '../lifecycle/store-writers.js';
import { whileMoving } from './move-lock.js';
import { lockStores } from './quiet-stores.js';
import type { MoveReport, StayReason } from './store-mover.js';

export interface SpreadMover {
  /** What leaves the shards that are emptied, of spread stores that have rows there, or are about to get some. */
  leaving(closed: readonly number[]): Promise<readonly StorePlan[]>;
  /** What goes to shards that have few rows of a spread store, as a new one has. */
  evening(closed: readonly number[]): Promise<readonly StorePlan[]>;
  /**
   * Moves rows as planned, until `stop` is aborted.
   * @param waitMs How long stores that are written are waited for.
   */
  move(plans: readonly StorePlan[], waitMs: number, stop: AbortSignal): Promise<MoveReport>;
}

/** Which rows of a store are to lie elsewhere. */
export interface StorePlan {
  readonly storeId: number;
  readonly plan: SpreadPlan;
}

export interface SpreadMoverOptions {
  readonly sql: Sql;
  readonly servers: ClickHouseServers;
  readonly tables: StoreTables;
  readonly pools: PoolSegments;
  readonly copier: SpreadCopier;
  readonly segments: Pick<SegmentCopier, 'move'>;
  readonly log: Log;
}

interface Store {
  readonly id: number;
  readonly tables: number;
  readonly next: number;
  readonly reason: StayReason | null;
}

interface Segment {
  readonly id: number;
  readonly rows: number;
  readonly bytes: number;
  /** Null: in the tables of the store. */
  readonly pool: PoolPlace | null;
}

type Staying = MoveReport['left'][number];

/** What one store came to: why it stays, or what was moved. */
type Turn = { readonly reason: StayReason } | { readonly rows: number; readonly bytes: number };

/** Published segments of the stores that a condition selects. */
const segmentsSql = `
  SELECT g.id, g.rows, g.bytes, (SELECT json_build_object('mapId', m.id, 'pool', m.pool, 'slots', m.slots)
    FROM slot_maps m WHERE m.id = g.slot_map_id) AS pool
  FROM segments g WHERE g.store_id = $1 AND g.rows > 0
    AND EXISTS (SELECT 1 FROM segment_ranges r WHERE r.segment_id = g.id) ORDER BY g.id`;

const pooledSql = `
  SELECT g.id, g.store_id AS store, m.pool FROM segments g JOIN stores s ON s.id = g.store_id
    JOIN slot_maps m ON m.id = g.slot_map_id
  WHERE s.shard IS NULL AND g.rows > 0 AND EXISTS (SELECT 1 FROM segment_ranges r WHERE r.segment_id = g.id)`;

/** Stores with named rows in one of these tables and segments, and those that are written by who may not know of the shards. */
const stayingSql = `
  SELECT s.id FROM stores s WHERE s.shard IS NULL AND (
    EXISTS (SELECT 1 FROM unnest($1::bigint[], $2::bigint[]) AS f (tables, id) JOIN segments g ON g.id = f.id
      WHERE g.store_id = s.id AND f.tables = ${tablesOf('s')}
        AND EXISTS (SELECT 1 FROM segment_ranges r WHERE r.segment_id = g.id))
    OR ${isStoreWritten('s')} AND EXISTS (SELECT 1 FROM segments g
      WHERE g.store_id = s.id AND g.rows IS NULL AND NOT coalesce(g.closed_shards @> $3::int[], false)))`;

const spreadSql = `SELECT s.id, ${tablesOf('s')} AS tables FROM stores s WHERE s.shard IS NULL ORDER BY s.id`;

/** How often is looked whether a store is free. */
const lookMs = 500;

const keysOf = (segments: readonly Segment[]): string =>
  segments.map(({ id, rows, pool }) => `${id}/${rows}/${pool?.mapId}`).join();

const sum = (segments: readonly Segment[], of: 'rows' | 'bytes'): number =>
  segments.reduce((total, segment) => total + (segment[of] ?? 0), 0);

export const createSpreadMover = (options: SpreadMoverOptions): SpreadMover => {
  const { sql, servers, tables, pools, copier, segments: pooled, log } = options;
  const numbers = servers.shards.map(({ number }) => number);

  const columnsOf = async (from: number, segments: readonly Segment[]) => {
    const lists = await Promise.all(
      servers.shards.map(({ number }) => tables.columnNames({ storeId: from, shard: number })),
    );
    const slots = segments.flatMap(({ pool }) => Object.keys(pool?.slots ?? {}));
    return [...new Set([...lists.flat(), ...slots])].map(namedColumnOf);
  };

  /** Segments in pools are few and short: they are copied anew in each turn. */
  const unpool = async (
    { to, plan: { closed } }: SpreadCopy,
    segments: readonly Segment[],
    stop: AbortSignal,
  ): Promise<void> => {
    const maps = new Map(segments.flatMap(({ pool }) => (pool === null ? [] : [[pool.mapId, pool]])));
    for (const pool of maps.values()) {
      const some = segments.filter((segment) => segment.pool?.mapId === pool.mapId);
      const segmentIds = some.map(({ id }) => id);
      await copier.drop(to, segmentIds);
      const move = {
        from: { storeId: to, shard: null, closed, pool },
        target: { storeId: to, shard: null, closed, pool: null },
        segmentIds,
        columns: Object.keys(pool.slots).map(namedColumnOf),
        rows: sum(some, 'rows'),
      };
      await tables.ensure(move.from, []);
      await pooled.move(move, stop);
    }
  };

  const requireWhole = async (to: number, segments: readonly Segment[]): Promise<void> => {
    const counts = await copier.count(to);
    const short = segments.find(({ id, rows }) => counts.get(id) !== rows);
    if (short !== undefined)
      throw new Error(
        `${counts.get(short.id) ?? 0} rows of segment ${short.id} came together of ${short.rows}`,
      );
  };

  const fill = async (copy: SpreadCopy, segments: readonly Segment[], store: Store, stop: AbortSignal) => {
    await copier.make(copy, await columnsOf(store.tables, segments));
    const onCopied = (rows: number, all: number): void =>
      log.info({ store: store.id, rows, all, shards: copy.plan.targets }, 'rows of a spread store copied');
    const rows = await copier.collect(copy, onCopied, stop);
    stop.throwIfAborted();
    await copier.join(copy, stop);
    await unpool(copy, segments, stop);
    await requireWhole(copy.to, segments);
    return rows;
  };

  const storeOf = async (tx: Sql, id: number): Promise<Store | undefined> => {
    const [store] = await tx.query<Store>(
      `SELECT s.id, ${tablesOf('s')} AS tables, s.next_table AS next,
         CASE WHEN s.left_at IS NOT NULL THEN 'moved a short while ago' WHEN ${isStoreWritten('s')} THEN 'written' END AS reason
       FROM stores s WHERE s.id = $1 AND s.shard IS NULL AND s.next_table IS NOT NULL`,
      [id],
    );
    return store;
  };

  const moveOne = async (tx: Sql, { storeId: id, plan }: StorePlan, stop: AbortSignal): Promise<Turn> => {
    const store = await storeOf(tx, id);
    if (store === undefined) return { reason: 'changed meanwhile' };
    // One that is written is copied nevertheless: what is left to do when it is free is short.
    if (store.reason !== null && store.reason !== 'written') return { reason: store.reason };
    const segments = await tx.query<Segment>(segmentsSql, [id]);
    const own = segments.filter(({ pool }) => pool === null);
    const copy = { from: store.tables, to: store.next, plan, segmentIds: own.map((segment) => segment.id) };
    const rows = await fill(copy, segments, store, stop);

    await lockStores(tx, [id]);
    const now = await storeOf(tx, id);
    if (now?.next !== store.next || now.tables !== store.tables) return { reason: 'changed meanwhile' };
    if (now.reason !== null) return { reason: now.reason };
    if (keysOf(await tx.query<Segment>(segmentsSql, [id])) !== keysOf(segments))
      return { reason: 'changed meanwhile' };
    const open = numbers.filter((number) => plan.leaving.get(number) !== wholeShare);
    await moveSegments(
      tx,
      segments.filter(({ pool }) => pool !== null).map((segment) => segment.id),
      null,
    );
    await switchTables(tx, id, open.length === 1 ? (open[0] ?? null) : null);
    const share = rows / Math.max(1, sum(segments, 'rows'));
    return { rows, bytes: Math.round(sum(segments, 'bytes') * share) };
  };

  const tryOne = async (planned: StorePlan, stop: AbortSignal): Promise<Turn | Staying> => {
    const { storeId: id, plan } = planned;
    const next = await beginTables(sql, id);
    try {
      const turn = await whileMoving(sql, (tx) => moveOne(tx, planned, stop), stop);
      // Their rows are those of the tables now.
      if (!('reason' in turn)) await tables.dropCopy(next);
      return turn;
    } catch (error) {
      if (stop.aborted) throw error;
      log.warn({ err: error, store: id, shards: plan.targets }, 'spread store not moved');
      return { store: id, reason: 'failed', error: messageOf(error) };
    }
  };

  return {
    async leaving(closed) {
      const away = new Set(closed);
      const present = (await tables.listSegments()).filter(({ shard }) => away.has(shard));
      const found = new Set(
        (
          await sql.query<{ id: number }>(stayingSql, [
            present.map(({ storeId }) => storeId),
            present.map(({ segmentId }) => segmentId),
            closed,
          ])
        ).map(({ id }) => id),
      );
      const inPools = await sql.query<{ id: number; store: number; pool: string }>(pooledSql);
      for (const { number: shard } of servers.shards.filter(({ number }) => away.has(number)))
        for (const pool of poolClasses) {
          const some = inPools.filter((segment) => segment.pool === pool);
          const there = await pools.present(
            { shard, pool },
            some.map(({ id }) => id),
          );
          for (const { id, store } of some) if (there.has(id)) found.add(store);
        }
      const plan = planLeaving(numbers, closed);
      return [...found].sort((a, b) => a - b).map((storeId) => ({ storeId, plan }));
    },

    async evening(closed) {
      const plans: StorePlan[] = [];
      const rows = await tables.rowsOfStores();
      for (const { id, tables: from } of await sql.query<{ id: number; tables: number }>(spreadSql)) {
        const open = numbers.filter((number) => !closed.includes(number));
        const own = new Map(open.map((shard) => [shard, rows.get(shard)?.get(from) ?? 0]));
        const plan = planEvening(own, closed);
        if (plan !== undefined && betters(own, await copier.changes(from, plan)))
          plans.push({ storeId: id, plan });
      }
      return plans;
    },

    async move(plans, waitMs, stop) {
      const deadline = Date.now() + waitMs;
      const report = { moved: 0, rows: 0, bytes: 0 };
      let left: Staying[] = [];
      for (let todo = plans; ; ) {
        const again: Staying[] = [];
        for (const planned of todo) {
          if (stop.aborted) return { ...report, left: [...left, ...again] };
          const { storeId: id, plan } = planned;
          const turn = await tryOne(planned, stop);
          if ('reason' in turn) again.push({ store: id, ...turn });
          else {
            report.moved += 1;
            report.rows += turn.rows;
            report.bytes += turn.bytes;
            log.info({ store: id, shards: plan.targets, rows: turn.rows }, 'rows of a spread store moved');
          }
        }
        const passes = ({ reason }: Staying) => reason === 'written' || reason === 'changed meanwhile';
        left = [...left, ...again.filter((one) => !passes(one))];
        const waiting = again.filter(passes);
        if (waiting.length === 0 || Date.now() >= deadline) return { ...report, left: [...left, ...waiting] };
        const ids = new Set(waiting.map(({ store }) => store));
        todo = todo.filter(({ storeId }) => ids.has(storeId));
        await sleep(lookMs, undefined, { signal: stop });
      }
    },
  };
};

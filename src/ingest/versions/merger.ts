/**
 * Applies an append, upsert, sync or delete to the version before it, when its turn has come.
 *
 *   1 look      the process stands in phase `merge`; the version before is the dataset's current one
 *   2 bind      its columns are still those that the file was read for; otherwise the file is read again
 *   3 write     only where rows change, types differ or rows lie in two places: one new segment, written by ClickHouse
 *               itself; in a pool while the result fits, else in the table of the store
 *   4 count     the segment holds as many rows as the keys say
 *   5 say so    the dispatcher writes the outcome down and publishes
 *
 * One worker at a time merges a process: the dispatcher holds a lease. One that died leaves a segment that nobody names; the next
 * begins another one. A version that came in between makes 5 void: the merge is done again.
 */

import type { Log } from '../../lib/log.js';
import type { StoredColumn } from '../../model/column.js';
import { isKeyed, type KeyExample } from '../../model/process.js';
import {
  type Place,
  type SegmentFacts,
  type SegmentList,
  segmentId,
  timeColumnOf,
} from '../../model/version.js';
import {
  CopyDiffers,
  countSegments,
  datesOf,
  fitsPool,
  hasSlots,
  isPooled,
  isSamePlace,
  type KeyCounts,
  type Keys,
  type Merge,
  namedColumn,
  type PoolLimits,
  type SegmentMerge,
  segmentListOf,
  type Write,
} from '../../rows/index.js';
import type { ClickHouseServers } from '../../storage/clickhouse/client.js';
import { isClickHouseException, isPassing } from '../../storage/clickhouse/errors.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { type BaseVersion, readBase } from '../layout/base-version.js';
import { joinedColumns, type Layout, storedColumns } from '../layout/layout.js';
import type { MergeRecords, MergeTarget, MergeTurn, UploadTurn } from '../lifecycle/merge-records.js';
import type { Outcome, Step } from '../lifecycle/outcome.js';
import type { MergeColumns } from './column-merge.js';
import { decimalRoom } from './decimal-room.js';
import { joinFacts } from './joined-facts.js';
import { boundTo, conflictingNames, hasKey, isBoundTo, isKeptIn, isStale } from './layout-rebase.js';
import { changesOf, notUnique } from './merge-outcome.js';
import { Miscount } from './miscount.js';

export interface MergerOptions {
  readonly sql: Sql;
  readonly clickhouse: ClickHouseServers;
  readonly write: Pick<Write, 'prepare'>;
  readonly keys: Keys;
  readonly writeMerge: Merge;
  readonly mergeColumns: MergeColumns;
  readonly merges: Pick<MergeRecords, 'turn' | 'begin' | 'countBegun'>;
  readonly poolLimits: PoolLimits;
  readonly log: Log;
}

/** Merges of one process that may go wrong before it is failed. */
const maxMerges = 20;

const failed = (code: string, message: string): Outcome => ({ kind: 'fail', error: { code, message } });

const done: Outcome = { kind: 'done' };

interface Plan extends SegmentMerge {
  /** All rows are written, whatever lies where. */
  readonly anew: boolean;
}

/** What a merge came to: its segments and where they lie. */
interface Written {
  /** Null: no segment was needed. */
  readonly target: MergeTarget | null;
  readonly keepsBase: boolean;
  readonly place: Place;
  readonly list: SegmentList;
}

/** The step of an upload in phase `merge`. */
export const createMerger = (options: MergerOptions): Step => {
  const { sql, clickhouse, write, keys, writeMerge, mergeColumns, merges, poolLimits, log } = options;
  /** Miscounts per process that this worker met. */
  const miscounts = new Map<number, number>();

  const planOf = (turn: UploadTurn, base: BaseVersion | undefined, anew: boolean): Plan => {
    const { layout, placement, processId, attempt } = turn;
    const { mode } = turn;
    return {
      mode,
      anew,
      target: 0,
      targetPlace: placement,
      base:
        base === undefined
          ? { segmentIds: [], rowCount: 0 }
          : { ...segmentListOf(base), rowCount: base.rowCount },
      basePlace: base?.placement ?? placement,
      baseColumns: base?.columns ?? [],
      fileSegment: segmentId(processId, attempt),
      filePlace: placement,
      fileColumns: storedColumns(layout),
      columns: joinedColumns(base?.columns ?? [], layout),
      keyIds: isKeyed(mode) ? (layout.keyIds ?? []) : [],
      keep: layout.onDuplicateKey === 'first' ? 'first' : 'last',
    };
  };

  /** True where segments of both make the version: nothing is replaced, all types agree. */
  const isPlain = (plan: Plan, base: BaseVersion | undefined, counts: KeyCounts): boolean => {
    if (plan.mode === 'delete' || (plan.mode === 'sync' && (base?.rowCount ?? 0) > 0)) return false;
    return (
      isKeptIn(plan.columns, plan.baseColumns) &&
      !plan.anew &&
      counts.known === 0 &&
      counts.distinct === counts.rows
    );
  };

  /** Counts all rows that a list names. */
  const countAll = async (
    turn: UploadTurn,
    base: BaseVersion | undefined,
    columns: readonly StoredColumn[],
    { place, list }: Written,
  ): Promise<SegmentFacts> => {
    const date = timeColumnOf(columns);
    const { rows, ...dates } = await countSegments(clickhouse, place, list, date && namedColumn(date));
    const added = turn.mode === 'delete' ? { rows: 0, bytes: 0 } : turn.facts;
    const all = (base?.rowCount ?? 0) + added.rows;
    const bytes = (base?.byteSize ?? 0) + added.bytes;
    // Bytes of rows that were replaced are not known: they count like the average row.
    return { rows, bytes: all === 0 ? bytes : Math.round((bytes * rows) / all), ...datesOf(dates) };
  };

  /** Rows behind those of the version before were counted with the file, and compared where they were copied. */
  const factsOf = async (
    turn: UploadTurn,
    base: BaseVersion | undefined,
    columns: readonly StoredColumn[],
    written: Written,
  ): Promise<SegmentFacts> => {
    const { layout, facts, datasetId } = turn;
    const joined =
      base !== undefined && written.keepsBase
        ? await joinFacts(sql, datasetId, base, columns, { columns: storedColumns(layout), facts })
        : undefined;
    return joined ?? countAll(turn, base, columns, written);
  };

  /** Writes what has to be written; null when the turn is over. */
  const writeRows = async (
    turn: UploadTurn,
    base: BaseVersion | undefined,
    plan: Plan,
    counts: KeyCounts,
    expected: number,
  ): Promise<Written | null> => {
    const plain = isPlain(plan, base, counts);
    const bytes = (base?.byteSize ?? 0) + turn.facts.bytes;
    const isSmall =
      isPooled(plan.filePlace) &&
      (base === undefined || isPooled(plan.basePlace)) &&
      fitsPool(poolLimits, { rows: expected, bytes });
    const columns = plan.columns.map(namedColumn);
    if (
      plain &&
      isSamePlace(plan.basePlace, plan.filePlace) &&
      (isSmall || !isPooled(plan.filePlace)) &&
      hasSlots(plan.filePlace, columns)
    ) {
      await write.prepare(plan.filePlace, columns);
      return {
        target: null,
        keepsBase: true,
        place: plan.filePlace,
        list: { ...plan.base, segmentIds: [...plan.base.segmentIds, plan.fileSegment] },
      };
    }
    const target = await merges.begin(turn, isSmall ? columns : undefined);
    if (target === null) return null;
    const { segmentId: id, placement: place } = target;
    // A short file behind a large version: only its own rows are copied to where those lie.
    const keepsBase = plain && isSamePlace(plan.basePlace, place);
    const rest = keepsBase ? { base: { segmentIds: [], rowCount: 0 } } : {};
    await writeMerge({ ...plan, ...rest, target: id, targetPlace: place }, counts);
    const list = keepsBase
      ? { ...plan.base, segmentIds: [...plan.base.segmentIds, id] }
      : { segmentIds: [id] };
    return { target, keepsBase, place, list };
  };

  /** Keys that are not unique, in the file or else in the version before; none where the caller said which rows count. */
  const repeatedKeys = async (
    { layout, mode }: UploadTurn,
    plan: SegmentMerge,
    counts: KeyCounts,
  ): Promise<KeyExample[]> => {
    if (!isKeyed(mode) || layout.onDuplicateKey !== 'fail' || plan.keyIds.length === 0) return [];
    const side = counts.distinct < counts.rows ? 'file' : 'base';
    if (side === 'base' && plan.base.segmentIds.length === 0) return [];
    const found = await keys.repeated(plan, side);
    return found.map((example) => ({ in: side === 'file' ? 'file' : 'dataset', ...example }));
  };

  const merge = async (turn: UploadTurn, base: BaseVersion | undefined): Promise<Outcome> => {
    const planned = planOf(turn, base, await isStale(sql, turn));
    await write.prepare(planned.filePlace, planned.fileColumns.map(namedColumn));
    const room = await decimalRoom(clickhouse, keys, planned);
    if (room.kind === 'refused') return { kind: 'fail', error: room.error };
    const plan: Plan = { ...planned, columns: room.columns, narrowed: room.narrowed };
    const counts = await keys.count(plan);
    if (counts.rows !== turn.facts.rows) throw new Miscount('the segment of the file lost rows');
    const repeated = await repeatedKeys(turn, plan, counts);
    if (repeated.length > 0) return { kind: 'fail', error: notUnique(repeated) };
    const { expected, changes } = changesOf(plan, counts, base?.rowCount ?? 0);
    if (turn.maxRows !== null && expected > turn.maxRows)
      return failed(
        'quota_rows',
        `The plan allows ${turn.maxRows} rows per dataset; there would be ${expected}.`,
      );
    const written = await writeRows(turn, base, plan, counts, expected);
    if (written === null) return done;
    const { target, keepsBase } = written;
    const facts = await factsOf(turn, base, plan.columns, written);
    if (facts.rows !== expected) throw new Miscount(`merged to ${facts.rows} rows, not ${expected}`);
    return {
      kind: 'merged',
      number: target?.number ?? null,
      outcome: {
        baseVersionId: base?.versionId ?? null,
        segmentId: target?.segmentId ?? null,
        keepsBase,
        columns: plan.columns,
        facts,
        changes,
      },
    };
  };

  const takeTurn = async (turn: MergeTurn): Promise<Outcome> => {
    const base = await readBase(sql, turn.datasetId);
    if (turn.mode === 'merge_columns') return mergeColumns(turn, base);
    const layout: Layout = boundTo(turn.layout, base, turn.mode);
    if (base === undefined && turn.mode === 'delete')
      return failed('no_version', 'The dataset has no rows yet that could be deleted.');
    const hasEffect = turn.facts.rows > 0 && (turn.mode !== 'delete' || base?.rowCount !== 0);
    if (isKeyed(turn.mode) && hasEffect && (layout.keyIds ?? []).length === 0)
      return failed('no_key', 'Nothing tells rows apart: there is no entity column.');
    if (isKeyed(turn.mode) && !hasKey(layout, base))
      return failed('missing_key', 'The file, or the version before, lacks columns of the key by now.');
    const conflicts = conflictingNames(layout);
    if (conflicts.length > 0)
      return failed(
        'type_conflict',
        `Types of the manifest conflict with those of the dataset: ${conflicts.join(', ')}.`,
      );
    if (!isBoundTo(turn.layout, layout)) return { kind: 'rebased', layout };
    return merge({ ...turn, layout }, base);
  };

  /** What passes, or may pass, is thrown on: the sweep tries again. */
  const judge = async ({ processId }: MergeTurn, error: unknown): Promise<Outcome> => {
    if ((await merges.turn(processId)) === undefined) return done;
    if (error instanceof Miscount || error instanceof CopyDiffers) {
      const count = (miscounts.get(processId) ?? 0) + 1;
      miscounts.set(processId, count);
      if (count < maxMerges) throw error;
      return failed('miscounted', 'The previous version no longer holds all of its rows. Tell the operator.');
    }
    if (!isClickHouseException(error) || isPassing(error)) throw error;
    if ((await merges.countBegun(processId)) < maxMerges) throw error;
    log.error({ err: error, process: processId }, 'ClickHouse refuses a merge for good');
    return failed('store_refused', 'The data store could not join the rows. Tell the operator.');
  };

  return async ({ processId }) => {
    const turn = await merges.turn(processId);
    if (turn === undefined) return done;
    const outcome = await takeTurn(turn).catch((error: unknown) => judge(turn, error));
    miscounts.delete(processId);
    return outcome;
  };
};

/**
 * Applies an append or upsert to the version before it, when its turn has come.
 *
 *   1 look      the process stands in phase `merge`; the version before is the dataset's current one
 *   2 bind      its columns are still those that the file was read for; otherwise the file is read again
 *   3 write     only where rows change or types differ: one new segment, written by ClickHouse itself
 *   4 count     the segment holds as many rows as the keys say
 *   5 record    the outcome (PostgreSQL), then publish
 *
 * One worker at a time merges a process (lease). One that died leaves a segment that nobody names; the next
 * begins another one. A version that came in between makes 5 void: the merge is done again.
 */
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { type StoredColumn, storageName } from '../../model/column.js';
import {
  dateColumnOf,
  frequencyOf,
  type SegmentFacts,
  type SegmentList,
  segmentId,
} from '../../model/version.js';
import type { ClickHouse } from '../../storage/clickhouse/client.js';
import { isClickHouseException, isPassing } from '../../storage/clickhouse/errors.js';
import type { SegmentMerge, SegmentMerger } from '../../storage/clickhouse/segment-writes.js';
import { countSegments } from '../../storage/clickhouse/segments.js';
import type { StoreTables } from '../../storage/clickhouse/tables.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { type BaseVersion, readBase } from '../layout/base-version.js';
import { joinedColumns, type Layout, storedColumns } from '../layout/layout.js';
import type { Leases } from '../processes/leases.js';
import type { ProcessStore } from '../processes/process-store.js';
import { boundTo, conflictingNames, isBoundTo } from './layout-rebase.js';
import type { MergeStore, MergeTurn } from './merge-store.js';
import type { VersionPublisher } from './version-publisher.js';

export interface Merger {
  /** Merges the process in the background unless this or another worker is at it. */
  start(processId: number): void;
  /** Resolves when no merge of this worker runs; none is begun afterwards. */
  close(): Promise<void>;
}

export interface MergerOptions {
  readonly sql: Sql;
  readonly clickhouse: ClickHouse;
  readonly tables: StoreTables;
  readonly segments: SegmentMerger;
  readonly processes: ProcessStore;
  readonly merges: MergeStore;
  readonly leases: Leases;
  readonly publisher: () => VersionPublisher;
  readonly startReplay: (processId: number) => void;
  readonly log: Log;
}

/** Merges of one process that may go wrong before it is failed. */
const maxMerges = 20;

/** Rows that are missing, or too many: a segment that compaction replaced meanwhile, or a store that lost rows. */
class Miscount extends Error {}

export const createMerger = (options: MergerOptions): Merger => {
  const { sql, clickhouse, tables, segments, processes, merges, leases, publisher, log } = options;
  const running = new Map<number, Promise<void>>();
  /** Miscounts per process that this worker met. */
  const miscounts = new Map<number, number>();
  let closing = false;

  const fail = async (turn: MergeTurn, code: string, message: string): Promise<void> => {
    miscounts.delete(turn.processId);
    await processes.fail(turn.processId, { code, message });
    await publisher().publishDue(turn.datasetId);
  };

  const planOf = (turn: MergeTurn, base: BaseVersion | undefined): SegmentMerge => {
    const { layout, storeId, processId, attempt } = turn;
    return {
      storeId,
      target: 0,
      base: { segmentIds: base?.segmentIds ?? [], cuts: base?.cuts ?? [] },
      baseColumns: base?.columns ?? [],
      fileSegment: segmentId(processId, attempt),
      fileColumns: storedColumns(layout),
      columns: joinedColumns(base?.columns ?? [], layout),
      keyIds: turn.mode === 'upsert' ? (layout.keyIds ?? []) : [],
      keep: layout.onDuplicateKey === 'first' ? 'first' : 'last',
    };
  };

  /** True where the segments as they are make the version: nothing is replaced, all types agree. */
  const isPlain = (
    plan: SegmentMerge,
    counts: { rows: number; distinct: number; known: number },
  ): boolean => {
    const physicals = new Map(plan.columns.map(({ id, physical }) => [id, physical]));
    const agree = plan.baseColumns.every(({ id, physical }) => physicals.get(id) === physical);
    return agree && counts.known === 0 && counts.distinct === counts.rows;
  };

  const factsOf = async (
    turn: MergeTurn,
    base: BaseVersion | undefined,
    columns: readonly StoredColumn[],
    segments: SegmentList,
  ): Promise<SegmentFacts> => {
    const date = dateColumnOf(columns);
    const counted = await countSegments(
      clickhouse,
      turn.storeId,
      segments,
      date && { name: storageName(date), physical: date.physical },
    );
    const { rows, minDate, maxDate, medianGapDays } = counted;
    const all = (base?.rowCount ?? 0) + turn.facts.rows;
    const bytes = (base?.byteSize ?? 0) + turn.facts.bytes;
    return {
      rows,
      // Bytes of rows that were replaced are not known: they count like the average row.
      bytes: all === 0 ? bytes : Math.round((bytes * rows) / all),
      minDate,
      maxDate,
      frequency: medianGapDays === null ? null : frequencyOf(medianGapDays),
    };
  };

  const merge = async (turn: MergeTurn, base: BaseVersion | undefined): Promise<void> => {
    const plan = planOf(turn, base);
    await tables.ensure(
      turn.storeId,
      plan.columns.map((column) => ({ name: storageName(column), physical: column.physical })),
    );
    const counts = await segments.countKeys(plan);
    if (counts.rows !== turn.facts.rows) throw new Miscount('the segment of the file lost rows');
    if (counts.distinct < counts.rows && turn.layout.onDuplicateKey === 'fail') {
      const twice = counts.rows - counts.distinct;
      await fail(turn, 'duplicate_key', `The file has ${twice} rows whose key another row of it has too.`);
      return;
    }
    const expected = (base?.rowCount ?? 0) + counts.distinct - counts.known;
    if (turn.maxRows !== null && expected > turn.maxRows) {
      await fail(
        turn,
        'quota_rows',
        `The plan allows ${turn.maxRows} rows per dataset; there would be ${expected}.`,
      );
      return;
    }
    let own: number | null = null;
    if (!isPlain(plan, counts)) {
      own = await merges.begin(turn);
      if (own === null) return;
      await segments.write({ ...plan, target: own }, counts);
    }
    const whole: SegmentList =
      own === null
        ? { ...plan.base, segmentIds: [...plan.base.segmentIds, plan.fileSegment] }
        : { segmentIds: [own] };
    const facts = await factsOf(turn, base, plan.columns, whole);
    if (facts.rows !== expected) throw new Miscount(`merged to ${facts.rows} rows, not ${expected}`);
    await merges.finish(turn, {
      baseVersionId: base?.versionId ?? null,
      segmentId: own,
      columns: plan.columns,
      facts,
    });
    miscounts.delete(turn.processId);
    await publisher().publishDue(turn.datasetId);
  };

  /** Tells whether the file has to be read again for other columns. */
  const takeTurn = async (processId: number): Promise<'done' | 'replay'> => {
    const turn = await merges.turn(processId);
    if (turn === undefined) return 'done';
    const base = await readBase(sql, turn.datasetId);
    const layout: Layout = boundTo(turn.layout, base, turn.mode);
    if (turn.mode === 'upsert' && (layout.keyIds ?? []).length === 0) {
      await fail(turn, 'no_key', 'An upsert needs at least one entity column to tell rows apart.');
      return 'done';
    }
    const conflicts = conflictingNames(layout);
    if (conflicts.length > 0) {
      await fail(
        turn,
        'type_conflict',
        `Types of the manifest conflict with those of the dataset: ${conflicts.join(', ')}.`,
      );
      return 'done';
    }
    if (!isBoundTo(turn.layout, layout)) {
      await merges.rebind(turn, layout);
      return 'replay';
    }
    await merge({ ...turn, layout }, base);
    return 'done';
  };

  const attempt = async (processId: number): Promise<void> => {
    let outcome: 'done' | 'replay' = 'done';
    try {
      await leases.whileHeld(processId, async () => {
        outcome = await takeTurn(processId);
      });
      if ((outcome as string) === 'replay') options.startReplay(processId);
    } catch (error) {
      // The sweep starts it again.
      log.warn({ err: error, process: processId, reason: messageOf(error) }, 'merge broken off');
      const turn = await merges.turn(processId);
      if (turn === undefined) return;
      if (error instanceof Miscount) {
        const count = (miscounts.get(processId) ?? 0) + 1;
        miscounts.set(processId, count);
        if (count < maxMerges) return;
        const message = 'The version before does not hold all of its rows any more. Tell the operator.';
        await fail(turn, 'miscounted', message);
        return;
      }
      if (!isClickHouseException(error) || isPassing(error)) return;
      if ((await merges.countFailure(processId)) < maxMerges) return;
      await fail(turn, 'store_refused', 'The data store could not join the rows. Tell the operator.');
    }
  };

  return {
    start(processId) {
      if (closing || running.has(processId)) return;
      const run = attempt(processId)
        .catch((error: unknown) => log.error({ err: error, process: processId }, 'merge failed'))
        .finally(() => running.delete(processId));
      running.set(processId, run);
    },
    async close() {
      closing = true;
      await Promise.all(running.values());
    },
  };
};

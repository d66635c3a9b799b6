/**
 * Applies an append, upsert, sync or delete to the previous version when it is due.
 *
 *   1 check     the process is in phase `merge`; the previous version is the current one of the dataset
 *   2 bind      if its columns are not those that the file was encoded for, the file is encoded again
 *   3 write     ClickHouse writes the changes as a segment after those of the previous version, or all rows (merged-rows.ts)
 *   4 count     the segment has as many rows as the keys imply
 *   5 settle    the dispatcher records the outcome and publishes
 *
 * One worker at a time merges a process, under a lease of the dispatcher. A worker that dies leaves an unreferenced segment; the next one
 * starts another. If a version is published in between, 5 is void and the merge is repeated.
 */

import type { Log } from '../../lib/log.js';
import { isKeyed, type KeyExample } from '../../model/process.js';
import { lastMerge } from '../../model/version.js';
import { CopyDiffers, type KeyCounts, type Keys, namedColumn, type Write } from '../../rows/index.js';
import type { ClickHouseServers } from '../../storage/clickhouse/client.js';
import { isClickHouseException, isPassing } from '../../storage/clickhouse/errors.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { type BaseVersion, readBase } from '../../uploads/layout/base-version.js';
import type { Layout } from '../../uploads/layout/layout.js';
import type { MergeRecords, MergeTurn, UploadTurn } from '../../uploads/lifecycle/merge-records.js';
import type { Outcome, Step } from '../../uploads/lifecycle/outcome.js';
import type { MergeColumns } from './column-merge.js';
import { decimalRoom } from './decimal-room.js';
import { boundTo, conflictingNames, hasKey, isBoundTo, isStale } from './layout-rebase.js';
import { changesOf, notUnique } from './merge-outcome.js';
import { createMergePauses } from './merge-pauses.js';
import { isBaseKept, type MergePlan, planMerge, uniqueAfter } from './merge-plan.js';
import { createMergedFacts } from './merged-facts.js';
import { createMergedRows, type MergedRowsOptions } from './merged-rows.js';
import { Miscount } from './miscount.js';

interface MergerOptions extends MergedRowsOptions {
  readonly sql: Sql;
  readonly clickhouse: ClickHouseServers;
  readonly write: Pick<Write, 'prepare'>;
  readonly keys: Keys;
  readonly mergeColumns: MergeColumns;
  readonly merges: Pick<MergeRecords, 'turn' | 'begin' | 'countTries'>;
  readonly log: Log;
}

/** Tries after which a process fails, if ClickHouse refuses its merge or does not have the expected rows. */
const maxMerges = 20;

/** Minimum rows on each side of a sync that is compared in buckets of keys. */
const minRowsOfLargeSync = 100_000;

const failed = (code: string, message: string): Outcome => ({ kind: 'fail', error: { code, message } });

const done: Outcome = { kind: 'done' };

/** Step of an upload in phase `merge`. */
export const createMerger = (options: MergerOptions): Step => {
  const { sql, clickhouse, write, keys, mergeColumns, merges, log } = options;
  const writeRows = createMergedRows(options);
  const factsOf = createMergedFacts(sql, clickhouse);
  /** Miscounts by process in this worker. */
  const miscounts = new Map<number, number>();
  const pauses = createMergePauses();

  /** Examples of duplicate keys in the file, otherwise in the previous version; empty if `onDuplicateKey` allows duplicates. */
  const repeatedKeys = async (
    { layout, mode }: UploadTurn,
    plan: MergePlan,
    counts: KeyCounts,
  ): Promise<KeyExample[]> => {
    if (!isKeyed(mode) || layout.onDuplicateKey !== 'fail' || plan.keyIds.length === 0) return [];
    const side = counts.distinct < counts.rows ? 'file' : 'base';
    if (side === 'base' && plan.isUnique) return [];
    const found = await keys.repeated(plan, side);
    return found.map((example) => ({ in: side === 'file' ? 'file' : 'dataset', ...example }));
  };

  const countKeys = async (
    plan: MergePlan,
    { mode, facts }: UploadTurn,
  ): Promise<{ readonly plan: MergePlan; readonly counts: KeyCounts }> => {
    const isLarge = Math.min(facts.rows, plan.base.rowCount) >= minRowsOfLargeSync;
    if (mode !== 'sync' || !isLarge || !isBaseKept(plan)) return { plan, counts: await keys.count(plan) };
    const isUnique = plan.isUnique || (await keys.repeated(plan, 'base')).length === 0;
    const counts = isUnique ? await keys.countSync(plan) : undefined;
    return { plan: { ...plan, isUnique }, counts: counts ?? (await keys.count(plan)) };
  };

  const merge = async (turn: UploadTurn, base: BaseVersion | undefined): Promise<Outcome> => {
    const planned = planMerge(turn, base, await isStale(sql, turn));
    await write.prepare(planned.filePlace, planned.fileColumns.map(namedColumn));
    const room = await decimalRoom(clickhouse, keys, planned);
    if (room.kind === 'refused') return { kind: 'fail', error: room.error };
    const fitting = { ...planned, columns: room.columns, narrowed: room.narrowed };
    const { plan, counts } = await countKeys(fitting, turn);
    if (counts.rows !== turn.facts.rows) throw new Miscount('the segment of the file lost rows');
    const repeated = await repeatedKeys(turn, plan, counts);
    if (repeated.length > 0) return { kind: 'fail', error: notUnique(repeated) };
    const { expected, changes } = changesOf(plan, counts, base?.rowCount ?? 0);
    if (turn.maxRows !== null && expected > turn.maxRows)
      return failed(
        'quota_rows',
        `The plan allows ${turn.maxRows} rows per dataset; there would be ${expected}.`,
      );
    const counted = { counts, changes, expected };
    const written = await writeRows(turn, base, plan, counted);
    if (written === null) return done;
    const { target, keepsBase, own } = written;
    const facts = await factsOf(turn, base, plan, counted, written);
    if (facts.rows !== expected) throw new Miscount(`merged to ${facts.rows} rows, not ${expected}`);
    const uniqueBy = uniqueAfter(plan, turn.layout.onDuplicateKey === 'fail');
    return {
      kind: 'merged',
      number: target?.number ?? null,
      outcome: {
        baseVersionId: base?.versionId ?? null,
        ...(base === undefined ? {} : { baseRepairs: base.repairs }),
        segmentId: target?.segmentId ?? null,
        keepsBase,
        columns: plan.columns,
        facts,
        changes,
        ...(plan.keyIds.length === 0 ? {} : { keyIds: plan.keyIds }),
        ...(own === undefined ? {} : { own }),
        ...(uniqueBy === undefined ? {} : { uniqueBy }),
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
      return failed('no_key', 'The dataset has no key: none of its columns is an entity.');
    if (isKeyed(turn.mode) && !hasKey(layout, base))
      return failed('missing_key', 'The file or the previous version no longer has all columns of the key.');
    const conflicts = conflictingNames(layout);
    if (conflicts.length > 0)
      return failed(
        'type_conflict',
        `Types of the manifest conflict with those of the dataset: ${conflicts.join(', ')}.`,
      );
    if (!isBoundTo(turn.layout, layout)) return { kind: 'rebased', layout };
    return merge({ ...turn, layout }, base);
  };

  /** Fails a process after its last try. Rethrows the error before: the sweep repeats the merge. */
  const outcomeOfError = async (
    { processId, tries: before }: MergeTurn,
    error: unknown,
  ): Promise<Outcome> => {
    if ((await merges.turn(processId)) === undefined) return done;
    if (error instanceof Miscount || error instanceof CopyDiffers) {
      const count = (miscounts.get(processId) ?? 0) + 1;
      miscounts.set(processId, count);
      if (count < maxMerges) throw error;
      return failed('miscounted', 'The previous version no longer holds all of its rows. Tell the operator.');
    }
    const isException = isClickHouseException(error);
    // An outage before the first row was written is no try.
    const tries = await merges.countTries(processId, isException ? before + 1 : before);
    const mayPass = !isException || isPassing(error);
    if (tries < (mayPass ? lastMerge : maxMerges)) {
      if (mayPass && tries > before) pauses.start(processId, tries);
      throw error;
    }
    log.error({ err: error, process: processId }, 'ClickHouse refuses a merge for good');
    const reason = isException && error.type !== undefined ? ` (${error.type})` : '';
    return failed(
      'store_refused',
      `The data store could not join the rows in ${tries} tries${reason}. Tell the operator.`,
    );
  };

  return async ({ processId }) => {
    const turn = await merges.turn(processId);
    if (turn !== undefined && pauses.isPaused(processId, turn.tries)) return done;
    pauses.end(processId);
    if (turn === undefined) return done;
    const outcome = await takeTurn(turn).catch((error: unknown) => outcomeOfError(turn, error));
    miscounts.delete(processId);
    return outcome;
  };
};

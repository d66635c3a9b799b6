/**
 * Writes the rows of a merge, as few as possible:
 *
 *   append    the segment of the file follows those of the previous version; nothing is written
 *   changes   a new segment follows them: added rows, or a patch (rows/merge-patch.ts)
 *   rewrite   a new segment has all rows, because types differ, rows are in two places, much has changed, or the dataset is in a pool
 */
import type { RowChanges } from '../../model/process.js';
import type { Place, SegmentList } from '../../model/version.js';
import {
  type CompactionCandidate,
  fitsPool,
  hasSlots,
  hiddenBy,
  isPooled,
  isSamePlace,
  type KeyCounts,
  type Merge,
  maxPatches,
  namedColumn,
  type PoolLimits,
  rowsOfPatch,
  type Write,
  type WritePatch,
} from '../../rows/index.js';
import type { BaseVersion } from '../../uploads/layout/base-version.js';
import type {
  MergeRecords,
  MergeTarget,
  OwnFacts,
  UploadTurn,
} from '../../uploads/lifecycle/merge-records.js';
import { isBaseKept, isPlain, type MergePlan } from './merge-plan.js';

export interface MergedRowsOptions {
  readonly write: Pick<Write, 'prepare'>;
  readonly writeMerge: Merge;
  readonly writePatch: WritePatch;
  readonly merges: Pick<MergeRecords, 'begin'>;
  readonly poolLimits: PoolLimits;
  /** Largest patch, in percent of the rows of the previous version. */
  readonly patchMaxPercent: number;
  /** Most rows in the patches of a version, whose positions statements keep in memory. */
  readonly patchMaxRows: number;
  /** Called if the new version has more patches than reads should handle. */
  readonly onManyPatches: (dataset: CompactionCandidate) => void;
}

/** Counts by the keys of a file. */
export interface Counted {
  readonly counts: KeyCounts;
  readonly changes: RowChanges;
  /** Rows of the new version. */
  readonly expected: number;
}

/** Segments of the new version, and their place. */
export interface MergedRows {
  /** Null: no segment was written. */
  readonly target: MergeTarget | null;
  readonly keepsBase: boolean;
  readonly place: Place;
  readonly list: SegmentList;
  /** Facts of the written segment; absent: those of the file, or of the version. */
  readonly own?: OwnFacts;
}

/** Bytes that a tombstone counts in the storage of an account: its position. */
const tombstoneBytes = 8;

/** Facts of a segment with only changes. Each row counts like the average row of the file. */
const ownFactsOf = ({ facts }: UploadTurn, changes: RowChanges): OwnFacts => {
  const { inserted, replaced, removed } = changes;
  const rowBytes = facts.rows === 0 ? 0 : facts.bytes / facts.rows;
  return {
    rows: rowsOfPatch(changes),
    bytes: Math.round((inserted + replaced) * rowBytes) + removed * tombstoneBytes,
    hidden: hiddenBy(changes),
  };
};

const patchedRowsOf = ({ patchRows = [] }: SegmentList): number =>
  patchRows.reduce((sum, rows) => sum + rows, 0);

/** Segment list of the previous version with one more segment. */
const withSegment = (
  base: SegmentList,
  segment: number,
  { rows, hidden }: Pick<OwnFacts, 'rows' | 'hidden'>,
): SegmentList => ({
  ...base,
  segmentIds: [...base.segmentIds, segment],
  ...(hidden === 0
    ? {}
    : { patches: [...(base.patches ?? []), segment], patchRows: [...(base.patchRows ?? []), rows] }),
});

/** Writes the segment of a merge, if it needs one. Returns null if the process is no longer due. */
type WriteMerged = (
  turn: UploadTurn,
  base: BaseVersion | undefined,
  plan: MergePlan,
  counted: Counted,
) => Promise<MergedRows | null>;

export const createMergedRows = (options: MergedRowsOptions): WriteMerged => {
  const { write, writeMerge, writePatch, merges, poolLimits, patchMaxPercent, patchMaxRows } = options;

  /** True if the segments of the previous version stay and only changes are written. */
  const writesOnlyChanges = (plan: MergePlan, { counts, changes }: Counted, place: Place): boolean => {
    if (!isSamePlace(plan.basePlace, place) || !isBaseKept(plan)) return false;
    if (isPlain(plan, counts)) return true;
    // Rewriting a small dataset is fast.
    if (isPooled(place)) return false;
    const rows = rowsOfPatch(changes);
    if (hiddenBy(changes) > 0 && patchedRowsOf(plan.base) + rows > patchMaxRows) return false;
    return rows * 100 <= patchMaxPercent * plan.base.rowCount;
  };

  return async (turn, base, plan, counted) => {
    const columns = plan.columns.map(namedColumn);
    const isSmall =
      isPooled(plan.filePlace) &&
      (base === undefined || isPooled(plan.basePlace)) &&
      fitsPool(poolLimits, {
        rows: counted.expected,
        bytes: (base?.byteSize ?? 0) + turn.facts.bytes,
      });
    if (
      isPlain(plan, counted.counts) &&
      isSamePlace(plan.basePlace, plan.filePlace) &&
      (isSmall || !isPooled(plan.filePlace)) &&
      hasSlots(plan.filePlace, columns)
    ) {
      await write.prepare(plan.filePlace, columns);
      return {
        target: null,
        keepsBase: true,
        place: plan.filePlace,
        list: withSegment(plan.base, plan.fileSegment, { rows: turn.facts.rows, hidden: 0 }),
      };
    }
    const target = await merges.begin(turn, isSmall ? columns : undefined);
    if (target === null) return null;
    const { segmentId: id, place } = target;
    const merge = { ...plan, target: id, targetPlace: place };
    if (!writesOnlyChanges(plan, counted, place)) {
      await writeMerge(merge, counted.counts);
      return { target, keepsBase: false, place, list: { segmentIds: [id] } };
    }
    await writePatch(merge, counted.counts, counted.changes);
    const own = ownFactsOf(turn, counted.changes);
    const list = withSegment(plan.base, id, own);
    const { storeId, datasetId } = turn;
    if ((list.patches?.length ?? 0) > maxPatches) options.onManyPatches({ storeId, datasetId });
    return { target, keepsBase: true, place, list, own };
  };
};

/** Plans a merge of a file into the previous version. */
import { isKeyed } from '../../model/process.js';
import { segmentId } from '../../model/version.js';
import { type KeyCounts, type SegmentMerge, segmentListOf } from '../../rows/index.js';
import type { BaseVersion } from '../../uploads/layout/base-version.js';
import { joinedColumns, storedColumns } from '../../uploads/layout/layout.js';
import type { UploadTurn } from '../../uploads/lifecycle/merge-records.js';
import { isKeptIn } from './layout-rebase.js';

export interface MergePlan extends SegmentMerge {
  /** True if all rows must be written again. */
  readonly rewriteAll: boolean;
  /** True if the previous version is known to be unique by the key. */
  readonly isUnique: boolean;
}

/** True if the key includes all columns of a key known to be unique. */
const isUniqueBy = (base: BaseVersion | undefined, keyIds: readonly number[]): boolean => {
  if (base === undefined || base.rowCount === 0) return true;
  if (base.uniqueBy === null) return false;
  const key = new Set(base.columns.filter(({ id }) => keyIds.includes(id)).map(({ storageId }) => storageId));
  return base.uniqueBy.every((id) => key.has(id));
};

/**
 * Storage ids of a unique key of the new version; undefined: not known. Distinct values stay distinct in a wider type.
 * @param isChecked True if the merge found the previous version unique by the key.
 */
export const uniqueAfter = (
  { rewriteAll, columns, keyIds, isUnique }: MergePlan,
  isChecked: boolean,
): readonly number[] | undefined =>
  keyIds.length > 0 && !rewriteAll && (isUnique || isChecked)
    ? columns.filter(({ id }) => keyIds.includes(id)).map(({ storageId }) => storageId)
    : undefined;

export const planMerge = (
  turn: UploadTurn,
  base: BaseVersion | undefined,
  rewriteAll: boolean,
): MergePlan => {
  const { layout, place, processId, attempt, mode } = turn;
  const keyIds = isKeyed(mode) ? (layout.keyIds ?? []) : [];
  return {
    mode,
    rewriteAll,
    isUnique: isUniqueBy(base, keyIds),
    target: 0,
    targetPlace: place,
    base:
      base === undefined
        ? { segmentIds: [], rowCount: 0 }
        : { ...segmentListOf(base), rowCount: base.rowCount },
    basePlace: base?.place ?? place,
    baseColumns: base?.columns ?? [],
    fileSegment: segmentId(processId, attempt),
    filePlace: place,
    fileColumns: storedColumns(layout),
    columns: joinedColumns(base?.columns ?? [], layout),
    keyIds,
    keep: layout.onDuplicateKey === 'first' ? 'first' : 'last',
  };
};

/** True if the stored rows of the previous version can be kept. */
export const isBaseKept = ({ rewriteAll, columns, baseColumns }: MergePlan): boolean =>
  !rewriteAll && isKeptIn(columns, baseColumns);

/** True if the merge only appends all rows of the file. */
export const isPlain = (plan: MergePlan, { known, distinct, rows }: KeyCounts): boolean => {
  if (plan.mode === 'delete' || (plan.mode === 'sync' && plan.base.rowCount > 0)) return false;
  return isBaseKept(plan) && known === 0 && distinct === rows;
};

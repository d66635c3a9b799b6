/**
 * Front door of the code that knows where rows are stored; SQL fragments for statements about the catalog are in sql.ts.
 * Other rooms import these two files; architecture.test.ts lists those that still import others of this folder.
 */

/* Copy: one protocol for merges, compaction, column merges, restore and repair. */
export { type Compactor, createCompactor } from './compact.js';
export {
  abandonSilent,
  type Compactions,
  createCompactions,
  settleRestoredCompactions,
} from './compactions.js';
export { type ComparedVersion, commonKeys, compareVersions, hashOf, type RowChanges } from './compare.js';
export { CopyDiffers, createJoin, type Fingerprint, fingerprintSegment, type Target } from './copy.js';
/* Read: facts about rows. */
export {
  type CountedSegment,
  countDigits,
  countSegments,
  type Digits,
  datesOf,
  readOneRow,
} from './count.js';
export { type DryRun, readDryRun } from './dry-runs.js';
export { widePartColumns } from './engine.js';
export { createSegmentFiles, type SegmentFiles } from './files.js';
export { type Collisions, type ColumnMerge, createFold, type Fold } from './fold.js';
export { createHomeTurns, type HomeTurns } from './homes.js';
export { createKeys, type Keys } from './keys.js';
export { converted, createMerge, type KeyCounts, type Merge, type SegmentMerge } from './merge.js';
/* Types of columns as they are stored. */
export {
  clickHouseType,
  hasSlots,
  isEverywhere,
  isPooled,
  isSamePlace,
  namedColumn,
  placeKey,
  slotMapOf,
  storedAs,
  tablePlace,
} from './place.js';
/* Read: positions of rows, and rows by their number. */
export {
  behind,
  type PlaceColumns,
  placeColumns,
  presentPlace,
  type RowPlace,
  rowPlaceOf,
} from './position.js';
/* Write: a segment and its place. */
export { register, takeSlots, type Wish, type WishValue, wishValue } from './register.js';
export { createSeeker, type Seeker } from './row-number.js';
/* Copy: a dataset of a backup. */
export {
  keepSavedVersion,
  publishSaved,
  readSavedDataset,
  registerSaved,
  type SavedDataset,
  type SavedSegmentRow,
  type StoreHome,
  savedSegments,
  savedTableColumns,
  savedTables,
  skipColumnIds,
} from './saved-dataset.js';
/* Versions of datasets and the segments that they name. */
export { reopenSegments } from './segment-ranges.js';
/* Tidy: what ClickHouse holds. */
export type { ShardSizes } from './shard-sizes.js';
export type { ClickHouseSizes, TableSizes } from './sizes.js';
export { type ColumnDefinition, fitsPool, type PoolLimits, poolClasses } from './slots.js';
/* Read: what a statement reads, and in which order. */
export {
  numberedRows,
  preview,
  type RowSource,
  rowOrder,
  rowOrderAs,
  rowPosition,
  type SegmentSpan,
  type SpannedRows,
  segmentSource,
  serverOf,
  spanSource,
  versionSource,
} from './source.js';
export { insertStore } from './stores.js';
export {
  addOlderVersion,
  addVersion,
  addVersions,
  markVersion,
  removeVersions,
  shareContent,
} from './versions.js';

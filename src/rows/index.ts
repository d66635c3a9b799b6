/**
 * Front door of the code that knows where rows are stored; SQL fragments for statements about the catalog are in sql.ts.
 * Other rooms import these two files and no others of this folder: architecture.test.ts holds them to it.
 */

/* Copy: one protocol for merges, compaction, column merges, restore and repair. */
export { type Compactor, createCompactor, mostPatches } from './compact.js';
export {
  abandonSilent,
  type Compactions,
  createCompactions,
  settleRestoredCompactions,
} from './compactions.js';
export { type CommonTypes, commonKeys, commonTypes, hashOf } from './compare.js';
/* Servers, tables and sizes. */
export { connectServers } from './connect.js';
export { CopyDiffers, createJoin, type Fingerprint, fingerprintSegment, type Target } from './copy.js';
/* Read: facts about rows. */
export {
  type CountedSegment,
  countDigits,
  countSegments,
  type Digits,
  datesOf,
  findDays,
  readOneRow,
} from './count.js';
export { type CrowdedDatasets, createCrowdedDatasets } from './crowded.js';
export { type DryRun, readDryRun } from './dry-runs.js';
export { widePartColumns } from './engine.js';
/* Write: a large dataset on all shards. */
export { createEverywhere, type Everywhere } from './everywhere.js';
export { createSegmentFiles, type SegmentFiles } from './files.js';
export type { HashedSegment } from './hash.js';
export { createHashes, type Hashes, type ReferencedSegment, readNeeded } from './hashes.js';
export { createHomeTurns, type HomeTurns } from './homes.js';
export { type Collisions, type ColumnJoin, type ColumnMerge, createColumnJoin } from './join-columns.js';
export { createKeys, type Keys } from './keys.js';
/* Read: the rows by which two versions differ. */
export { type Lineage, readLineage } from './lineage.js';
export type { CompactionCandidate } from './listed-segment.js';
export { createMerge, type Merge } from './merge.js';
export { createWritePatch, hiddenBy, rowsOfPatch, type WritePatch } from './merge-patch.js';
export { converted, type KeyCounts, type SegmentMerge } from './merge-sql.js';
export { areAlike, pairRows } from './pair.js';
export type { PairPart, PairRows } from './pair-rows.js';
/* Types of columns as they are stored. */
export {
  clickHouseType,
  hasSlots,
  isPooled,
  isSamePlace,
  keyColumns,
  namedColumn,
  placeKey,
  slotMapOf,
  storedAs,
  tablePlace,
} from './place.js';
/* Read: positions of rows, and rows by their number. */
export { behind } from './position.js';
/* Write: a segment and its place. */
export { register, takeSlots, type Wish, type WishValue, wishValue } from './register.js';
/* Tidy: what nobody names is dropped, both sides are compared, and a restore gets an empty place. */
export { createRestoreTarget, type RestoreTarget } from './restored.js';
export { createSeeker, type Seeker } from './row-number.js';
export { strangeColumn } from './saved-columns.js';
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
export { byTable, type SegmentPlace, tableOfSegment } from './segment-place.js';
/* Versions of datasets and the segments that they name. */
export { reopenSegments, type SegmentListRow, segmentListOf } from './segment-ranges.js';
export { restoreHashes } from './segment-records.js';
export { makeShardTablesAtStart } from './shard-tables.js';
export {
  type ClusterView,
  describeNoCluster,
  type RequireServed,
  reportUnservedStores,
  type ShardSummary,
  showCluster,
  viewCluster,
  withAllShards,
} from './shards.js';
export { type ClickHouseSizes, readSizes, readTables, type TableSizes } from './sizes.js';
export { type ColumnDefinition, fitsPool, type PoolLimits, poolClasses } from './slots.js';
/* Read: what a statement reads, and in which order. */
export {
  numberedRows,
  preview,
  type RowSource,
  rowOrder,
  segmentSource,
  serverOf,
  versionSource,
} from './source.js';
/* Read: rows in all versions that had them. */
export { type SegmentSpan, type SpannedRows, spanSource } from './spans.js';
/* Write: rows of uploads. */
export type { EncodedChunk } from './staging.js';
export { insertStore } from './stores.js';
export { createTidy, type ReleaseReport, type StorageReport, type Tidy } from './sweep.js';
export { createRowTables, type RowTables } from './tables.js';
export type { Appended, WholeSegment } from './together.js';
export {
  addOlderVersion,
  addVersion,
  addVersions,
  markVersion,
  removeVersions,
  shareContent,
} from './versions.js';
export { createWrite, type Sealed, type Write } from './write.js';

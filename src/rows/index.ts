/**
 * Public interface of the code that knows where rows are stored; SQL fragments for statements about the catalog are in sql.ts. Other rooms
 * import only these two files of this folder (architecture.test.ts).
 */

/* Write: a segment and its place, rows of uploads, a large dataset on all shards. */

export { createEverywhere, type Everywhere } from './everywhere.js';
export { createHomeTurns, type HomeTurns } from './homes.js';
export { register, takeSlots, type Wish, type WishValue, wishValue } from './register.js';
export { fitsPool, type PoolLimits, poolClasses } from './slots.js';
export { insertStore } from './stores.js';
export type { Appended, WholeSegment } from './together.js';
export { createWrite, type Write } from './write.js';

/* Read: rows of one or two versions, their order, numbers and facts. */

export { type CommonTypes, commonKeys, commonTypes, hashOf } from './compare.js';
export { countDigits, countSegments, type Digits, datesOf, findDays, readOneRow } from './count.js';
export { readDryRun } from './dry-runs.js';
export { type HashedSegment, hashSegments } from './hash.js';
export { createHashes, type Hashes, type ReferencedSegment, readNeeded } from './hashes.js';
export { type Lineage, readLineage } from './lineage.js';
export { areAlike, pairRows } from './pair.js';
export type { PairPart, PairRows } from './pair-rows.js';
export { before, behind } from './position.js';
export { copySource } from './read-copy-source.js';
export { createReadNotes, type ReadNotes } from './read-notes.js';
export { createSeeker, type Seeker } from './row-number.js';
export {
  numberedRows,
  preview,
  type RowSource,
  rowOrder,
  segmentSource,
  serverOf,
  versionSource,
} from './source.js';
export { type SegmentSpan, type SpannedRows, spanSource } from './spans.js';

/* Copy: one protocol for merges, compactions, column merges, restores and repairs. */

export { createCompactor } from './compact.js';
export {
  type Compactions,
  createCompactions,
  datasetsInRepair,
  settleRestoredCompactions,
} from './compactions.js';
export { CopyDiffers, type Target } from './copy.js';
export { type CrowdedDatasets, createCrowdedDatasets } from './crowded-datasets.js';
export { createSegmentFiles, type SegmentFiles } from './files.js';
export { createJoin } from './join.js';
export { type Collisions, type ColumnJoin, type ColumnMerge, createColumnJoin } from './join-columns.js';
export { createKeys, type Keys } from './keys.js';
export { createMerge, type Merge } from './merge.js';
export { createWritePatch, hiddenBy, rowsOfPatch, type WritePatch } from './merge-patch.js';
export { converted, type KeyCounts, type SegmentMerge } from './merge-sql.js';
export { createReadCopier } from './read-copies.js';
export { type CompactionCandidate, maxPatches } from './runs.js';
export { strangeColumn } from './saved-columns.js';
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

/* Tidy: drops unreferenced rows, compares PostgreSQL with ClickHouse, and empties the target of a restore. */

export { createRestoreTarget, type RestoreTarget } from './restored.js';
export { restoreHashes } from './segment-records.js';
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
export { createTidy, type StorageReport, type Tidy } from './sweep.js';

/* Servers, tables, places and stored column types. */

export { connectServers } from './connect.js';
export { widePartColumns } from './engine.js';
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
export { byTable, type SegmentPlace, tableOfSegment } from './segment-place.js';
export { makeShardTablesAtStart } from './shard-tables.js';
export { createRowTables, type RowTables } from './tables.js';

/* Versions of datasets and their segments. */

export { reopenSegments, type SegmentListRow, segmentListOf } from './segment-ranges.js';
export {
  addOlderVersion,
  addVersion,
  addVersions,
  countedRepairs,
  markVersion,
  removeVersions,
  shareContent,
} from './versions.js';

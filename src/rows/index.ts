/**
 * Front door of the code that knows where rows are stored; SQL fragments for statements about the catalog are in sql.ts.
 * Nothing else of this folder is imported from outside.
 */

export { type ComparedVersion, commonKeys, compareVersions, hashOf, type RowChanges } from './compare.js';
/* Read: facts about rows. */
export { type CountedSegment, countDigits, countSegments, type Digits, datesOf } from './count.js';
export { type DryRun, readDryRun } from './dry-runs.js';
/* Types of columns as they are stored. */
export { converted } from './merge-sql.js';
export { type ColumnDefinition, clickHouseType, namedColumn, placeKey, storedAs } from './places.js';
/* Read: positions of rows, and rows by their number. */
export {
  behind,
  type PlaceColumns,
  placeColumns,
  presentPlace,
  type RowPlace,
  rowPlaceOf,
} from './position.js';
export { createSeeker, type Seeker } from './row-number.js';
export { fingerprintSegment, readOneRow, type SegmentFingerprint } from './segments.js';
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
export { widePartColumns } from './table-settings.js';

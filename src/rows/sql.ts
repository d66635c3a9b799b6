/** SQL fragments of the front door, for statements about the catalog that include segments and their places. */
export { isOpen, isSwapping, isWriting } from './compaction-states.js';
export { placeSql, versionPlaceColumn } from './place.js';
export {
  closedRangeSql,
  copySegmentsSql,
  endRangesSql,
  openRangeSql,
  segmentListColumns,
  segmentsOf,
} from './segment-ranges.js';
export { addSegmentSql, countSegmentSql } from './segment-records.js';
export { joinsTableSql, knownSlotsSql, nearMapSql } from './slot-maps.js';
export { shardSql } from './stores.js';
export { likeVersionSql } from './versions.js';

/** SQL fragments for statements of other rooms about segments and their places. */
export { isOpen } from './compaction-states.js';
export { placeSql, versionPlaceColumn } from './place.js';
export { readCopyColumn } from './read-copy-source.js';
export { registerSql, takenTogetherSql } from './register.js';
export {
  closedRangeSql,
  copySegmentsSql,
  endRangesSql,
  openRangeSql,
  segmentListColumns,
  segmentsOf,
} from './segment-ranges.js';
export { countSegmentSql, isNoMerge } from './segment-records.js';
export { shardSql } from './stores.js';
export { likeVersionSql } from './versions.js';

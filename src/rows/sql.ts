/** SQL fragments of the front door, for statements about the catalog that include segments and their places. */
export { placementSql as placeSql, versionPlacementColumn as versionPlaceColumn } from './placements.js';
export { segmentListColumns } from './segment-ranges.js';

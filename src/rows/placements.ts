import { segmentsOf } from './segment-ranges.js';

/** Where a segment lies, of `segments` under this name: a `Placement` as JSON. */
export const placementSql = (segments: string): string =>
  `(SELECT json_build_object('storeId', own.id, 'shard', CASE WHEN NOT own.everywhere THEN own.shard END, 'home', own.shard, 'pool',
      (SELECT json_build_object('mapId', m.id, 'pool', m.pool, 'slots', m.slots)
       FROM slot_maps m WHERE m.id = ${segments}.slot_map_id))
    FROM stores own WHERE own.id = ${segments}.store_id)`;

/**
 * Where the rows of a version lie, for a select list; null without segments. All its segments lie in one place.
 * @param version Alias of the table of versions.
 */
export const versionPlacementColumn = (version: string): string =>
  `(SELECT ${placementSql('g')} FROM (${segmentsOf(`${version}.dataset_id`, `${version}.id`)} LIMIT 1) AS s
    JOIN segments g ON g.id = s.segment_id) AS placement`;

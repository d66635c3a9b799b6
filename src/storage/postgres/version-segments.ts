/**
 * The segments of a version for a select list, in reading order: `"segmentIds"` and, of those that the version
 * has only in part, `cuts`.
 * @param version Expression that gives the version's id.
 */
export const segmentListColumns = (version: string): string =>
  `(SELECT coalesce(json_agg(s.segment_id ORDER BY s.segment_id), '[]')
    FROM version_segments s WHERE s.version_id = ${version}) AS "segmentIds",
   (SELECT coalesce(json_agg(json_build_object('segmentId', s.segment_id, 'rows', s.row_limit)
      ORDER BY s.segment_id), '[]')
    FROM version_segments s WHERE s.version_id = ${version} AND s.row_limit IS NOT NULL) AS cuts`;

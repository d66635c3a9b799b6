/**
 * The segments of versions. No other file writes `segment_ranges`. A row records from which version to which a dataset has a segment, so an
 * append adds one row, however many segments there are.
 *
 * Rules
 *   1. Ranges change under the lock of their dataset.
 *   2. Open ranges (without an end) are those of the current version, which is the newest one.
 *   3. Bounds are ids of existing versions: a range has at least one version, and two versions without a bound between them have the same
 *      segments.
 */
import type { SegmentCut, SegmentList } from '../model/version.js';
import type { Sql } from '../storage/postgres/sql.js';

/**
 * Query of `segment_id` and `before_upload` of the segments of a version.
 * @param dataset, version Expressions of their ids.
 */
export const segmentsOf = (dataset: string, version: string): string => `
  SELECT o.segment_id, o.before_upload FROM segment_ranges o
  WHERE o.dataset_id = ${dataset} AND o.until_version IS NULL AND o.from_version <= ${version}
  UNION ALL
  SELECT c.segment_id, c.before_upload FROM segment_ranges c
  WHERE c.dataset_id = ${dataset} AND c.until_version IS NOT NULL
    AND int8range(c.from_version, c.until_version) @> ${version}`;

/** Condition that a version has the segment. @param segment Expression of its id. */
export const isListed = (segment: string): string =>
  `EXISTS (SELECT 1 FROM segment_ranges r WHERE r.segment_id = ${segment})`;

/** Columns of `segmentListColumns`. Without cuts or patches the lists are empty. */
export interface SegmentListRow extends SegmentList {
  readonly cuts: readonly SegmentCut[];
  readonly patches: readonly number[];
  readonly patchRows: readonly number[];
  /** Stored rows that its patches hide (migrations: `segments.hidden`). */
  readonly hidden: number;
}

/** The segment list of a row, without empty parts. */
export const segmentListOf = ({
  segmentIds,
  cuts,
  patches,
  patchRows,
  hidden,
}: SegmentListRow): SegmentList & { readonly hidden?: number } => ({
  segmentIds,
  ...(cuts.length === 0 ? {} : { cuts }),
  ...(patches.length === 0 ? {} : { patches, patchRows, hidden }),
});

const listed = segmentsOf('v.dataset_id', 'v.id');
const listedPatches = `FROM (${listed}) AS s JOIN segments g ON g.id = s.segment_id WHERE g.patch`;

/** Select-list columns of `SegmentListRow`: the segments of the version `v`, in upload order. */
export const segmentListColumns = `
   (SELECT coalesce(json_agg(s.segment_id ORDER BY s.segment_id), '[]') FROM (${listed}) AS s) AS "segmentIds",
   (SELECT coalesce(json_agg(json_build_object('segmentId', s.segment_id, 'beforeUpload', s.before_upload)
      ORDER BY s.segment_id), '[]') FROM (${listed}) AS s WHERE s.before_upload IS NOT NULL) AS cuts,
   (SELECT coalesce(json_agg(g.id ORDER BY g.id), '[]') ${listedPatches}) AS patches,
   (SELECT coalesce(json_agg(coalesce(g.rows, 0) ORDER BY g.id), '[]') ${listedPatches}) AS "patchRows",
   (SELECT coalesce(sum(g.hidden), 0)::bigint ${listedPatches}) AS hidden`;

/** Versions of a dataset that have a segment. */
export interface SegmentRange {
  readonly segment: number;
  readonly from: number;
  /** Null: open. */
  readonly until: number | null;
  /** The versions have only rows of uploads with a lower number; null: all rows. */
  readonly beforeUpload: number | null;
}

/** Statement that ends the open ranges of a dataset at the version in `version (id)`. */
export const endRangesSql = (dataset: string, condition: string): string => `
  UPDATE segment_ranges r SET until_version = version.id FROM version
  WHERE ${condition} AND r.dataset_id = ${dataset} AND r.until_version IS NULL`;

/** Statement that adds a segment to the version in `version (id)` and later ones. */
export const openRangeSql = (dataset: string, segment: string): string => `
  INSERT INTO segment_ranges (dataset_id, segment_id, from_version)
  SELECT ${dataset}, ${segment}, version.id FROM version`;

/** Statement that adds a segment only to the version in `version (id)`; `oldest (id)` is the next version. */
export const closedRangeSql = (dataset: string, segment: string): string => `
  INSERT INTO segment_ranges (dataset_id, segment_id, from_version, until_version)
  SELECT ${dataset}, ${segment}, version.id, oldest.id FROM version, oldest`;

/**
 * Statement that adds the segments of a version of another dataset in the same store to the first version of a dataset, in `version (id)`.
 */
export const copySegmentsSql = (
  dataset: string,
  from: { readonly dataset: string; readonly version: string },
): string => `
  INSERT INTO segment_ranges (dataset_id, segment_id, from_version, before_upload)
  SELECT ${dataset}, s.segment_id, version.id, s.before_upload
  FROM version, (${segmentsOf(from.dataset, from.version)}) AS s`;

const restoreRangesSql = `
  INSERT INTO segment_ranges (dataset_id, segment_id, from_version, until_version, before_upload)
  SELECT $1, g.id, f.id, u.id, r.before_upload FROM saved_segment_ranges r JOIN new_segments g ON g.old = r.segment_id
    JOIN new_versions f ON f.old = r.from_version LEFT JOIN new_versions u ON u.old = r.until_version
  WHERE r.until_version IS NULL OR u.id IS NOT NULL RETURNING 1`;

/** Restores the ranges of a saved dataset (saved-dataset.ts), with the new ids of versions and segments. */
export const restoreRanges = async (tx: Sql, datasetId: number): Promise<void> => {
  const made = await tx.query(restoreRangesSql, [datasetId]);
  const [saved] = await tx.query<{ ranges: number }>('SELECT count(*) AS ranges FROM saved_segment_ranges');
  if (made.length !== saved?.ranges)
    throw new RangeError('a segment range refers to a missing version or segment');
};

export const insertRanges = async (
  tx: Sql,
  datasetId: number,
  ranges: readonly SegmentRange[],
): Promise<void> => {
  await tx.query(
    `INSERT INTO segment_ranges (dataset_id, segment_id, from_version, until_version, before_upload)
     SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])`,
    [
      datasetId,
      ranges.map(({ segment }) => segment),
      ranges.map(({ from }) => from),
      ranges.map(({ until }) => until),
      ranges.map(({ beforeUpload }) => beforeUpload),
    ],
  );
};

export const removeRanges = async (
  tx: Sql,
  datasetId: number,
  ranges: readonly Pick<SegmentRange, 'segment' | 'from'>[],
): Promise<void> => {
  await tx.query(
    `DELETE FROM segment_ranges r USING unnest($2::bigint[], $3::bigint[]) AS w (segment_id, from_version)
     WHERE r.dataset_id = $1 AND r.segment_id = w.segment_id AND r.from_version = w.from_version`,
    [datasetId, ranges.map(({ segment }) => segment), ranges.map(({ from }) => from)],
  );
};

/**
 * Gives a new version of the dataset the segments of an earlier one, by ending and opening ranges as needed.
 * @param version The new version, newer than all others.
 * @param like The earlier version.
 */
export const reopenSegments = async (
  tx: Sql,
  datasetId: number,
  version: number,
  like: number,
): Promise<void> => {
  await tx.query(
    `WITH wanted AS MATERIALIZED (${segmentsOf('$1', '$3::bigint')}),
     present AS MATERIALIZED (
       SELECT segment_id, before_upload FROM segment_ranges WHERE dataset_id = $1 AND until_version IS NULL
     ), ended AS (
       UPDATE segment_ranges r SET until_version = $2 WHERE r.dataset_id = $1 AND r.until_version IS NULL
         AND NOT EXISTS (SELECT 1 FROM wanted w
           WHERE w.segment_id = r.segment_id AND w.before_upload IS NOT DISTINCT FROM r.before_upload)
     )
     INSERT INTO segment_ranges (dataset_id, segment_id, from_version, before_upload)
     SELECT $1, segment_id, $2, before_upload FROM (TABLE wanted EXCEPT TABLE present) AS opened`,
    [datasetId, version, like],
  );
};

/**
 * Adjusts ranges to removed versions: deletes ranges without remaining versions, and moves other bounds to the next remaining version.
 * @param removed Ids of just deleted versions of the dataset.
 */
export const forgetVersions = async (
  tx: Sql,
  datasetId: number,
  removed: readonly number[],
): Promise<void> => {
  // Removed neighbours are one gap, which ends at the next remaining version.
  const gaps = await tx.query<{ from: number; until: number }>(
    `SELECT min(r.id) AS "from", k.id AS until FROM unnest($2::bigint[]) AS r (id),
       LATERAL (SELECT v.id FROM versions v WHERE v.dataset_id = $1 AND v.id > r.id ORDER BY v.id LIMIT 1) AS k
     GROUP BY k.id`,
    [datasetId, removed],
  );
  for (const { from, until } of gaps) await closeGap(tx, datasetId, from, until);
};

/** The versions from `$2` to below `$3` are removed; `$3` is the next remaining version. */
const closeGapSql = [
  `DELETE FROM segment_ranges r WHERE r.dataset_id = $1 AND r.until_version IS NOT NULL
     AND int8range(r.from_version, r.until_version) <@ int8range($2::bigint, $3::bigint)`,
  `UPDATE segment_ranges r SET from_version = $3 WHERE r.dataset_id = $1 AND r.until_version IS NULL
     AND r.from_version >= $2 AND r.from_version < $3`,
  // Starts one id earlier, to include ranges that end at the first removed version.
  `UPDATE segment_ranges r SET
     from_version = CASE WHEN r.from_version >= $2 AND r.from_version < $3 THEN $3 ELSE r.from_version END,
     until_version = CASE WHEN r.until_version >= $2 AND r.until_version < $3 THEN $3 ELSE r.until_version END
   WHERE r.dataset_id = $1 AND r.until_version IS NOT NULL
     AND int8range(r.from_version, r.until_version) && int8range($2::bigint - 1, $3::bigint)`,
];

const closeGap = async (tx: Sql, datasetId: number, from: number, until: number): Promise<void> => {
  for (const statement of closeGapSql) await tx.query(statement, [datasetId, from, until]);
};

/** Compares the published number of rows of each version with the rows of its segments. */

import type { Hashes, SegmentPlace } from '../../rows/index.js';
import { shardSql } from '../../rows/sql.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { UnreadableVersions, VersionReads } from './version-reads.js';

export interface VersionFault {
  readonly dataset: number;
  readonly name: string;
  readonly version: number;
  /** `version_count`: its segments have another number of rows; `version_missing`: the current version does not exist. */
  readonly fault: 'version_count' | 'version_missing';
  readonly expected: number;
  readonly found: number | null;
}

interface VersionCountsOptions {
  readonly sql: Sql;
  readonly hashes: Pick<Hashes, 'countBefore'>;
  /** Checks that the versions of datasets can be read. */
  readonly check: (datasets: readonly number[]) => ReturnType<VersionReads['check']>;
  readonly dataset: number | undefined;
}

const pageSize = 200;

/** Part of a segment that a version has: its rows before those of an upload. */
interface SegmentStart extends SegmentPlace {
  readonly beforeUpload: number;
}

const segmentStartsSql = `
  SELECT DISTINCT r.segment_id AS id, r.before_upload AS "beforeUpload", g.store_id AS "storeId",
    ${shardSql('g')} AS shard, m.pool
  FROM segment_ranges r JOIN segments g ON g.id = r.segment_id LEFT JOIN slot_maps m ON m.id = g.slot_map_id
  WHERE r.dataset_id = ANY ($1) AND r.before_upload IS NOT NULL`;

/** A running sum over the versions of each dataset: a range adds at its start and subtracts at its end. */
const countsSql = `
  WITH ranges AS (
    SELECT r.dataset_id, r.from_version, r.until_version, CASE WHEN r.before_upload IS NULL THEN g.rows - g.hidden ELSE c.n END AS n
    FROM segment_ranges r JOIN segments g ON g.id = r.segment_id
      LEFT JOIN unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS c (segment_id, before_upload, n)
        ON c.segment_id = r.segment_id AND c.before_upload = r.before_upload
    WHERE r.dataset_id = ANY ($1)
  ), events AS (
    SELECT dataset_id, from_version AS at, n, NULL::bigint AS expected FROM ranges
    UNION ALL SELECT dataset_id, until_version, -n, NULL FROM ranges WHERE until_version IS NOT NULL
    UNION ALL SELECT dataset_id, id, 0, row_count FROM versions WHERE dataset_id = ANY ($1)
  ), counted AS (
    SELECT dataset_id, at, expected, sum(n) OVER (PARTITION BY dataset_id ORDER BY at) AS found FROM events
  )
  SELECT c.dataset_id AS dataset, d.name, c.at AS version, 'version_count' AS fault, c.expected, c.found::bigint AS found
  FROM counted c JOIN datasets d ON d.id = c.dataset_id WHERE c.expected IS NOT NULL AND c.expected <> c.found
  UNION ALL
  SELECT d.id, d.name, d.current_version_id, 'version_missing', 0, NULL FROM datasets d
  WHERE d.id = ANY ($1) AND d.current_version_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.id = d.current_version_id AND v.dataset_id = d.id)
  ORDER BY 1, 3`;

/** Reports each fault. Returns the number of checked versions. */
export const wrongVersions = async (
  { sql, hashes, check, dataset }: VersionCountsOptions,
  report: (fault: VersionFault | UnreadableVersions) => void,
): Promise<number> => {
  const countStarts = async (starts: readonly SegmentStart[]): Promise<number[]> => {
    const counts: number[] = [];
    for (const start of starts) counts.push(await hashes.countBefore(start, start.beforeUpload));
    return counts;
  };

  const wrongCounts = async (datasets: readonly number[]): Promise<VersionFault[]> => {
    const starts = await sql.query<SegmentStart>(segmentStartsSql, [datasets]);
    const counts = await countStarts(starts);
    return sql.query<VersionFault>(countsSql, [
      datasets,
      starts.map(({ id }) => id),
      starts.map(({ beforeUpload }) => beforeUpload),
      counts,
    ]);
  };

  let versions = 0;
  for (let after = 0; ; ) {
    const page = await sql.query<{ id: number; n: number }>(
      `SELECT d.id, (SELECT count(*)::int FROM versions v WHERE v.dataset_id = d.id) AS n FROM datasets d
       WHERE d.id > $1 AND ($2::bigint IS NULL OR d.id = $2) ORDER BY d.id LIMIT ${pageSize}`,
      [after, dataset ?? null],
    );
    versions += page.reduce((sum, { n }) => sum + n, 0);
    const wrong = await wrongCounts(page.map(({ id }) => id));
    // A compaction may have replaced segments between the two reads.
    if (wrong.length > 0)
      for (const fault of await wrongCounts([...new Set(wrong.map((one) => one.dataset))])) report(fault);
    for (const fault of await check(page.map(({ id }) => id))) report(fault);
    if (page.length < pageSize) return versions;
    after = page.at(-1)?.id ?? after;
  }
};

/**
 * Folding replaces the bases and patches of a version by one segment without patches, so that reads are as fast as after an upload. Older
 * versions keep their segments, so each fold takes the disk space of a copy of the table: it happens seldom, and only if the plan of the
 * account has that space.
 */
import type { Sql } from '../storage/postgres/sql.js';
import { inState, isExpired, isWriting } from './compaction-states.js';
import type { CompactionCandidate } from './runs.js';

export interface FoldLimits {
  /** Minimum rows in patches, in percent of the rows of the version. */
  readonly minPercent: number;
  /** Rows in patches from which a version is folded, whatever their share. */
  readonly minRows: number;
  /** Minimum milliseconds between two folds of a dataset or its clones. */
  readonly intervalMs: number;
  /** True if the plans of all accounts that a fold of the dataset affects allow so many more raw bytes. */
  readonly hasRoom: (datasetId: number, bytes: number) => Promise<boolean>;
}

/** After a fold that failed or whose worker died, the next one waits for the interval divided by this. */
const failedDivisor = 100;

/**
 * Condition that a fold of a store started within the interval.
 * @param store Expression of its id.
 * @param interval Parameter with milliseconds.
 */
export const foldedLatelySql = (store: string, interval: string): string =>
  `EXISTS (SELECT 1 FROM compactions c WHERE c.store_id = ${store} AND c.folds AND c.created_at >
     now() - ${interval}::double precision * interval '1 millisecond' / CASE
     WHEN ${inState('abandoned')} OR ${isWriting} AND ${isExpired} THEN ${failedDivisor} ELSE 1 END)`;

/** Condition that a current version still has all of these segments; otherwise copying them would be useless. */
export const isCurrentSql = (run: string): string =>
  `EXISTS (SELECT 1 FROM segment_ranges r WHERE r.segment_id = ANY (${run}) AND r.until_version IS NULL
     GROUP BY r.dataset_id HAVING count(*) = cardinality(${run}))`;

/** Datasets whose current version has enough rows in patches, in random order. */
export const foldCandidates = (
  sql: Sql,
  { minPercent, minRows, intervalMs }: Omit<FoldLimits, 'hasRoom'>,
): Promise<CompactionCandidate[]> =>
  sql.query<CompactionCandidate>(
    `SELECT d.store_id AS "storeId", d.id AS "datasetId"
     FROM (
       SELECT r.dataset_id, sum(g.rows) AS rows FROM segments g JOIN segment_ranges r ON r.segment_id = g.id
       WHERE g.patch AND r.until_version IS NULL GROUP BY r.dataset_id
     ) p JOIN datasets d ON d.id = p.dataset_id JOIN versions v ON v.id = d.current_version_id
     WHERE (p.rows * 100 >= $1::numeric * v.row_count OR p.rows >= $3) AND NOT ${foldedLatelySql('d.store_id', '$2')}
     ORDER BY random() LIMIT 200`,
    [minPercent, intervalMs, minRows],
  );

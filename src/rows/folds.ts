/**
 * Folding: a version with many patched rows gets one segment that has its rows and no patch. Reads of it then cost what they cost after
 * an upload. Older versions keep the segments that they have, so each fold takes the room of a copy of the table: it is done seldom,
 * and only where the plan of the account has that room.
 */
import type { Sql } from '../storage/postgres/sql.js';
import { inState, isExpired, isWriting } from './compaction-states.js';
import type { CompactionCandidate } from './runs.js';

export interface FoldLimits {
  /** Least share of rows in patches, in percent of the rows of a version, from which they are folded. */
  readonly minPercent: number;
  /** Rows in patches from which they are folded, whatever their share is. */
  readonly minRows: number;
  /** Least milliseconds between two folds of a dataset, or of its clones. */
  readonly intervalMs: number;
  /** True if all accounts that keep more after a fold of a dataset may store so many raw bytes more. */
  readonly hasRoom: (datasetId: number, bytes: number) => Promise<boolean>;
}

/** Part of the interval that the next fold waits for after one that failed or whose worker died. */
const failedShare = 100;

/**
 * Condition that a fold of a store was begun a short time ago.
 * @param store Its id.
 * @param interval Milliseconds, as a parameter.
 */
export const foldedLatelySql = (store: string, interval: string): string =>
  `EXISTS (SELECT 1 FROM compactions c WHERE c.store_id = ${store} AND c.folds AND c.created_at >
     now() - ${interval}::double precision * interval '1 millisecond' / CASE
     WHEN ${inState('c', 'abandoned')} OR ${isWriting('c')} AND ${isExpired('c')} THEN ${failedShare} ELSE 1 END)`;

/** Condition that a current version has all of these segments: what was joined or replaced meanwhile is not copied for nothing. */
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

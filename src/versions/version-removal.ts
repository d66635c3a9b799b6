import { AppError } from '../lib/errors.js';
import { maxVersionDays } from '../model/plan.js';
import { removeVersions } from '../rows/index.js';
import type { Sql } from '../storage/postgres/sql.js';

/** A plan may have more days than PostgreSQL can subtract from the present. */
const keepDays = `least(d.keep_days, p.max_version_days, ${maxVersionDays})`;

/**
 * Versions that retention removes, of all datasets or of one (`$1`). It keeps the current version and pinned ones. The current version counts
 * among the newest ones to keep; pinned ones do not. The age of a version is the time since it was replaced, so a version that was current
 * for a year can still be restored for the full time of the setting.
 */
export const dueVersionsSql = `
  WITH held AS (
    SELECT dataset_id, count(*) AS count, min(created_at) AS oldest FROM versions
    WHERE $1::bigint IS NULL OR dataset_id = $1 GROUP BY dataset_id
  )
  SELECT id, "datasetId" FROM (
    SELECT v.id, v.dataset_id AS "datasetId", v.pinned, v.id = d.current_version_id AS current,
      count(*) FILTER (WHERE NOT v.pinned OR v.id = d.current_version_id) OVER newest AS place,
      lag(v.created_at) OVER newest AS replaced_at,
      least(d.keep_versions, p.max_versions) AS most,
      ${keepDays} AS days
    FROM datasets d JOIN repositories r ON r.id = d.repository_id JOIN accounts a ON a.id = r.created_by
      JOIN plans p ON p.name = a.plan JOIN held h ON h.dataset_id = d.id
        AND (h.count > least(d.keep_versions, p.max_versions)
          OR h.oldest < now() - ${keepDays} * interval '1 day')
      JOIN versions v ON v.dataset_id = d.id
    WINDOW newest AS (PARTITION BY v.dataset_id ORDER BY v.id DESC)
  ) AS listed
  WHERE NOT pinned AND NOT current
    AND (place > most OR replaced_at < now() - days * interval '1 day')`;

/** Removes the versions of a dataset that retention does not keep. The caller holds the lock of the dataset. Returns their ids. */
export const removeDue = async (tx: Sql, datasetId: number): Promise<number[]> => {
  const due = (await tx.query<{ id: number }>(dueVersionsSql, [datasetId])).map(({ id }) => id);
  await removeVersions(tx, datasetId, due);
  return due;
};

/** @throws AppError `quota_exceeded` if the next sweep would remove versions of a dataset that is being restored. */
export const requireRetained = async (tx: Sql, datasetId: number): Promise<void> => {
  const due = await tx.query(dueVersionsSql, [datasetId]);
  if (due.length === 0) return;
  throw new AppError(
    'quota',
    'quota_exceeded',
    `The plan of the repository's owner would remove ${due.length} of these versions at once, by their number or age: restore one with --version, or change the plan.`,
  );
};

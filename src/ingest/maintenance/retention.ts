import type { Log } from '../../lib/log.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { removeVersions } from '../versions/version-removal.js';

/** Drops versions that neither their dataset nor its owner's plan keeps. */
export interface Retention {
  /** Gives the number of versions that were dropped. */
  apply(): Promise<number>;
}

export interface RetentionOptions {
  readonly sql: Sql;
  readonly onDropped?: (versions: number) => void;
  readonly log: Log;
}

/**
 * Versions that go, of all datasets or of one (`$1`). The current version and pinned ones stay. The current one
 * counts among the newest, pinned ones do not. The age of a version begins when it was replaced by the next one: a
 * version that stood for a year can still be restored for as long as the setting says.
 */
const dueSql = `
  SELECT id, "datasetId" FROM (
    SELECT v.id, v.dataset_id AS "datasetId", v.pinned, v.id = d.current_version_id AS current,
      count(*) FILTER (WHERE NOT v.pinned OR v.id = d.current_version_id) OVER newest AS place,
      lag(v.created_at) OVER newest AS replaced_at,
      least(d.keep_versions, p.max_versions) AS most,
      least(d.keep_days, p.max_version_days) AS days
    FROM datasets d JOIN repositories r ON r.id = d.repository_id JOIN accounts a ON a.id = r.created_by
      JOIN plans p ON p.name = a.plan JOIN versions v ON v.dataset_id = d.id
    WHERE ($1::bigint IS NULL OR d.id = $1)
      AND coalesce(d.keep_versions, p.max_versions, d.keep_days, p.max_version_days) IS NOT NULL
    WINDOW newest AS (PARTITION BY v.dataset_id ORDER BY v.id DESC)
  ) AS listed
  WHERE NOT pinned AND NOT current
    AND (place > most OR replaced_at < now() - days * interval '1 day')`;

export const createRetention = ({ sql, onDropped, log }: RetentionOptions): Retention => {
  /** Under the lock of the dataset: a version that is restored, pinned or cloned meanwhile is looked at as it is then. */
  const applyTo = (datasetId: number): Promise<number> =>
    sql.tx(async (tx) => {
      await tx.query('SELECT 1 FROM datasets WHERE id = $1 FOR NO KEY UPDATE', [datasetId]);
      const gone = (await tx.query<{ id: number }>(dueSql, [datasetId])).map(({ id }) => id);
      if (gone.length === 0) return 0;
      await removeVersions(tx, datasetId, gone);
      log.info({ dataset: datasetId, versions: gone }, 'versions dropped by retention');
      return gone.length;
    });

  return {
    async apply() {
      const due = await sql.query<{ datasetId: number }>(
        `SELECT DISTINCT "datasetId" FROM (${dueSql}) AS due ORDER BY 1`,
        [null],
      );
      let dropped = 0;
      for (const { datasetId } of due) dropped += await applyTo(datasetId);
      onDropped?.(dropped);
      return dropped;
    },
  };
};

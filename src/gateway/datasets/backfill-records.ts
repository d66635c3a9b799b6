import { isHeldSql } from '../../jobs/leases.js';
import { isPending } from '../../storage/postgres/process-states.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { isEnabledSql, type SeriesSource } from './series-dataset-records.js';

/** Vintages to load, oldest first, each with the id of its future version. */
export interface BackfillPlan {
  /** YYYY-MM-DD. */
  readonly days: readonly string[];
  /** Lower than the ids of all other versions that the dataset will get. */
  readonly versionIds: readonly number[];
  /** Older vintages, which retention would not keep. */
  readonly skipped: number;
}

/** Current state of a backfill that is due. */
export interface DueBackfill extends Omit<SeriesSource, 'schedule'>, Omit<BackfillPlan, 'skipped'> {
  readonly datasetId: number;
  readonly accountId: number;
  readonly failures: number;
  /** Start of validity of the oldest version of the dataset; null without versions. */
  readonly firstAt: Date | null;
  /** Why there is no version; null: the first upload is in progress, or there is a version. */
  readonly firstError: string | null;
  /** Rows of the current version. */
  readonly rows: number;
  /** Versions that retention will keep in addition to the existing ones; null: any number. */
  readonly room: number | null;
  /** An upload of one of its vintages is pending. */
  readonly isUploading: boolean;
}

/** Outcome of a step. */
export interface BackfillOutcome {
  /** Vintages that are skipped, since retention would not keep them. */
  readonly skipped: number;
  /** Null: it succeeded. */
  readonly error: string | null;
  /** Null: nothing is left to do. */
  readonly nextAt: Date | null;
}

export interface BackfillRecords {
  /** Number of versions that retention keeps of a dataset; null: any number. */
  kept(datasetId: number): Promise<number | null>;
  /** Reserves ids of versions, ascending. */
  reserveVersions(count: number): Promise<readonly number[]>;
  /** Call it once the dataset is registered as made of series. */
  insert(datasetId: number, plan: BackfillPlan): Promise<void>;
  /** Datasets whose next step is due and that no process works on, most overdue first. */
  due(): Promise<readonly number[]>;
  /** The next step of a dataset, if it is due. */
  begin(datasetId: number): Promise<DueBackfill | undefined>;
  finish(backfill: DueBackfill, outcome: BackfillOutcome): Promise<void>;
  /** Outcome of an upload; undefined while it is pending. */
  ended(processId: number): Promise<{ readonly error: string | null } | undefined>;
}

const dueSql = `
  SELECT b.dataset_id AS id FROM series_backfills b JOIN series_datasets s USING (dataset_id)
   WHERE b.next_at <= now() AND ${isEnabledSql} AND NOT ${isHeldSql('backfill', 'b.dataset_id')}
   ORDER BY b.next_at LIMIT 20`;

const beginSql = `
  SELECT b.dataset_id AS "datasetId", b.days, b.version_ids AS "versionIds", b.failures,
    s.account_id AS "accountId", s.provider, s.series,
    s.with_flags AS "withFlags",
    d.first_version_at AS "firstAt", coalesce(v.row_count, 0) AS rows,
    CASE WHEN v.id IS NULL THEN p.error ->> 'message' END AS "firstError",
    least(d.keep_versions, l.max_versions) - (SELECT count(*)::int FROM versions k
      WHERE k.dataset_id = d.id AND (NOT k.pinned OR k.id = d.current_version_id)) AS room,
    EXISTS (SELECT 1 FROM processes u
      WHERE u.dataset_id = d.id AND ${isPending('u')} AND u.vintage IS NOT NULL) AS "isUploading"
  FROM series_backfills b JOIN series_datasets s USING (dataset_id) JOIN datasets d ON d.id = b.dataset_id
    JOIN repositories r ON r.id = d.repository_id JOIN accounts a ON a.id = r.created_by
    JOIN plans l ON l.name = a.plan LEFT JOIN versions v ON v.id = d.current_version_id
    LEFT JOIN processes p ON p.id = s.process_id
  WHERE b.dataset_id = $1 AND b.next_at <= now() AND ${isEnabledSql}`;

const finishSql = `
  UPDATE series_backfills b SET skipped = skipped + $2, error = $3,
    failures = CASE WHEN $3::text IS NULL THEN 0 ELSE failures + 1 END, next_at = $4,
    done = (SELECT count(*) FROM datasets d, unnest(b.days) AS v (day)
      WHERE d.id = b.dataset_id AND (v.day || 'T00:00:00Z')::timestamptz >= d.first_version_at)
   WHERE dataset_id = $1`;

const keptSql = `
  SELECT least(d.keep_versions, p.max_versions) AS kept FROM datasets d JOIN repositories r ON r.id = d.repository_id
    JOIN accounts a ON a.id = r.created_by JOIN plans p ON p.name = a.plan WHERE d.id = $1`;

export const createBackfillRecords = (sql: Sql): BackfillRecords => ({
  async kept(datasetId) {
    const [row] = await sql.query<{ kept: number | null }>(keptSql, [datasetId]);
    return row?.kept ?? null;
  },
  async reserveVersions(count) {
    const rows = await sql.query<{ id: number }>(
      `SELECT nextval(pg_get_serial_sequence('versions', 'id'))::bigint AS id FROM generate_series(1, $1)`,
      [count],
    );
    return rows.map(({ id }) => id).sort((a, b) => a - b);
  },
  async insert(datasetId, { days, versionIds, skipped }) {
    await sql.query(
      `INSERT INTO series_backfills (dataset_id, days, version_ids, skipped, total, next_at)
       VALUES ($1, $2, $3, $4, $5, CASE WHEN cardinality($2::text[]) > 0 THEN now() END)`,
      [datasetId, days, versionIds, skipped, days.length + skipped],
    );
  },
  due: async () => (await sql.query<{ id: number }>(dueSql)).map(({ id }) => id),
  begin: async (datasetId) => (await sql.query<DueBackfill>(beginSql, [datasetId]))[0],
  async finish({ datasetId }, { skipped, error, nextAt }) {
    await sql.query(finishSql, [datasetId, skipped, error, nextAt]);
  },
  async ended(processId) {
    const [row] = await sql.query<{ status: string; error: string | null }>(
      `SELECT status, error ->> 'message' AS error FROM processes WHERE id = $1`,
      [processId],
    );
    if (row === undefined) return { error: 'The upload has gone.' };
    if (row.status === 'pending') return undefined;
    return { error: row.status === 'completed' ? null : (row.error ?? 'The upload failed.') };
  },
});

import { notFound } from '../../lib/errors.js';
import type { OfOwner } from '../../storage/postgres/datasets.js';
import { isFailed } from '../../storage/postgres/process-states.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { DescribedSeries } from './described-series.js';
import type { WantedSeries } from './wanted-series.js';

/** Series of a dataset and how they are fetched. */
export interface SeriesSource {
  readonly provider: string;
  readonly series: readonly WantedSeries[];
  /** See schedule.ts; null: only when asked. */
  readonly schedule: string | null;
  /** It has the column Flag. */
  readonly withFlags: boolean;
  /** Its one id and parameters name several series. */
  readonly isPanel: boolean;
}

/** Last update of each series, read from the provider before its values; empty if it is not known of all of them. */
export type UpdateMarks = readonly string[];

export interface NewSeriesDataset extends SeriesSource {
  readonly updateMarks: UpdateMarks;
  readonly described: readonly DescribedSeries[];
  readonly datasetId: number;
  readonly accountId: number;
  readonly nextRunAt: Date | null;
  readonly contentHash: Buffer;
  readonly processId: number;
}

/** A run that this process has claimed. */
export interface ClaimedRun extends SeriesSource {
  readonly datasetId: number;
  readonly accountId: number;
  readonly failures: number;
  /** When it was due, as the database writes it: differs if the run was rescheduled meanwhile. */
  readonly dueAt: string;
  readonly contentHash: Buffer | null;
  readonly updateMarks: UpdateMarks;
  /** The last upload did not become a version. */
  readonly uploadFailed: boolean;
}

/** Outcome of a run. */
export interface RunOutcome {
  readonly nextRunAt: Date | null;
  /** Null: it went well. */
  readonly error: string | null;
  /** Descriptions from the provider; absent after a failure, or if nothing changed. */
  readonly described?: readonly DescribedSeries[];
  readonly updateMarks?: UpdateMarks;
  /** Present when there was something new. */
  readonly upload?: { readonly contentHash: Buffer; readonly processId: number };
}

export interface SeriesDatasetRecords {
  insert(dataset: NewSeriesDataset): Promise<void>;
  /** The most overdue run that nobody has, for `leaseMs`. A process that dies loses it after that time. */
  claim(owner: string, leaseMs: number): Promise<ClaimedRun | undefined>;
  /** False: the lease was lost and the run belongs to somebody else. */
  extend(datasetId: number, owner: string, leaseMs: number): Promise<boolean>;
  /** Nothing is written when the lease was lost. */
  finish(run: ClaimedRun, owner: string, outcome: RunOutcome): Promise<void>;
  /** Gives the run back as it was. */
  release(datasetId: number, owner: string): Promise<void>;
  /** @throws AppError 404 for a dataset that is not made of series. */
  schedule(datasetId: number, schedule: string | null, nextRunAt: Date | null): Promise<void>;
  /** Makes a run due now. @throws AppError 404. */
  due(datasetId: number): Promise<void>;
}

const claimSql = `
  UPDATE series_datasets s SET lease_owner = $1, lease_until = now() + $2 * interval '1 millisecond'
   WHERE s.dataset_id = (
     SELECT dataset_id FROM series_datasets
      WHERE next_run_at <= now() AND (lease_until IS NULL OR lease_until < now())
        AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = account_id AND a.disabled_at IS NOT NULL)
      ORDER BY next_run_at LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING s.dataset_id AS "datasetId", s.account_id AS "accountId", s.provider, s.series, s.schedule,
    s.with_flags AS "withFlags", s.is_panel AS "isPanel", s.failures, s.next_run_at::text AS "dueAt", s.content_hash AS "contentHash", s.update_marks AS "updateMarks",
    EXISTS (SELECT 1 FROM processes p WHERE p.id = s.process_id AND ${isFailed('p')}) AS "uploadFailed"`;

// A run that was asked for while this one was under way stays due.
const finishSql = `
  UPDATE series_datasets SET lease_owner = NULL, lease_until = NULL, last_run_at = now(), last_error = $3,
    failures = CASE WHEN $3::text IS NULL THEN 0 ELSE failures + 1 END,
    failing_since = CASE WHEN $3::text IS NULL THEN NULL ELSE coalesce(failing_since, now()) END,
    next_run_at = CASE WHEN next_run_at IS NOT DISTINCT FROM $7::timestamptz THEN $4 ELSE next_run_at END,
    content_hash = coalesce($5, content_hash), process_id = coalesce($6, process_id),
    described = coalesce($8::jsonb, described), update_marks = coalesce($9::text[], update_marks)
   WHERE dataset_id = $1 AND lease_owner = $2`;

const requireOne = (rows: readonly unknown[], datasetId: number): void => {
  if (rows.length === 0) throw notFound('no_series', `Dataset ${datasetId} is not made of series.`);
};

export const createSeriesDatasetRecords = (sql: Sql): SeriesDatasetRecords => ({
  async insert({ datasetId, accountId, provider, series, schedule, withFlags, ...run }) {
    await sql.query(
      `INSERT INTO series_datasets (dataset_id, account_id, provider, series, schedule, next_run_at,
         last_run_at, content_hash, process_id, described, with_flags, update_marks, is_panel)
       VALUES ($1, $2, $3, $4, $5, $6, now(), $7, $8, $9, $10, $11, $12)`,
      [
        datasetId,
        accountId,
        provider,
        JSON.stringify(series),
        schedule,
        run.nextRunAt,
        run.contentHash,
        run.processId,
        JSON.stringify(run.described),
        withFlags,
        run.updateMarks,
        run.isPanel,
      ],
    );
  },
  async claim(owner, leaseMs) {
    const [row] = await sql.query<ClaimedRun>(claimSql, [owner, leaseMs]);
    return row;
  },
  async extend(datasetId, owner, leaseMs) {
    const rows = await sql.query(
      `UPDATE series_datasets SET lease_until = now() + $3 * interval '1 millisecond'
        WHERE dataset_id = $1 AND lease_owner = $2 RETURNING 1`,
      [datasetId, owner, leaseMs],
    );
    return rows.length > 0;
  },
  async finish({ datasetId, dueAt }, owner, { nextRunAt, error, upload, described, updateMarks }) {
    await sql.query(finishSql, [
      datasetId,
      owner,
      error,
      nextRunAt,
      upload?.contentHash ?? null,
      upload?.processId ?? null,
      dueAt,
      described === undefined ? null : JSON.stringify(described),
      updateMarks ?? null,
    ]);
  },
  async release(datasetId, owner) {
    await sql.query(
      'UPDATE series_datasets SET lease_owner = NULL, lease_until = NULL WHERE dataset_id = $1 AND lease_owner = $2',
      [datasetId, owner],
    );
  },
  async schedule(datasetId, schedule, nextRunAt) {
    requireOne(
      await sql.query(
        'UPDATE series_datasets SET schedule = $2, next_run_at = $3, failures = 0 WHERE dataset_id = $1 RETURNING 1',
        [datasetId, schedule, nextRunAt],
      ),
      datasetId,
    );
  },
  async due(datasetId) {
    requireOne(
      await sql.query('UPDATE series_datasets SET next_run_at = now() WHERE dataset_id = $1 RETURNING 1', [
        datasetId,
      ]),
      datasetId,
    );
  },
});

/** Nobody is at a refresh in a catalog that was restored. */
export const releaseRestoredRefreshes = async (tx: Sql): Promise<void> => {
  await tx.query(
    'UPDATE series_datasets SET lease_owner = NULL, lease_until = NULL WHERE lease_until IS NOT NULL',
  );
};

/** Datasets of series in repositories of others, or of this one, are refreshed in the name of whose they are. */
export const giveSeriesToOwners = async (
  tx: Sql,
  accountId: number,
  { owner = null, repositoryId = null }: OfOwner = {},
): Promise<void> => {
  await tx.query(
    `UPDATE series_datasets s SET account_id = r.created_by FROM datasets d JOIN repositories r ON r.id = d.repository_id
     WHERE d.id = s.dataset_id AND s.account_id = $1 AND r.created_by <> $1
       AND ($2::bigint IS NULL OR r.created_by = $2) AND ($3::bigint IS NULL OR r.id = $3)`,
    [accountId, owner, repositoryId],
  );
};

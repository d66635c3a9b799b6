import { isHeldSql } from '../../jobs/leases.js';
import { notFound } from '../../lib/errors.js';
import type { DescribedSeries } from '../../model/described-series.js';
import type { OfOwner } from '../../storage/postgres/datasets.js';
import { isFailed } from '../../storage/postgres/process-states.js';
import { named, type Sql } from '../../storage/postgres/sql.js';
import type { WantedSeries } from './wanted-series.js';

/** Series of a dataset and how they are fetched. */
export interface SeriesSource {
  readonly provider: string;
  readonly series: readonly WantedSeries[];
  /** Format in schedule.ts; null: only on request. */
  readonly schedule: string | null;
  /** True: the dataset has the column Flag. */
  readonly withFlags: boolean;
  /** True: its only id and its parameters name several series. */
  readonly isPanel: boolean;
}

/** Last update of each series, read from the provider before the values; empty if it is unknown for any of them. */
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

export interface DueRun extends SeriesSource {
  readonly datasetId: number;
  readonly accountId: number;
  readonly failures: number;
  /** Due time as the database writes it, to detect that the run was rescheduled meanwhile. */
  readonly dueAt: string;
  readonly contentHash: Buffer | null;
  readonly updateMarks: UpdateMarks;
  /** The last upload did not become a version. */
  readonly uploadFailed: boolean;
}

export interface RunOutcome {
  readonly nextRunAt: Date | null;
  /** Null: it succeeded. */
  readonly error: string | null;
  /** Descriptions from the provider; absent after a failure, or if nothing changed. */
  readonly described?: readonly DescribedSeries[];
  readonly updateMarks?: UpdateMarks;
  /** Present if the data was new. */
  readonly upload?: { readonly contentHash: Buffer; readonly processId: number };
}

export interface SeriesDatasetRecords {
  insert(dataset: NewSeriesDataset): Promise<void>;
  /** Datasets whose refresh is due and that no process refreshes, most overdue first. */
  due(): Promise<readonly number[]>;
  /** The run of a dataset, if it is due. */
  begin(datasetId: number): Promise<DueRun | undefined>;
  finish(run: DueRun, outcome: RunOutcome): Promise<void>;
  /** @throws AppError 404 for a dataset that is not made of series. */
  schedule(datasetId: number, schedule: string | null, nextRunAt: Date | null): Promise<void>;
  /** Makes a run due now. @throws AppError 404. */
  refreshSoon(datasetId: number): Promise<void>;
}

/** Condition that the account for which the series dataset `s` is loaded is enabled. */
export const isEnabledSql =
  'NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = s.account_id AND a.disabled_at IS NOT NULL)';

const isDue = `s.next_run_at <= now() AND ${isEnabledSql}`;

const dueSql = `
  SELECT s.dataset_id AS id FROM series_datasets s WHERE ${isDue} AND NOT ${isHeldSql('refresh', 's.dataset_id')}
   ORDER BY s.next_run_at LIMIT 20`;

const beginSql = `
  SELECT s.dataset_id AS "datasetId", s.account_id AS "accountId", s.provider, s.series, s.schedule,
    s.with_flags AS "withFlags", s.is_panel AS "isPanel", s.failures, s.next_run_at::text AS "dueAt", s.content_hash AS "contentHash", s.update_marks AS "updateMarks",
    EXISTS (SELECT 1 FROM processes p WHERE p.id = s.process_id AND ${isFailed('p')}) AS "uploadFailed"
   FROM series_datasets s WHERE s.dataset_id = $1 AND ${isDue}`;

// A run requested while this one was in progress stays due.
const finishSql = named(`
  UPDATE series_datasets SET last_run_at = now(), last_error = :error,
    failures = CASE WHEN :error::text IS NULL THEN 0 ELSE failures + 1 END,
    failing_since = CASE WHEN :error::text IS NULL THEN NULL ELSE coalesce(failing_since, now()) END,
    next_run_at = CASE WHEN next_run_at IS NOT DISTINCT FROM :dueAt::timestamptz THEN :nextRunAt ELSE next_run_at END,
    content_hash = coalesce(:contentHash, content_hash), process_id = coalesce(:processId, process_id),
    described = coalesce(:described::jsonb, described), update_marks = coalesce(:updateMarks::text[], update_marks)
   WHERE dataset_id = :datasetId`);

const insertSql = named(`
  INSERT INTO series_datasets (dataset_id, account_id, provider, series, schedule, next_run_at,
    last_run_at, content_hash, process_id, described, with_flags, update_marks, is_panel)
  VALUES (:datasetId, :accountId, :provider, :series, :schedule, :nextRunAt, now(), :contentHash, :processId, :described,
    :withFlags, :updateMarks, :isPanel)`);

const requireOne = (rows: readonly unknown[], datasetId: number): void => {
  if (rows.length === 0) throw notFound('no_series', `Dataset ${datasetId} is not made of series.`);
};

export const createSeriesDatasetRecords = (sql: Sql): SeriesDatasetRecords => ({
  async insert(dataset) {
    const [series, described] = [JSON.stringify(dataset.series), JSON.stringify(dataset.described)];
    await sql.query(insertSql, insertSql.values({ ...dataset, series, described }));
  },
  due: async () => (await sql.query<{ id: number }>(dueSql)).map(({ id }) => id),
  begin: async (datasetId) => (await sql.query<DueRun>(beginSql, [datasetId]))[0],
  async finish({ datasetId, dueAt }, { nextRunAt, error, upload, described, updateMarks }) {
    await sql.query(
      finishSql,
      finishSql.values({
        datasetId,
        error,
        nextRunAt,
        dueAt,
        contentHash: upload?.contentHash,
        processId: upload?.processId,
        described: described && JSON.stringify(described),
        updateMarks,
      }),
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
  async refreshSoon(datasetId) {
    requireOne(
      await sql.query('UPDATE series_datasets SET next_run_at = now() WHERE dataset_id = $1 RETURNING 1', [
        datasetId,
      ]),
      datasetId,
    );
  },
});

/** Transfers the refreshes of datasets made of series to the owners of their repositories. */
export const reassignSeries = async (
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

import { isoUtcOrNull } from '../lib/time.js';
import type { DescribedSeries } from '../model/described-series.js';
import { isFailed } from '../storage/postgres/process-states.js';
import type { Sql } from '../storage/postgres/sql.js';

/** Refresh schedule and state of a dataset made of series. */
export interface RefreshView {
  /** `daily`, `weekly`, five fields of cron in UTC; null: only on request. */
  readonly schedule: string | null;
  readonly lastRunAt: string | null;
  /** Error of the last run or its upload; null: none. */
  readonly lastError: string | null;
  readonly nextRunAt: string | null;
  /** Present if a backfill was requested. */
  readonly backfill?: BackfillView;
}

/** Progress of the backfill of vintages. */
interface BackfillView {
  /** `waiting`: the last step failed and will be retried. */
  readonly state: 'running' | 'waiting' | 'done';
  readonly done: number;
  /** Vintages that the provider had when the dataset was created. */
  readonly total: number;
  /** Vintages that are skipped because retention would delete them. */
  readonly skipped: number;
  readonly error: string | null;
  readonly nextRunAt: string | null;
}

interface BackfillRow extends Pick<BackfillView, 'done' | 'total' | 'skipped' | 'error'> {
  /** ISO 8601 with zone. */
  nextAt: string | null;
}

export interface RefreshRow {
  refreshSchedule: string | null;
  refreshLastRunAt: Date | null;
  refreshLastError: string | null;
  refreshNextRunAt: Date | null;
  isRefreshed: boolean;
  backfill: BackfillRow | null;
}

/** Select items; `s` is joined by `refreshJoin`. */
export const refreshColumns = `s.dataset_id IS NOT NULL AS "isRefreshed", s.schedule AS "refreshSchedule",
  s.last_run_at AS "refreshLastRunAt", s.next_run_at AS "refreshNextRunAt",
  coalesce(s.last_error, (SELECT p.error ->> 'message' FROM processes p
    WHERE p.id = s.process_id AND ${isFailed('p')})) AS "refreshLastError",
  (SELECT json_build_object('done', b.done, 'total', b.total, 'skipped', b.skipped, 'error', b.error,
      'nextAt', b.next_at) FROM series_backfills b WHERE b.dataset_id = s.dataset_id) AS backfill`;

/** Select item; `s` is joined by `refreshJoin`. Null for a dataset that is not made of series. */
export const seriesColumn = 's.described AS series';

export const refreshJoin = 'LEFT JOIN series_datasets s ON s.dataset_id = d.id';

/** Series of a dataset; none for a dataset of other rows. */
export const readSeriesOf = async (sql: Sql, datasetId: number): Promise<readonly DescribedSeries[]> => {
  const [row] = await sql.query<{ series: DescribedSeries[] }>(
    `SELECT ${seriesColumn} FROM series_datasets s WHERE s.dataset_id = $1`,
    [datasetId],
  );
  return row?.series ?? [];
};

/** Message for readers of a public dataset, since the real one may quote rows. */
const failed = 'The last run failed.';

const backfillView = ({ nextAt, error, ...counts }: BackfillRow, mayReadErrors: boolean): BackfillView => ({
  ...counts,
  state: nextAt === null ? 'done' : error === null ? 'running' : 'waiting',
  error: error === null || mayReadErrors ? error : failed,
  nextRunAt: isoUtcOrNull(nextAt === null ? null : new Date(nextAt)),
});

/**
 * Undefined for a dataset that is not made of series.
 * @param mayReadErrors True if the reader may see why a run failed.
 */
export const refreshView = (row: RefreshRow, mayReadErrors: boolean): RefreshView | undefined =>
  row.isRefreshed
    ? {
        schedule: row.refreshSchedule,
        lastRunAt: isoUtcOrNull(row.refreshLastRunAt),
        lastError: row.refreshLastError === null || mayReadErrors ? row.refreshLastError : failed,
        nextRunAt: isoUtcOrNull(row.refreshNextRunAt),
        ...(row.backfill === null ? {} : { backfill: backfillView(row.backfill, mayReadErrors) }),
      }
    : undefined;

import { isHeldSql } from '../../jobs/leases.js';
import { isoUtc, isoUtcOrNull } from '../../lib/time.js';
import { isFailed } from '../../storage/postgres/process-states.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { RefreshState } from '../state-schema.js';

// The upload of a run can fail after the run has succeeded.
const failingSql = `
  SELECT s.dataset_id AS "datasetId", s.provider, s.failures,
         coalesce(s.last_error, p.error ->> 'message', 'The upload failed.') AS error,
         coalesce(s.failing_since, p.ended_at, s.last_run_at, now()) AS since,
         s.last_run_at AS "lastRunAt", s.next_run_at AS "nextRunAt"
    FROM series_datasets s LEFT JOIN processes p ON p.id = s.process_id AND ${isFailed('p')}
   WHERE s.last_error IS NOT NULL OR p.id IS NOT NULL`;

const countsSql = `
  SELECT count(*)::int AS datasets, count(schedule)::int AS scheduled,
         (count(*) FILTER (WHERE s.next_run_at <= now() AND NOT ${isHeldSql('refresh', 's.dataset_id')}))::int AS due,
         (count(*) FILTER (WHERE ${isHeldSql('refresh', 's.dataset_id')}))::int AS running
    FROM series_datasets s`;

type FailingRow = Omit<RefreshState['failures'][number], 'since' | 'lastRunAt' | 'nextRunAt'> & {
  since: Date;
  lastRunAt: Date | null;
  nextRunAt: Date | null;
};

/** State of the refreshes of all datasets of series. */
export const readRefreshState = async (sql: Sql): Promise<RefreshState> => {
  const [counts] = await sql.query<Omit<RefreshState, 'failing' | 'failures'>>(countsSql);
  const [failing] = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (${failingSql}) AS failing`,
  );
  const rows = await sql.query<FailingRow>(`${failingSql} ORDER BY since, s.dataset_id LIMIT 100`);
  return {
    ...(counts ?? { datasets: 0, scheduled: 0, due: 0, running: 0 }),
    failing: failing?.count ?? 0,
    failures: rows.map((row) => ({
      ...row,
      since: isoUtc(row.since),
      lastRunAt: isoUtcOrNull(row.lastRunAt),
      nextRunAt: isoUtcOrNull(row.nextRunAt),
    })),
  };
};

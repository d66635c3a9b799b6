import { isoUtc } from '../../lib/time.js';
import { isCompleted, isEnded, isFailed } from './process-states.js';
import type { Sql } from './sql.js';

/** Consumer lag and consumers of a topic of chunks. */
export interface TopicSample {
  readonly topic: string;
  readonly messages: number;
  /** Null: the sizes of the logs are unknown. */
  readonly bytes: number | null;
  /** Age of the oldest waiting chunk. */
  readonly seconds: number;
  readonly members: number;
  /** Fingerprint of the partition assignment, which changes with a rebalance. */
  readonly assignment: string;
}

/** State of the service in one minute. */
interface OpsSample {
  /** Empty: Kafka did not respond. */
  readonly topics: readonly TopicSample[];
  readonly pending: number;
  readonly oldestPendingSeconds: number;
  readonly deadLetters: number;
  /** Bytes in ClickHouse; null: it did not respond. */
  readonly storeBytes: number | null;
  readonly mostParts: number | null;
  /** Names of the components that did not respond. */
  readonly down: readonly string[];
  /** Uploads that ended in the previous minute, with rows and bytes of the completed ones. */
  readonly completed: number;
  readonly failed: number;
  readonly rows: number;
  readonly bytes: number;
}

export type KeptSample = OpsSample & {
  /** The minute, ISO 8601 in UTC. */
  readonly at: string;
};

/** Number of minutes that are kept. */
export const keptMinutes = 1_440;

interface EndedRow {
  completed: number;
  failed: number;
  rows: number;
  bytes: number;
}

const endedSql = `
  SELECT count(*) FILTER (WHERE ${isCompleted()})::int AS completed,
         count(*) FILTER (WHERE ${isFailed()})::int AS failed,
         coalesce(sum(inserted_rows) FILTER (WHERE ${isCompleted()}), 0)::float8 AS rows,
         coalesce(sum(received_bytes) FILTER (WHERE ${isCompleted()}), 0)::float8 AS bytes
    FROM processes WHERE ${isEnded()} AND expires_at IS NULL
     AND ended_at >= date_trunc('minute', now()) - interval '1 minute' AND ended_at < date_trunc('minute', now())`;

/** Number of uploads with one outcome. */
export interface EndedUploads {
  readonly status: 'completed' | 'failed';
  /** Code of the error; null: none. */
  readonly code: string | null;
  readonly count: number;
  /** Uploads that were replayed at least once. */
  readonly replayed: number;
}

const endedColumns = `status, error ->> 'code' AS code, count(*)::int AS count,
         (count(*) FILTER (WHERE attempt > 1))::int AS replayed
    FROM processes WHERE ${isEnded()} AND expires_at IS NULL`;

const untilSql = 'SELECT max(ended_until) AS until FROM ops_samples';

/** Up to five minutes ago: transactions with an earlier `ended_at` have been committed by then. */
const countEndedSql = `
  UPDATE ops_samples SET ended_until = b.until, ended = coalesce((
      SELECT jsonb_agg(to_jsonb(e)) FROM (
        SELECT date_trunc('minute', ended_at) AS minute, ${endedColumns}
           AND ended_at >= greatest($2, now() - interval '1 day') AND ended_at < b.until GROUP BY 1, 2, 3) AS e), '[]')
    FROM (SELECT date_trunc('minute', now()) - interval '5 minutes' AS until) AS b
   WHERE minute = $1`;

const countEnded = async (tx: Sql, minute: Date): Promise<void> => {
  const [kept] = await tx.query<{ until: Date | null }>(untilSql);
  await tx.query(countEndedSql, [minute, kept?.until ?? null]);
};

const lastDaySql = `
  SELECT status, code, sum(count)::int AS count, sum(replayed)::int AS replayed FROM (
    SELECT e.status, e.code, e.count, e.replayed
      FROM ops_samples s, jsonb_to_recordset(s.ended) AS e(minute timestamptz, status text, code text, count int, replayed int)
     WHERE s.minute > now() - interval '1 day' AND e.minute > now() - interval '1 day'
    UNION ALL
    SELECT ${endedColumns} AND ended_at >= greatest($1, now() - interval '1 day') GROUP BY 1, 2) AS ended
   GROUP BY 1, 2 ORDER BY count DESC, code`;

/** Uploads that ended within a day, to the minute: counts in samples, and the most recent ones counted one by one. */
export const readEndedUploads = async (sql: Sql): Promise<EndedUploads[]> => {
  const [kept] = await sql.query<{ until: Date | null }>(untilSql);
  return sql.query<EndedUploads>(lastDaySql, [kept?.until ?? null]);
};

/**
 * Stores the sample of this minute unless another process has, and deletes those that are a day old.
 * @returns true if this sample was stored
 */
export const keepSample = (
  sql: Sql,
  sample: Omit<OpsSample, 'completed' | 'failed' | 'rows' | 'bytes'>,
): Promise<boolean> =>
  sql.tx(async (tx) => {
    const [taken] = await tx.query<{ minute: Date }>(
      `INSERT INTO ops_samples (minute, sample) VALUES (date_trunc('minute', now()), '{}')
       ON CONFLICT (minute) DO NOTHING RETURNING minute`,
    );
    if (taken === undefined) return false;
    const [ended] = await tx.query<EndedRow>(endedSql);
    await tx.query('UPDATE ops_samples SET sample = $2 WHERE minute = $1', [
      taken.minute,
      JSON.stringify({ ...sample, ...ended }),
    ]);
    await countEnded(tx, taken.minute);
    await tx.query(`DELETE FROM ops_samples WHERE minute < now() - $1 * interval '1 minute'`, [keptMinutes]);
    return true;
  });

/** Samples of the last minutes, oldest first. If a minute is missing, no API process ran, or PostgreSQL did not respond. */
export const readSamples = async (sql: Sql, minutes: number): Promise<KeptSample[]> => {
  const rows = await sql.query<{ minute: Date; sample: OpsSample }>(
    `SELECT minute, sample FROM ops_samples WHERE minute > now() - $1 * interval '1 minute' ORDER BY minute`,
    [minutes],
  );
  return rows.map(({ minute, sample }) => ({ at: isoUtc(minute), ...sample }));
};

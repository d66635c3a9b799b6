import { isoUtc } from '../../lib/time.js';
import type { Sql } from './sql.js';

/** What waits in a lane, and who reads it. */
export interface LaneSample {
  readonly lane: string;
  readonly messages: number;
  /** Null: Kafka does not tell the sizes of its logs. */
  readonly bytes: number | null;
  /** Age of the oldest chunk that waits. */
  readonly seconds: number;
  readonly members: number;
  /** Fingerprint of who has which partitions: another one means that there was a rebalance. */
  readonly assignment: string;
}

/** How the service fared in a minute. */
export interface OpsSample {
  /** Empty: Kafka did not answer. */
  readonly lanes: readonly LaneSample[];
  readonly pending: number;
  readonly oldestPendingSeconds: number;
  readonly deadLetters: number;
  /** Bytes in ClickHouse; null: it did not answer. */
  readonly storeBytes: number | null;
  readonly mostParts: number | null;
  /** Names of the components that did not answer. */
  readonly down: readonly string[];
  /** Names of the alerts whose condition held. */
  readonly alerts: readonly string[];
  /** Uploads that ended in the minute before, with rows and bytes of those that completed. */
  readonly completed: number;
  readonly failed: number;
  readonly rows: number;
  readonly bytes: number;
}

export type KeptSample = OpsSample & {
  /** The minute, ISO 8601 in UTC. */
  readonly at: string;
};

/** Minutes that are kept. */
export const keptMinutes = 1_440;

interface EndedRow {
  completed: number;
  failed: number;
  rows: number;
  bytes: number;
}

const endedSql = `
  SELECT count(*) FILTER (WHERE status = 'completed')::int AS completed,
         count(*) FILTER (WHERE status = 'failed')::int AS failed,
         coalesce(sum(inserted_rows) FILTER (WHERE status = 'completed'), 0)::float8 AS rows,
         coalesce(sum(received_bytes) FILTER (WHERE status = 'completed'), 0)::float8 AS bytes
    FROM processes WHERE status <> 'pending' AND expires_at IS NULL
     AND completed_at >= date_trunc('minute', now()) - interval '1 minute' AND completed_at < date_trunc('minute', now())`;

/**
 * Keeps the sample of this minute unless another process has, and drops those that are a day old.
 * @returns whether it is this one that is kept.
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
    await tx.query(`DELETE FROM ops_samples WHERE minute < now() - $1 * interval '1 minute'`, [keptMinutes]);
    return true;
  });

/** Of the last minutes, oldest first. A minute without one: no API process ran, or PostgreSQL did not answer. */
export const readSamples = async (sql: Sql, minutes: number): Promise<KeptSample[]> => {
  const rows = await sql.query<{ minute: Date; sample: OpsSample }>(
    `SELECT minute, sample FROM ops_samples WHERE minute > now() - $1 * interval '1 minute' ORDER BY minute`,
    [minutes],
  );
  return rows.map(({ minute, sample }) => ({ at: isoUtc(minute), ...sample }));
};

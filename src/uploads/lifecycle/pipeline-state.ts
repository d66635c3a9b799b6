import { heldUntilSql } from '../../jobs/leases.js';
import { isoUtc } from '../../lib/time.js';
import { type EndedUploads, readEndedUploads } from '../../storage/postgres/ops-samples.js';
import { inStates, isAwaited, isInLine } from '../../storage/postgres/process-states.js';
import type { Sql } from '../../storage/postgres/sql.js';

/** Phases in which a pending upload may wait. */
export const pendingPhases = ['receive', 'insert', 'collect', 'replay', 'ready', 'merge', 'merged'] as const;

/** Uploads that are pending, by what they wait for. */
export interface PendingUploads {
  /** `receive`: the file is still coming; the others are the phases of model/process.ts. */
  readonly phase: string;
  readonly count: number;
  readonly oldestCreatedAt: string;
  readonly oldestSeconds: number;
}

/** An upload without progress for a while. */
interface StuckUpload {
  readonly processId: number;
  readonly datasetId: number;
  readonly phase: string;
  readonly attempt: number;
  readonly createdAt: string;
  readonly ageSeconds: number;
  /** Since the last byte, the end of the file, or the end of the lease of a worker. */
  readonly silentSeconds: number;
  readonly insertedChunks: number;
  /** Null: the file was not received completely. */
  readonly chunks: number | null;
  /** Earliest pending upload of the dataset before this one; uploads are published in order. */
  readonly waitsFor: number | null;
}

export interface PipelineState {
  readonly pending: readonly PendingUploads[];
  /** Longest silence first; at most 100. */
  readonly stuck: readonly StuckUpload[];
  /** Pending uploads that are being replayed. */
  readonly replaying: number;
  readonly lastDay: {
    readonly completed: number;
    readonly failed: number;
    /** Ended uploads that were replayed at least once. */
    readonly replayed: number;
    readonly failures: readonly { readonly code: string; readonly count: number }[];
  };
}

/** Silence after which an upload counts as stuck. */
const stuckAfterMs = 600_000;

const phaseSql = `CASE WHEN ${inStates(['insert'], 'p')} AND p.sealed_at IS NULL THEN 'receive' ELSE p.phase END`;

const secondsSince = (time: string): string => `floor(extract(epoch FROM now() - ${time}))::float8`;

const pendingSql = `
  SELECT ${phaseSql} AS phase, count(*)::int AS count, min(p.created_at) AS "oldestCreatedAt",
         ${secondsSince('min(p.created_at)')} AS "oldestSeconds"
    FROM processes p WHERE ${isAwaited('p')} GROUP BY 1 ORDER BY "oldestSeconds" DESC`;

// A lease that is held expires in the future, so its upload does not count as silent.
const heardSql = `greatest(p.created_at, p.heartbeat_at, p.sealed_at, ${heldUntilSql('upload', 'p.id')})`;

const stuckSql = `
  SELECT p.id AS "processId", p.dataset_id AS "datasetId", ${phaseSql} AS phase, p.attempt,
         p.created_at AS "createdAt", ${secondsSince('p.created_at')} AS "ageSeconds",
         ${secondsSince(heardSql)} AS "silentSeconds", p.inserted_chunks AS "insertedChunks",
         p.chunk_count AS chunks,
         (SELECT min(earlier.id) FROM processes earlier
           WHERE earlier.dataset_id = p.dataset_id AND ${isInLine('earlier')} AND earlier.id < p.id)
           AS "waitsFor"
    FROM processes p
   WHERE ${isAwaited('p')} AND ${heardSql} < now() - $1 * interval '1 millisecond'
   ORDER BY "silentSeconds" DESC, p.id LIMIT 100`;

const replayingSql = `SELECT count(*)::int AS count FROM processes WHERE ${inStates(['collect', 'replay'])}`;

const withIso = <K extends string, R extends Record<K, Date>>(
  row: R,
  key: K,
): Omit<R, K> & Record<K, string> => ({ ...row, [key]: isoUtc(row[key]) });

const sumOf = (rows: readonly EndedUploads[], status: EndedUploads['status']): number =>
  rows.filter((row) => row.status === status).reduce((sum, { count }) => sum + count, 0);

type PendingRow = Omit<PendingUploads, 'oldestCreatedAt'> & { oldestCreatedAt: Date };

/** Pending uploads by what they wait for, the oldest first. */
export const readPendingUploads = async (sql: Sql): Promise<PendingUploads[]> =>
  (await sql.query<PendingRow>(pendingSql)).map((row) => withIso(row, 'oldestCreatedAt'));

const readLastDay = async (sql: Sql): Promise<PipelineState['lastDay']> => {
  const ended = await readEndedUploads(sql);
  return {
    completed: sumOf(ended, 'completed'),
    failed: sumOf(ended, 'failed'),
    replayed: ended.reduce((sum, row) => sum + row.replayed, 0),
    failures: ended
      .filter(({ status }) => status === 'failed')
      .map(({ code, count }) => ({ code: code ?? 'unknown', count })),
  };
};

/** Uploads by state, for the operator. */
export const readPipelineState = async (sql: Sql): Promise<PipelineState> => {
  type StuckRow = Omit<StuckUpload, 'createdAt'> & { createdAt: Date };
  const pending = await readPendingUploads(sql);
  const stuck = await sql.query<StuckRow>(stuckSql, [stuckAfterMs]);
  const [replaying] = await sql.query<{ count: number }>(replayingSql);
  return {
    pending,
    stuck: stuck.map((row) => withIso(row, 'createdAt')),
    replaying: replaying?.count ?? 0,
    lastDay: await readLastDay(sql),
  };
};

import { isHeldSql } from '../../jobs/leases.js';
import { endLease } from '../../jobs/records.js';
import { notFound } from '../../lib/errors.js';
import type { ProcessMode, ProcessPhase, ProcessStatus } from '../../model/process.js';
import { holdDataset } from '../../storage/postgres/datasets.js';
import { isInLine } from '../../storage/postgres/process-states.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { isProcess } from './process-ids.js';
import { unanswered } from './transition-records.js';
import { moveSql } from './transitions.js';

/** An upload to be replayed by an operator. */
export interface RetryCandidate {
  readonly processId: number;
  readonly datasetId: number;
  readonly mode: ProcessMode;
  readonly status: ProcessStatus;
  readonly phase: ProcessPhase;
  readonly errorCode: string | null;
  /** Its sender never got an answer. */
  readonly isUnanswered: boolean;
  readonly createdAt: Date;
  readonly sealedAt: Date | null;
  /** True while a worker replays it. */
  readonly held: boolean;
  /** A newer version or pending upload of the dataset; null: none. */
  readonly newer: string | null;
}

export interface RetryRecords {
  /** @throws AppError 404. */
  candidate(processId: number): Promise<RetryCandidate>;
  /**
   * Event `retried`: the next sweep of a worker replays the upload, whose chunks must all be recorded. Does nothing if the upload has
   * completed.
   * @param judge Throws if the candidate, in its current state, must not be retried.
   */
  retry(processId: number, judge: (candidate: RetryCandidate) => void): Promise<void>;
}

const candidateSql = `
  SELECT p.id AS "processId", p.dataset_id AS "datasetId", p.mode, p.status, p.phase, p.error ->> 'code' AS "errorCode",
    p.awaits_answer OR coalesce(p.error ->> 'code' = '${unanswered.code}', false) AS "isUnanswered",
    p.created_at AS "createdAt", p.sealed_at AS "sealedAt", ${isHeldSql('upload', 'p.id')} AS held,
    coalesce(
      (SELECT 'version ' || max(v.id) FROM versions v WHERE v.dataset_id = p.dataset_id
         AND (v.process_id > p.id OR (v.process_id IS NULL AND v.created_at > p.created_at))),
      (SELECT 'upload ' || max(q.id) FROM processes q
       WHERE q.dataset_id = p.dataset_id AND q.id > p.id AND ${isInLine('q')})) AS newer
  FROM processes p WHERE ${isProcess('$1', 'p')} AND p.layout IS NOT NULL`;

const read = async (sql: Sql, processId: number): Promise<RetryCandidate> => {
  const [candidate] = await sql.query<RetryCandidate>(candidateSql, [processId]);
  if (candidate === undefined) throw notFound('unknown_process', `There is no process ${processId}.`);
  return candidate;
};

export const createRetryRecords = (sql: Sql): RetryRecords => ({
  candidate: (processId) => read(sql, processId),

  retry: (processId, judge) =>
    sql.tx(async (tx) => {
      // Locks in the same order as publishing, which prevents deadlocks.
      const { datasetId } = await read(tx, processId);
      await holdDataset(tx, datasetId);
      await tx.query('SELECT 1 FROM processes WHERE id = $1 FOR NO KEY UPDATE', [processId]);
      const candidate = await read(tx, processId);
      if (candidate.status === 'completed') return;
      judge(candidate);
      const { set, when } = moveSql('retried');
      await tx.query(
        `UPDATE processes SET ${set}, merge = NULL, heartbeat_at = now(),
           sealed_at = coalesce(sealed_at, now())
         WHERE id = $1 AND ${when}`,
        [processId],
      );
      await endLease(tx, 'upload', processId);
    }),
});

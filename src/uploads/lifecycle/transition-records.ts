import { isHeldSql } from '../../jobs/leases.js';
import type { Log } from '../../lib/log.js';
import type { Notice, ProcessError } from '../../model/process.js';
import { segmentId } from '../../model/version.js';
import { register } from '../../rows/index.js';
import { inStates, isAwaited, isFailed } from '../../storage/postgres/process-states.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { type Layout, tableColumns } from '../layout/layout.js';
import { isUnderstoodSql } from '../options/needs.js';
import { addNotices } from './notices.js';
import { isProcess } from './process-ids.js';
import { stateColumns, type UploadState } from './process-records.js';
import { dropRejects } from './rejects.js';
import { type Event, moveSql } from './transitions.js';

/** A process, and the dataset in which others may wait for it. */
export interface ProcessInDataset {
  readonly processId: number;
  readonly datasetId: number;
}

/** A failed upload, for the log. */
export interface FailedUpload extends ProcessInDataset {
  readonly accountId: number;
  /** Stable identifier of the reason. */
  readonly code: string;
  /** Id of the upload request. */
  readonly requestId: string;
  /** Trace of the upload request; null: it was not traced. */
  readonly traceId: string | null;
}

/**
 * Records the events of transitions.ts that concern one process alone. Those of chunks, merges and publishing are in
 * chunk-records.ts, merge-records.ts and publisher.ts. An event that does not apply changes nothing. Only the dispatcher calls
 * these methods, since it knows what to do next.
 */
export interface TransitionRecords {
  /** The file has to be replayed when all chunks are known. Does nothing if the attempt is over. */
  collect(event: 'misfit' | 'deferred', processId: number, attempt: number): Promise<void>;
  /** Starts the next attempt with this layout in a new segment. Does nothing if `attempt` is over. */
  nextAttempt(
    event: 'resolved' | 'miscounted' | 'repeated',
    processId: number,
    attempt: number,
    layout: Layout,
    notices?: readonly Notice[],
  ): Promise<void>;
  /** Fails a pending process. Returns undefined if it had ended before. */
  fail(processId: number, error: ProcessError): Promise<FailedUpload | undefined>;
  /** Fails uploads that were received only in part or not answered, and whose receiving API has been silent for this long. */
  failAbandoned(silentMs: number): Promise<FailedUpload[]>;
  /** Fails uploads with missing chunks that are older than the retention of Kafka. */
  failExpired(retentionMs: number): Promise<FailedUpload[]>;
  /** Event `expired`. Also deletes reservations that expired a day ago. @returns the number of newly expired ones */
  expireReserved(): Promise<number>;
  /** Processes that a worker of this release can replay and that no worker holds. */
  waitingForReplay(): Promise<number[]>;
  /** Datasets in which something may be due to be published. */
  datasetsToPublish(): Promise<number[]>;
}

export const abandoned: ProcessError = {
  code: 'upload_abandoned',
  message: 'The upload was not received completely, or its sender got no answer. Send it again.',
};

/** The sender disconnected after its file was received. Without an answer it must assume that the upload failed. */
export const unanswered: ProcessError = {
  code: 'upload_unanswered',
  message: 'The sender disconnected before it got an answer, so nothing was published. Send the file again.',
};

const expired: ProcessError = {
  code: 'upload_expired',
  message: 'The upload could not be stored within the time for which received files are kept.',
};

const unfilled: ProcessError = {
  code: 'reservation_expired',
  message: 'No upload has filled the process in time.',
};

/** Logs a failure. Leaves out the message, which may quote the file and is only for the owner. */
export const logFailed = (log: Log, upload: FailedUpload): void => {
  const { processId: process, datasetId: dataset, accountId: account, code, requestId } = upload;
  const traceId = upload.traceId ?? undefined;
  log.info({ process, dataset, account, code, requestId, traceId }, 'upload failed');
};

/** `FailedUpload` of `processes`. */
export const failedColumns = `id AS "processId", dataset_id AS "datasetId", created_by AS "accountId",
  error ->> 'code' AS code, request_id AS "requestId", trace_id AS "traceId"`;

export const createTransitionRecords = (sql: Sql): TransitionRecords => {
  const failed = moveSql('failed');
  const unfilledMove = moveSql('expired');

  /**
   * Fails the uploads that meet the condition. Checks and fails in one statement: between two, a heartbeat could be missed, and an
   * upload that was answered as received would fail.
   */
  const failWhere = (condition: string, ms: number, error: ProcessError): Promise<FailedUpload[]> =>
    sql.query<FailedUpload>(
      `UPDATE processes SET ${failed.set}, error = $2
       WHERE ${failed.when} AND heartbeat_at < now() - $1 * interval '1 millisecond' AND ${condition}
       RETURNING ${failedColumns}`,
      [ms, JSON.stringify(error)],
    );

  const attemptSql = (event: Event): string => {
    const { set, when } = moveSql(event, 'p');
    return `UPDATE processes p SET ${set}, attempt = p.attempt + 1, layout = $3,
        inserted_chunks = 0, inserted_rows = 0, rejected_rows = 0
      FROM datasets d WHERE d.id = p.dataset_id AND p.id = $1 AND p.attempt = $2 AND ${when}
      RETURNING ${stateColumns}`;
  };

  return {
    async collect(event, processId, attempt) {
      const { set, when } = moveSql(event);
      await sql.query(`UPDATE processes SET ${set} WHERE id = $1 AND attempt = $2 AND ${when}`, [
        processId,
        attempt,
      ]);
    },

    nextAttempt: (event, processId, attempt, layout, notices = []) =>
      sql.tx(async (tx) => {
        const [row] = await tx.query<UploadState>(attemptSql(event), [
          processId,
          attempt,
          JSON.stringify(layout),
        ]);
        if (row === undefined) return;
        await addNotices(tx, processId, notices);
        await dropRejects(tx, processId);
        const id = segmentId(processId, row.attempt);
        const near = { segmentId: segmentId(processId, attempt) };
        await register(tx, { id, processId, storeId: row.storeId }, { columns: tableColumns(layout), near });
      }),

    async fail(processId, error) {
      const [row] = await sql.query<FailedUpload>(
        `UPDATE processes SET ${failed.set}, error = $2 WHERE ${isProcess('$1', 'processes')} AND ${failed.when} RETURNING ${failedColumns}`,
        [processId, JSON.stringify(error)],
      );
      return row;
    },

    failAbandoned: (silentMs) =>
      failWhere(
        `${isAwaited()} AND sealed_at IS NULL AND (awaits_answer OR chunk_count IS NULL)`,
        silentMs,
        abandoned,
      ),

    failExpired: (retentionMs) =>
      failWhere(
        `${inStates(['insert', 'collect'])} AND created_at < now() - $1 * interval '1 millisecond'`,
        retentionMs,
        expired,
      ),

    async expireReserved() {
      const rows = await sql.query(
        `UPDATE processes SET ${unfilledMove.set}, error = $1 WHERE expires_at <= now() AND ${unfilledMove.when} RETURNING 1`,
        [JSON.stringify(unfilled)],
      );
      // A reservation that was never filled has no data, whether it expired or was cancelled.
      await sql.query(`DELETE FROM processes WHERE expires_at < now() - interval '1 day' AND ${isFailed()}`);
      return rows.length;
    },

    async waitingForReplay() {
      const rows = await sql.query<{ id: number }>(
        `SELECT p.id FROM processes p
         WHERE NOT ${isHeldSql('upload', 'p.id')} AND ${isUnderstoodSql('p')} AND (${inStates(['replay'], 'p')}
           OR (${inStates(['collect'], 'p')}
             AND p.chunk_count = (SELECT count(*) FROM chunks c WHERE c.process_id = p.id)))`,
      );
      return rows.map(({ id }) => id);
    },

    async datasetsToPublish() {
      const rows = await sql.query<{ id: number }>(
        `SELECT DISTINCT dataset_id AS id FROM processes WHERE ${inStates(['ready', 'merge', 'merged'])}`,
      );
      return rows.map(({ id }) => id);
    },
  };
};

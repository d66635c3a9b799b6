/**
 * An operator asks for a whole upload to be read again from Kafka.
 *
 *   completed   its rows are written anew beside the present ones and compared; see segment-rewrite.ts
 *   failed      it is tried again by a worker, unless something newer was published or is pending
 *   pending     nothing, unless it is to be taken over: then a worker reads all of it again
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { conflict, notFound } from '../../lib/errors.js';
import type { ProcessPhase, ProcessStatus, ProcessView } from '../../model/process.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { ProcessStore } from '../processes/process-store.js';
import type { ChunkDiscovery } from './chunk-discovery.js';
import type { RewriteReport, SegmentRewrite } from './segment-rewrite.js';

export type ReplayReport =
  | ({ readonly kind: 'rewritten' } & RewriteReport)
  | { readonly kind: 'tried_again'; readonly process: ProcessView };

export interface UploadReplay {
  /** @throws AppError 404, or 409 that says why the upload can not be replayed; nothing has changed then. */
  replay(processId: number, options: ReplayOptions): Promise<ReplayReport>;
}

export interface ReplayOptions {
  /** Take over an upload that is pending. */
  readonly takeOver: boolean;
  /** Longest wait for the worker, milliseconds. */
  readonly waitMs: number;
}

export interface UploadReplayOptions {
  readonly sql: Sql;
  readonly processes: ProcessStore;
  readonly chunkDiscovery: ChunkDiscovery;
  readonly rewrite: SegmentRewrite;
}

interface Candidate {
  readonly processId: number;
  readonly datasetId: number;
  readonly status: ProcessStatus;
  readonly phase: ProcessPhase;
  readonly errorCode: string | null;
  readonly createdAt: Date;
  readonly sealedAt: Date | null;
  /** True while a worker reads it again. */
  readonly held: boolean;
  /** A version or a pending upload of the dataset that is newer; null: none. */
  readonly newer: string | null;
}

const pollMs = 200;

const candidateSql = `
  SELECT p.id AS "processId", p.dataset_id AS "datasetId", p.status, p.phase, p.error ->> 'code' AS "errorCode",
    p.created_at AS "createdAt", p.sealed_at AS "sealedAt", coalesce(p.lease_until > now(), false) AS held,
    coalesce(
      (SELECT 'version ' || max(v.id) FROM versions v WHERE v.dataset_id = p.dataset_id
         AND (v.process_id > p.id OR (v.process_id IS NULL AND v.created_at > p.created_at))),
      (SELECT 'upload ' || max(q.id) FROM processes q
       WHERE q.dataset_id = p.dataset_id AND q.id > p.id AND q.status = 'pending')) AS newer
  FROM processes p WHERE p.id = $1`;

export const createUploadReplay = (options: UploadReplayOptions): UploadReplay => {
  const { sql, processes, chunkDiscovery, rewrite } = options;

  const read = async (tx: Sql, processId: number): Promise<Candidate> => {
    const [candidate] = await tx.query<Candidate>(candidateSql, [processId]);
    if (candidate === undefined) throw notFound('unknown_process', `There is no process ${processId}.`);
    return candidate;
  };

  const requireRetry = ({ processId, errorCode, newer }: Candidate): void => {
    if (errorCode === 'cancelled')
      throw conflict('cancelled', `Process ${processId} was cancelled by its user; it is not tried again.`);
    if (newer !== null)
      throw conflict(
        'superseded',
        `Process ${processId} is older than ${newer} of its dataset, which it would overwrite. Its file has to be sent again.`,
      );
  };

  const requireTakeOver = ({ processId, phase, held }: Candidate, takeOver: boolean): void => {
    if (phase !== 'insert' && phase !== 'collect')
      throw conflict(
        'still_pending',
        phase === 'replay'
          ? `Process ${processId} is being read again ${held ? 'by a worker' : 'as soon as a worker is free'}.`
          : `The rows of process ${processId} are stored; it waits for its turn to be published.`,
      );
    if (!takeOver)
      throw conflict(
        'still_pending',
        `Process ${processId} is pending; workers store its chunks as they come. If chunks were lost on the way, --take-over reads all of it again.`,
      );
  };

  const requireReplay = (candidate: Candidate, takeOver: boolean): void =>
    candidate.status === 'pending' ? requireTakeOver(candidate, takeOver) : requireRetry(candidate);

  /** The upload is pending, all of its chunks are known: the next sweep of a worker reads it. */
  const handOver = ({ processId, datasetId }: Candidate, takeOver: boolean): Promise<void> =>
    sql.tx(async (tx) => {
      // The order of locks is that of publishing.
      await tx.query('SELECT 1 FROM datasets WHERE id = $1 FOR NO KEY UPDATE', [datasetId]);
      await tx.query('SELECT 1 FROM processes WHERE id = $1 FOR NO KEY UPDATE', [processId]);
      const candidate = await read(tx, processId);
      if (candidate.status === 'completed') return;
      requireReplay(candidate, takeOver);
      await tx.query(
        `UPDATE processes SET status = 'pending', phase = 'collect', error = NULL, completed_at = NULL, merge = NULL,
           received_at = now(), sealed_at = coalesce(sealed_at, now()), lease_owner = NULL, lease_until = NULL
         WHERE id = $1`,
        [processId],
      );
    });

  const ended = async (datasetId: number, processId: number, waitMs: number): Promise<ProcessView> => {
    const deadline = Date.now() + waitMs;
    for (;;) {
      const view = await processes.view(datasetId, processId);
      if (view === undefined) throw notFound('unknown_process', 'The dataset was deleted meanwhile.');
      if (view.status !== 'pending' || Date.now() >= deadline) return view;
      await sleep(pollMs);
    }
  };

  return {
    async replay(processId, { takeOver, waitMs }) {
      const candidate = await read(sql, processId);
      if (candidate.status === 'completed')
        return { kind: 'rewritten', ...(await rewrite.rewrite(processId)) };
      requireReplay(candidate, takeOver);
      await chunkDiscovery.find(candidate);
      await handOver(candidate, takeOver);
      return { kind: 'tried_again', process: await ended(candidate.datasetId, processId, waitMs) };
    },
  };
};

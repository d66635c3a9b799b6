/**
 * Replays a whole upload from Kafka at the request of an operator.
 *
 *   completed   the rows are written to a new segment and compared with the old one; see segment-rewrite.ts
 *   failed      a worker retries it, unless a newer upload was published or is pending
 *   pending     refused, unless `takeOver` is set; then a worker replays all of it
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { conflict, notFound } from '../../lib/errors.js';
import type { ProcessView } from '../../model/process.js';
import type { ProcessRecords } from '../lifecycle/process-records.js';
import type { RetryCandidate, RetryRecords } from '../lifecycle/retry-records.js';
import type { ChunkDiscovery } from './chunk-discovery.js';
import type { RewriteReport, SegmentRewrite } from './segment-rewrite.js';

export type ReplayReport =
  | ({ readonly kind: 'rewritten' } & RewriteReport)
  | { readonly kind: 'tried_again'; readonly process: ProcessView };

export interface UploadReplay {
  /** @throws AppError 404, or 409 with the reason why the upload cannot be replayed; nothing has changed then */
  replay(processId: number, options: ReplayOptions): Promise<ReplayReport>;
}

interface ReplayOptions {
  /** Replay the upload even if it is pending. */
  readonly takeOver: boolean;
  /** Longest wait for the worker, milliseconds. */
  readonly waitMs: number;
}

interface UploadReplayOptions {
  readonly retries: RetryRecords;
  readonly processes: ProcessRecords;
  readonly chunkDiscovery: ChunkDiscovery;
  readonly rewrite: SegmentRewrite;
}

const pollMs = 200;

export const createUploadReplay = (options: UploadReplayOptions): UploadReplay => {
  const { retries, processes, chunkDiscovery, rewrite } = options;

  const requireRetry = ({ processId, errorCode, newer }: RetryCandidate): void => {
    if (errorCode === 'cancelled')
      throw conflict('cancelled', `Process ${processId} was cancelled by its user; it is not tried again.`);
    if (newer !== null)
      throw conflict(
        'superseded',
        `Process ${processId} is older than ${newer} of its dataset, which it would overwrite. Its file has to be sent again.`,
      );
  };

  const requireTakeOver = ({ processId, phase, held }: RetryCandidate, takeOver: boolean): void => {
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
        `Process ${processId} is pending; workers store its chunks as they arrive. If chunks were lost, --take-over replays all of it.`,
      );
  };

  const requireReplay = (candidate: RetryCandidate, takeOver: boolean): void =>
    candidate.status === 'pending' ? requireTakeOver(candidate, takeOver) : requireRetry(candidate);

  const ended = async (datasetId: number, processId: number, waitMs: number): Promise<ProcessView> => {
    const deadline = Date.now() + waitMs;
    for (;;) {
      const view = await processes.view(datasetId, processId);
      if (view === undefined) throw notFound('unknown_process', 'The dataset was deleted in the meantime.');
      if (view.status !== 'pending' || Date.now() >= deadline) return view;
      await sleep(pollMs);
    }
  };

  return {
    async replay(givenId, { takeOver, waitMs }) {
      const candidate = await retries.candidate(givenId);
      const { processId } = candidate;
      if (candidate.mode === 'merge_columns')
        throw conflict(
          'no_file',
          `Process ${processId} merges columns: it has no file that could be read again.`,
        );
      if (candidate.status === 'completed')
        return { kind: 'rewritten', ...(await rewrite.rewrite(processId)) };
      requireReplay(candidate, takeOver);
      await chunkDiscovery.find(candidate);
      if (candidate.isUnanswered)
        throw conflict(
          'never_answered',
          `The sender of process ${processId} got no answer and assumes that it failed. The file must be sent again.`,
        );
      await retries.retry(processId, (now) => requireReplay(now, takeOver));
      return { kind: 'tried_again', process: await ended(candidate.datasetId, processId, waitMs) };
    },
  };
};

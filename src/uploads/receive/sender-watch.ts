/**
 * An upload whose sender was never answered must not be published: the sender takes it for failed and sends it again. One
 * that fills a reserved process is exempt, since its sender has the id to look it up.
 *
 * PostgreSQL holds the upload back until `seal` (process-records.ts), so a process that dies before it publishes nothing.
 * From then on this watch fails an upload that is still pending when its sender disconnects before the answer is written.
 */
import { conflict, unavailable } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { ProcessView } from '../../model/process.js';
import type { Dispatcher } from '../lifecycle/dispatcher.js';
import type { ProcessRecords, Received } from '../lifecycle/process-records.js';
import { abandoned, unanswered } from '../lifecycle/transition-records.js';
import type { Upload } from '../options/upload.js';

interface SenderWatch {
  /** @throws AppError `upload_unanswered` when the sender has disconnected. */
  requirePresent(): void;
  /** Fails the process as soon as the sender disconnects; the file has been received. */
  watch(processId: number): void;
  /**
   * Releases an upload that is in Kafka as a whole, since its sender gets its answer now.
   * @throws AppError as `requirePresent`
   */
  seal(processId: number, received: Received): Promise<ProcessView | undefined>;
}

interface SenderWatchOptions {
  readonly upload: Pick<Upload, 'datasetId' | 'reservedId' | 'sender'>;
  readonly processes: Pick<ProcessRecords, 'seal'>;
  readonly dispatcher: Pick<Dispatcher, 'fail' | 'publish'>;
  readonly log: Log;
}

/** True for an upload that only its answer makes known to its sender. */
export const needsAnswer = ({ reservedId, sender }: Pick<Upload, 'reservedId' | 'sender'>): boolean =>
  sender !== undefined && reservedId === undefined;

/** @throws AppError when the process ended while its file was received, for a reason that is not in the file. */
export const requireReceived = ({ status, error }: ProcessView): void => {
  if (status !== 'failed') return;
  // The receiving process was silent for too long (stopped, or without its database) and was declared dead.
  if (error?.code === abandoned.code) throw unavailable(error.code, error.message, { retryAfterSeconds: 1 });
  if (error?.code === unanswered.code) throw conflict(error.code, error.message);
};

export const createSenderWatch = ({
  upload,
  processes,
  dispatcher,
  log,
}: SenderWatchOptions): SenderWatch => {
  const { datasetId, sender } = upload;
  const watched = needsAnswer(upload) ? sender : undefined;

  const fail = (processId: number): void => {
    dispatcher.fail({ processId, datasetId }, unanswered).catch((error: unknown) =>
      // Not sealed: the sweep fails it. Sealed: it was received, and is published like any other.
      log.warn({ err: error, process: processId }, 'upload without an answer not failed'),
    );
  };

  const requirePresent = (): void => {
    if (watched?.aborted) throw conflict(unanswered.code, unanswered.message);
  };

  return {
    requirePresent,
    async seal(processId, received) {
      requirePresent();
      const sealed = await processes.seal(processId, received);
      // A failure does not concern this upload, which is answered anyway: a sweep publishes what is due.
      if (sealed?.isStored)
        await dispatcher
          .publish(datasetId)
          .catch((error: unknown) =>
            log.warn({ err: error, process: processId }, 'upload not published yet'),
          );
      return sealed?.view;
    },
    watch(processId) {
      watched?.addEventListener('abort', () => fail(processId), { once: true });
    },
  };
};

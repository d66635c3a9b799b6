/**
 * Prevents that an upload is published whose sender never got an answer, since the sender assumes a failure and sends it again. An
 * upload to a reserved process is exempt, since its sender knows the id and can look it up.
 *
 * In PostgreSQL the upload is not due before `seal` (process-records.ts), so nothing is published if the API dies before that.
 * After `seal`, this watch fails the upload if it is still pending when the sender disconnects without an answer.
 *
 * If the answer of PostgreSQL to `seal` is lost, the upload may be due. An error response would say that nothing is published, so `seal`
 * is repeated. If PostgreSQL stays away, the sender gets no response at all (`OutcomeUnknown`).
 */
import { conflict, unavailable } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { ProcessView } from '../../model/process.js';
import { isOutage } from '../../storage/outage.js';
import { retryInOutage } from '../../storage/outage-retry.js';
import type { Dispatcher } from '../lifecycle/dispatcher.js';
import type { ProcessRecords, Received } from '../lifecycle/process-records.js';
import { abandoned, unanswered } from '../lifecycle/transition-records.js';
import type { Upload } from '../options/upload.js';

interface SenderWatch {
  /** @throws AppError `upload_unanswered` if the sender has disconnected */
  requirePresent(): void;
  /** From now on fails the process when the sender disconnects. Call it when the file has been received. */
  watch(processId: number): void;
  /**
   * Releases a complete upload for publication, since its sender gets its answer now.
   * @throws AppError as `requirePresent`
   * @throws OutcomeUnknown if PostgreSQL cannot be reached and the upload may have been released
   */
  seal(processId: number, received: Received): Promise<ProcessView | undefined>;
}

interface SenderWatchOptions {
  readonly upload: Pick<Upload, 'datasetId' | 'reservedId' | 'sender'>;
  readonly processes: Pick<ProcessRecords, 'seal'>;
  readonly dispatcher: Pick<Dispatcher, 'fail' | 'publish'>;
  /** Milliseconds for which `seal` is repeated while PostgreSQL cannot be reached. @default 20000 */
  readonly sealPatienceMs?: number;
  readonly log: Log;
}

/** The upload may be published or not. Its sender must not get an error response; its connection is closed instead. */
export class OutcomeUnknown extends Error {
  constructor(processId: number, cause: unknown) {
    super(`process ${processId} may be published: PostgreSQL did not answer`, { cause });
  }
}

/** True if the sender knows the result only from the answer. */
export const needsAnswer = ({ reservedId, sender }: Pick<Upload, 'reservedId' | 'sender'>): boolean =>
  sender !== undefined && reservedId === undefined;

/** @throws AppError if the process failed while its file was received, for a reason other than the file */
export const requireReceived = ({ status, error }: ProcessView): void => {
  if (status !== 'failed') return;
  // The receiving API sent no heartbeat for too long (suspended, or without its database) and was declared dead.
  if (error?.code === abandoned.code) throw unavailable(error.code, error.message, { retryAfterSeconds: 1 });
  if (error?.code === unanswered.code) throw conflict(error.code, error.message);
};

export const createSenderWatch = ({
  upload,
  processes,
  dispatcher,
  sealPatienceMs = 20_000,
  log,
}: SenderWatchOptions): SenderWatch => {
  const { datasetId, sender } = upload;
  const watched = needsAnswer(upload) ? sender : undefined;

  let isFailing = false;
  const fail = (processId: number): void => {
    if (isFailing) return;
    isFailing = true;
    retryInOutage(() => dispatcher.fail({ processId, datasetId }, unanswered)).catch((error: unknown) =>
      // The sweep fails it if it is not sealed. If it is sealed, it is published like any other.
      log.warn({ err: error, process: processId }, 'upload without an answer not failed'),
    );
  };

  const requirePresent = (): void => {
    if (watched?.aborted) throw conflict(unanswered.code, unanswered.message);
  };

  return {
    requirePresent,
    async seal(processId, received) {
      const sealed = await retryInOutage(() => {
        requirePresent();
        return processes.seal(processId, received);
      }, sealPatienceMs).catch((error: unknown) => {
        if (!isOutage(error)) throw error;
        if (watched !== undefined) fail(processId);
        throw new OutcomeUnknown(processId, error);
      });
      // The upload is complete and is answered even if this fails; a sweep publishes it later.
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

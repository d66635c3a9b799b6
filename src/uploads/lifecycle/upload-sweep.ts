/** Continues or fails uploads that a crash left unfinished. Any number of workers may sweep at the same time. */
import type { Log } from '../../lib/log.js';
import type { ChunkRecords } from './chunk-records.js';
import type { Dispatcher } from './dispatcher.js';
import type { FailedUpload, TransitionRecords } from './transition-records.js';

interface UploadSweepReport {
  /** Uploads whose receiving API died. */
  readonly abandoned: number;
  /** Uploads that could not be stored while Kafka kept them. */
  readonly expired: number;
  /** Reserved processes that no upload has filled in time. */
  readonly unfilled: number;
  /** Uploads to replay. */
  readonly replays: number;
}

type UploadSweep = () => Promise<UploadSweepReport>;

interface UploadSweepOptions {
  readonly transitions: Pick<
    TransitionRecords,
    'failAbandoned' | 'failExpired' | 'expireReserved' | 'waitingForReplay' | 'datasetsToPublish'
  >;
  readonly chunks: Pick<ChunkRecords, 'forgetExpired'>;
  readonly dispatcher: Pick<Dispatcher, 'publish' | 'resume' | 'announceFailed'>;
  /** Silence after which a receiving API is declared dead. */
  readonly receiveTimeoutMs: number;
  /** How long Kafka keeps chunks. */
  readonly retentionMs: number;
  readonly log: Log;
}

export const createUploadSweep = (options: UploadSweepOptions): UploadSweep => {
  const { transitions, chunks, dispatcher, receiveTimeoutMs, retentionMs, log } = options;

  /** A dataset that cannot be published must not stop the sweep of the others. */
  const publish = async (datasetId: number): Promise<void> => {
    try {
      await dispatcher.publish(datasetId);
    } catch (error) {
      log.error({ err: error, dataset: datasetId }, 'dataset not published by the sweep');
    }
  };

  const publishBehind = async (failed: readonly FailedUpload[]): Promise<number> => {
    for (const upload of failed) {
      dispatcher.announceFailed(upload);
      await publish(upload.datasetId);
    }
    return failed.length;
  };

  return async () => {
    for (const datasetId of await transitions.datasetsToPublish()) await publish(datasetId);
    const abandoned = await publishBehind(await transitions.failAbandoned(receiveTimeoutMs));
    const expired = await publishBehind(await transitions.failExpired(retentionMs));
    const unfilled = await transitions.expireReserved();
    const waiting = await transitions.waitingForReplay();
    for (const processId of waiting) dispatcher.resume(processId);
    await chunks.forgetExpired(retentionMs);
    return { abandoned, expired, unfilled, replays: waiting.length };
  };
};

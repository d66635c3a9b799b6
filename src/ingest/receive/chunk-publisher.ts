import type { Log } from '../../lib/log.js';
import { compressZstd } from '../../lib/zstd.js';
import type { Chunk, Lane } from '../../model/chunk.js';
import type { ChunkProducer } from '../../storage/kafka/chunk-producer.js';
import type { SplitChunk } from '../csv/types.js';
import type { UploadAdmission } from './upload-admission.js';

/** Chunks that are on their way to Kafka at a time, per upload. */
const sendsInFlight = 2;

/** Takes the chunks of one upload to Kafka, numbered, a few at a time. */
export interface ChunkPublisher {
  /**
   * Compresses the chunk and hands it over; waits while too many are on their way. `undefined` stands for the
   * only, empty chunk of a file without data rows. The last chunk leaves when all others have arrived, so that
   * whoever sees it knows that the upload is whole.
   */
  ship(split: SplitChunk | undefined): Promise<void>;
  /** Resolves when everything has arrived. */
  arrived(): Promise<void>;
}

export interface ChunkPublisherOptions {
  readonly producer: Pick<ChunkProducer, 'send'>;
  /** Lets chunks wait for room in Kafka. */
  readonly admission: Pick<UploadAdmission, 'wait' | 'sent'>;
  readonly processId: number;
  readonly requestId: string;
  readonly log: Log;
}

export const createChunkPublisher = ({
  producer,
  admission,
  processId,
  requestId,
  log,
}: ChunkPublisherOptions): ChunkPublisher => {
  const sending: Promise<void>[] = [];
  let number = 0;

  const arrived = async (): Promise<void> => {
    for (let sent = sending.shift(); sent !== undefined; sent = sending.shift()) await sent;
  };

  const send = async (lane: Lane, chunk: Chunk): Promise<void> => {
    await admission.wait();
    await producer.send(lane, chunk, requestId);
    admission.sent(lane, chunk.data.length);
  };

  return {
    arrived,
    async ship(split) {
      const last = split?.last ?? true;
      const chunk: Chunk = {
        processId,
        number,
        firstRow: split?.firstRow ?? 0,
        rows: split?.rows ?? 0,
        firstLine: split?.firstLine ?? 2,
        last,
        rawBytes: split?.bytes.length ?? 0,
        data: await compressZstd(split?.bytes ?? Buffer.alloc(0)),
      };
      if (last) await arrived();
      else if (sending.length >= sendsInFlight) await sending.shift();
      const sent = send(last && number === 0 ? 'short' : 'bulk', chunk);
      // A failure is met when the promise is awaited, a little later; until then it is not unhandled.
      sent.catch((error: unknown) => log.debug({ err: error, process: processId }, 'chunk not sent'));
      sending.push(sent);
      number += 1;
    },
  };
};

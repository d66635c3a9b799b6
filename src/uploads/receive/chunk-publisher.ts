import { cutChunk } from '../../csv/chunk-cut.js';
import type { Dialect, SplitChunk } from '../../csv/types.js';
import { invalid } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { compressZstd } from '../../lib/zstd.js';
import { type Chunk, type ChunkTopic, maxChunkRows, topicFor } from '../../model/chunk.js';
import { recordsPerUpload } from '../../model/position.js';
import type { ChunkProducer } from '../../storage/kafka/chunk-producer.js';
import type { AccountWindows } from './account-windows.js';
import type { UploadAdmission } from './upload-admission.js';

/** Chunks that are on their way to Kafka at a time, per upload. */
const sendsInFlight = 2;

/** Takes the chunks of one upload to Kafka, numbered, a few at a time. */
export interface ChunkPublisher {
  /**
   * Compresses the chunk and sends it; waits while too many are in flight. `undefined` stands for the
   * only, empty chunk of a file without data rows. The last chunk leaves when all others have arrived, so that
   * a reader that sees it knows that the upload is whole. What does not fit into a message is cut between records.
   * @throws AppError when a single record does not fit.
   */
  publish(split: SplitChunk | undefined): Promise<void>;
  /** Resolves when everything has arrived. */
  arrived(): Promise<void>;
  /** Chunks that Kafka has. */
  sent(): number;
}

interface ChunkPublisherOptions {
  readonly producer: Pick<ChunkProducer, 'send' | 'maxDataBytes'>;
  /** Delays chunks while Kafka has no room. */
  readonly admission: Pick<UploadAdmission, 'wait' | 'sent'>;
  /** Keeps the account from filling the line of all others. */
  readonly windows: Pick<AccountWindows, 'enter'>;
  readonly accountId: number;
  readonly processId: number;
  readonly dialect: Dialect;
  readonly requestId: string;
  readonly chunkKey: Buffer;
  readonly log: Log;
}

/** Raw size of a chunk that counts as full: it keeps a worker busy for a while. */
const fullBytes = 16 * 1024 * 1024;

const loadOf = ({ rawBytes, rows }: Chunk): number => Math.max(rawBytes / fullBytes, rows / maxChunkRows);

/** A chunk and what it is compressed. */
interface Packed {
  readonly split: SplitChunk;
  readonly data: Buffer;
}

/** How much fuller than the average a part may turn out. */
const unevenness = 1.25;

/**
 * The chunk in parts that fit into a message each, in order. Few chunks do not fit: then the compressed size of the
 * whole says into how many parts it has to be split.
 */
async function* pack(split: SplitChunk, dialect: Dialect, maxDataBytes: number): AsyncGenerator<Packed> {
  if (split.firstRow + split.rows > recordsPerUpload)
    throw invalid('too_many_records', `A file has at most ${recordsPerUpload} records; send it in parts.`, {
      limit: recordsPerUpload,
    });
  const data = await compressZstd(split.bytes);
  if (data.length <= maxDataBytes) {
    yield { split, data };
    return;
  }
  if (split.rows === 1)
    throw invalid(
      'record_too_large',
      `Line ${split.firstLine}: a record takes ${data.length} bytes compressed; a message holds ${maxDataBytes}.`,
      { line: split.firstLine, maxMessageBytes: maxDataBytes },
    );
  for (const part of cutChunk(split, dialect, Math.ceil((data.length * unevenness) / maxDataBytes)))
    yield* pack(part, dialect, maxDataBytes);
}

/** The only chunk of a file without data rows. */
const emptyChunk: SplitChunk = { bytes: Buffer.alloc(0), firstRow: 0, rows: 0, firstLine: 2, last: true };

export const createChunkPublisher = ({
  producer,
  admission,
  windows,
  accountId,
  processId,
  dialect,
  requestId,
  chunkKey,
  log,
}: ChunkPublisherOptions): ChunkPublisher => {
  const sending: Promise<void>[] = [];
  let number = 0;
  let sent = 0;

  const arrived = async (): Promise<void> => {
    for (let next = sending.shift(); next !== undefined; next = sending.shift()) await next;
  };

  const send = async (topic: ChunkTopic, chunk: Chunk): Promise<void> => {
    if (topic === 'bulk') await windows.enter({ accountId, processId }, loadOf(chunk));
    await admission.wait();
    await producer.send(topic, chunk, { requestId, chunkKey });
    admission.sent(topic, chunk.data.length);
    sent += 1;
  };

  const sendPart = async ({ split, data }: Packed): Promise<void> => {
    const { firstRow, rows, firstLine, last } = split;
    const chunk: Chunk = {
      processId,
      number,
      firstRow,
      rows,
      firstLine,
      last,
      rawBytes: split.bytes.length,
      data,
    };
    if (last) await arrived();
    else if (sending.length >= sendsInFlight) await sending.shift();
    const leaving = send(topicFor(chunk), chunk);
    // A failure is met when the promise is awaited, a little later; until then it is not unhandled.
    leaving.catch((error: unknown) => log.debug({ err: error, process: processId }, 'chunk not sent'));
    sending.push(leaving);
    number += 1;
  };

  return {
    arrived,
    sent: () => sent,
    async publish(split = emptyChunk) {
      for await (const packed of pack(split, dialect, producer.maxDataBytes)) await sendPart(packed);
    },
  };
};

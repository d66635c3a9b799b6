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

/** Chunks of an upload that are sent to Kafka at a time. */
const sendsInFlight = 2;

/** Sends the chunks of one upload to Kafka, in numbered order. */
export interface ChunkPublisher {
  /**
   * Compresses and sends a chunk; waits while too many are in flight. `undefined` is the only, empty chunk of a file without data
   * rows. The last chunk is sent when all others have arrived, so a reader that sees it knows that the upload is complete. A chunk
   * that does not fit into a message is split between records.
   * @throws AppError if a single record does not fit
   */
  publish(split: SplitChunk | undefined): Promise<void>;
  /** Resolves when all chunks have arrived. */
  arrived(): Promise<void>;
  /** Number of chunks that have arrived. */
  sent(): number;
}

interface ChunkPublisherOptions {
  readonly producer: Pick<ChunkProducer, 'send' | 'maxDataBytes'>;
  /** Delays chunks while Kafka is nearly full. */
  readonly admission: Pick<UploadAdmission, 'wait' | 'sent'>;
  /** Keeps one account from filling the queue that all share. */
  readonly windows: Pick<AccountWindows, 'enter'>;
  readonly accountId: number;
  readonly processId: number;
  readonly dialect: Dialect;
  readonly requestId: string;
  readonly chunkKey: Buffer;
  readonly log: Log;
}

/** Raw size of a chunk whose load is 1. */
const fullBytes = 16 * 1024 * 1024;

const loadOf = ({ rawBytes, rows }: Chunk): number => Math.max(rawBytes / fullBytes, rows / maxChunkRows);

/** A chunk and its compressed bytes. */
interface Packed {
  readonly split: SplitChunk;
  readonly data: Buffer;
}

/** Allowance for parts that compress worse than the average. */
const unevenness = 1.25;

/**
 * Splits a chunk into parts that fit into a message each. Few chunks need it. The number of parts follows from the compressed size.
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
      `Line ${split.firstLine}: the record has ${data.length} bytes when compressed; at most ${maxDataBytes} fit into a message.`,
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
    // A failure is thrown when the promise is awaited later. This handler prevents an unhandled rejection until then.
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

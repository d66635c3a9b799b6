import { Partitioners, type Producer } from 'kafkajs';
import { unavailable } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { TraceHeaders } from '../../lib/tracing.js';
import type { Chunk, ChunkTopic } from '../../model/chunk.js';
import { encodeChunk } from './chunk-codec.js';
import { macHeader, macOf } from './chunk-mac.js';
import type { KafkaConnection } from './connection.js';
import { clientOf, sendTo } from './kafkajs/client.js';
import type { TopicNames } from './topics.js';

/** The upload of a chunk. */
interface ChunkSender {
  /** Id of the upload request. */
  readonly requestId: string;
  /** Key that authenticates the chunks of the upload. */
  readonly chunkKey: Buffer;
}

export interface ChunkProducer {
  /** Maximum bytes of the data of a chunk. */
  readonly maxDataBytes: number;
  /**
   * Resolves when every in-sync replica has the chunk. Waits for a broker that is down, up to `patienceMs`. The chunk may then be in Kafka
   * twice; readers identify a chunk by process and number.
   * @throws AppError kind `unavailable` if Kafka stays down, or at once if it finds the chunk too large.
   */
  send(topic: ChunkTopic, chunk: Chunk, from: ChunkSender): Promise<void>;
  close(): Promise<void>;
}

interface ChunkProducerOptions {
  readonly kafka: KafkaConnection;
  readonly topics: TopicNames;
  /** Current number of partitions of a topic. */
  readonly partitions: (topic: ChunkTopic) => number;
  /** Largest message that the topics accept. */
  readonly maxMessageBytes: number;
  /** Milliseconds for which sending a chunk is retried. */
  readonly patienceMs: number;
  /** Headers with the trace of a chunk. */
  readonly traceHeaders: () => TraceHeaders;
  readonly log: Log;
}

/** Chunks of one upload are distributed over all partitions, so that several workers share it. */
const partitionOf = (chunk: Chunk, partitions: number): number =>
  (chunk.processId + chunk.number) % partitions;

/** Upper bound of the bytes in a message without its payload: batch header, record headers, head of the chunk. */
const frameBytes = 1024;

/** MESSAGE_TOO_LARGE: the broker refuses the message each time. kafkajs may wrap the error. */
const isTooLarge = (error: unknown): boolean =>
  error instanceof Error &&
  ((error.name === 'KafkaJSProtocolError' && Reflect.get(error, 'code') === 10) || isTooLarge(error.cause));

const pauseMs = (attempt: number): number => Math.min(100 * 2 ** attempt, 5_000);

export const createChunkProducer = async ({
  kafka,
  topics,
  partitions,
  maxMessageBytes,
  patienceMs,
  traceHeaders,
  log,
}: ChunkProducerOptions): Promise<ChunkProducer> => {
  let current: Promise<Producer> | undefined;

  const connect = async (): Promise<Producer> => {
    const producer = clientOf(kafka).producer({
      idempotent: true,
      createPartitioner: Partitioners.DefaultPartitioner,
      maxInFlightRequests: 5,
      allowAutoTopicCreation: false,
      retry: { retries: 5, initialRetryTime: 50, maxRetryTime: 1_000 },
    });
    await producer.connect();
    return producer;
  };

  /** An idempotent producer may lose its sequence number after a failure, so it is replaced and not reused. */
  const replace = async (failed: Promise<Producer>): Promise<void> => {
    if (current !== failed) return;
    current = undefined;
    try {
      await (await failed).disconnect();
    } catch (error) {
      log.debug({ err: error }, 'failed producer could not be closed');
    }
  };

  const messageOf = (chunk: Chunk, { requestId, chunkKey }: ChunkSender) => {
    const value = encodeChunk(chunk);
    return {
      key: String(chunk.processId),
      value,
      headers: {
        process: String(chunk.processId),
        chunk: String(chunk.number),
        'first-row': String(chunk.firstRow),
        'request-id': requestId,
        [macHeader]: macOf(chunkKey, value).toString('base64'),
        ...traceHeaders(),
      },
    };
  };

  current = connect();
  await current;

  return {
    maxDataBytes: maxMessageBytes - frameBytes,
    async send(topic, chunk, from) {
      const message = messageOf(chunk, from);
      const deadline = Date.now() + patienceMs;
      for (let attempt = 0; ; attempt += 1) {
        current ??= connect();
        const used = current;
        try {
          const partition = partitionOf(chunk, partitions(topic));
          await sendTo(await used, topics[topic], { ...message, partition });
          return;
        } catch (error) {
          await replace(used);
          if (isTooLarge(error)) {
            const { length: bytes } = message.value;
            log.error(
              { err: error, topic: topics[topic], process: chunk.processId, chunk: chunk.number, bytes },
              'chunk refused by Kafka: max.message.bytes of the topic is below MAX_MESSAGE_BYTES',
            );
            throw unavailable(
              'log_unavailable',
              'Uploads cannot be accepted: max.message.bytes of a Kafka topic is below MAX_MESSAGE_BYTES.',
              { cause: error },
            );
          }
          if (Date.now() > deadline) {
            throw unavailable('log_unavailable', 'Uploads cannot be accepted at the moment.', {
              cause: error,
              retryAfterSeconds: 10,
            });
          }
          log.warn(
            { err: error, process: chunk.processId, chunk: chunk.number, attempt },
            'chunk not sent, trying again',
          );
          await new Promise((resolve) => setTimeout(resolve, pauseMs(attempt)));
        }
      }
    },
    async close() {
      const last = current;
      current = undefined;
      if (last !== undefined) await (await last).disconnect();
    },
  };
};

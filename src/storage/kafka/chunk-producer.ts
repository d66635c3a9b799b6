import { Partitioners, type Producer } from 'kafkajs';
import { unavailable } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { noTracing, type TraceHeaders } from '../../lib/tracing.js';
import type { Chunk, ChunkTopic } from '../../model/chunk.js';
import { encodeChunk } from './chunk-codec.js';
import { macHeader, macOf } from './chunk-mac.js';
import type { KafkaConnection } from './connection.js';
import { clientOf, sendTo } from './kafkajs/client.js';
import type { TopicNames } from './topics.js';

/** The upload that a chunk belongs to. */
interface ChunkSender {
  /** Id of the upload request. */
  readonly requestId: string;
  /** Key that authenticates the chunks of the upload. */
  readonly chunkKey: Buffer;
}

export interface ChunkProducer {
  /** Most bytes of data that a chunk may have. */
  readonly maxDataBytes: number;
  /**
   * Resolves when every in-sync replica has the chunk. A broker that is away is waited for, up to `patienceMs`.
   * A chunk may then be in Kafka twice; readers know a chunk by process and number.
   * @throws AppError kind `unavailable` when Kafka stays away.
   */
  send(topic: ChunkTopic, chunk: Chunk, from: ChunkSender): Promise<void>;
  close(): Promise<void>;
}

interface ChunkProducerOptions {
  readonly kafka: KafkaConnection;
  readonly topics: TopicNames;
  /** Partitions that a topic has now. */
  readonly partitions: (topic: ChunkTopic) => number;
  /** Largest message that the topics take. */
  readonly maxMessageBytes: number;
  /** Milliseconds that a chunk is tried for. */
  readonly patienceMs: number;
  /** Headers with the trace that a chunk belongs to. @default none */
  readonly traceHeaders?: () => TraceHeaders;
  readonly log: Log;
}

/** Chunks of one upload go round all partitions, so that several workers share it. */
const partitionOf = (chunk: Chunk, partitions: number): number =>
  (chunk.processId + chunk.number) % partitions;

/** Upper bound of the bytes in a message besides its payload: batch header, record headers, head of the chunk. */
const frameBytes = 1024;

const pauseMs = (attempt: number): number => Math.min(100 * 2 ** attempt, 5_000);

export const createChunkProducer = async ({
  kafka,
  topics,
  partitions,
  maxMessageBytes,
  patienceMs,
  traceHeaders = noTracing.carry,
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

  /** An idempotent producer that failed may have lost its place in the sequence: it is replaced, not reused. */
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

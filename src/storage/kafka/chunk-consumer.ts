import type { Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs';
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { type TraceHeaders, traceHeaderNames } from '../../lib/tracing.js';
import type { Chunk, ChunkPosition } from '../../model/chunk.js';
import { decodeChunk } from './chunk-codec.js';
import type { KafkaConnection } from './connection.js';
import type { DeadLetterProducer } from './dead-letters.js';
import { clientOf, subscribe } from './kafkajs/client.js';

export interface Delivery {
  readonly chunk: Chunk;
  readonly position: ChunkPosition;
  /** Id of the upload request. */
  readonly requestId: string;
  /** Trace of the upload; empty where it has none. */
  readonly trace: TraceHeaders;
}

/**
 * Handles chunks that are at hand, in the order in which they were sent. Resolving means that their effect is recorded, so
 * that the offset may move on. Throwing means "try again": the same deliveries come back after a pause, for as long as it
 * takes.
 */
export type ChunkHandler = (deliveries: readonly Delivery[]) => Promise<void>;

export interface ChunkConsumerOptions {
  readonly kafka: KafkaConnection;
  readonly groupId: string;
  readonly topic: string;
  readonly handle: ChunkHandler;
  /** Most chunks of a partition that are handed over together, when so many are at hand. */
  readonly atOnce: number;
  readonly deadLetters: DeadLetterProducer;
  /** Told when a chunk could not be handled and is tried again. */
  readonly onRetry?: () => void;
  /** Told when the group is formed anew. */
  readonly onRebalance?: () => void;
  /** True: the next chunk waits; the member stays in its group. @default never */
  readonly isPaused?: () => boolean;
  readonly log: Log;
}

/** Milliseconds between two looks whether a chunk may go on. */
const pausedLookMs = 200;

export interface ChunkConsumer {
  /** Milliseconds since the epoch of the last sign of life: a message handled, or an empty fetch. */
  lastTickAt(): number;
  /** Lets the message that is being handled end, then leaves the group. */
  close(): Promise<void>;
}

const sessionTimeoutMs = 10_000;
const heartbeatMs = 2_000;
/** After which partitions that an operator has added are seen; the group is formed anew then. */
const metadataMaxAgeMs = 30_000;
const pauseMs = (attempt: number): number => Math.min(50 * 2 ** attempt, 5_000);
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const headerText = (message: KafkaMessage, name: string): string => {
  const value = message.headers?.[name];
  return value === undefined ? '' : String(Array.isArray(value) ? value[0] : value);
};

const traceOf = (message: KafkaMessage): TraceHeaders =>
  Object.fromEntries(
    traceHeaderNames.flatMap((name) => {
      const text = headerText(message, name);
      return text === '' ? [] : [[name, text]];
    }),
  );

/** Keeps the membership alive while a handler runs; what a heartbeat says is thrown after the handler. */
const keepAlive = (heartbeat: () => Promise<void>): { stop: () => void; failure: () => unknown } => {
  let failure: unknown;
  const timer = setInterval(() => {
    heartbeat().catch((error: unknown) => {
      failure ??= error;
    });
  }, heartbeatMs);
  return { stop: () => clearInterval(timer), failure: () => failure };
};

/**
 * One member of the consumer group: it fetches, hands what it got over in order, and fetches again. Several
 * members make several chunks in flight. Fetches wake on arrival (`minBytes` 1), they do not poll.
 */
export const createChunkConsumer = async (options: ChunkConsumerOptions): Promise<ChunkConsumer> => {
  const { kafka, groupId, topic, handle, atOnce, deadLetters, log, isPaused = () => false } = options;
  let tickAt = Date.now();
  let closing = false;

  const untilHandled = async (deliveries: readonly Delivery[], running: () => boolean): Promise<boolean> => {
    const [first] = deliveries;
    if (first === undefined) return true;
    for (let attempt = 0; running(); attempt += 1) {
      try {
        await handle(deliveries);
        return true;
      } catch (error) {
        const { processId: process, number } = first.chunk;
        options.onRetry?.();
        const chunks = deliveries.length;
        log.warn({ err: error, process, chunk: number, chunks, attempt }, 'chunk not handled, trying again');
        await sleep(pauseMs(attempt));
      }
    }
    return false;
  };

  /** The chunk in a message; undefined when it is none and was set aside. */
  const deliveryOf = async (message: KafkaMessage, partition: number): Promise<Delivery | undefined> => {
    const position: ChunkPosition = { topic, partition, offset: message.offset };
    let chunk: Chunk;
    try {
      if (message.value === null) throw new Error('the message has no value');
      chunk = decodeChunk(message.value);
    } catch (error) {
      // DeadLetterProducer throws when it fails: the offset is not resolved before the message is safe.
      await deadLetters.keep(message, position, `undecodable: ${messageOf(error)}`);
      return undefined;
    }
    return { chunk, position, requestId: headerText(message, 'request-id'), trace: traceOf(message) };
  };

  const handleMessages = async (
    messages: readonly KafkaMessage[],
    partition: number,
    running: () => boolean,
  ): Promise<boolean> => {
    const deliveries: Delivery[] = [];
    for (const message of messages) {
      const delivery = await deliveryOf(message, partition);
      if (delivery !== undefined) deliveries.push(delivery);
    }
    return untilHandled(deliveries, running);
  };

  const eachBatch = async (payload: EachBatchPayload): Promise<void> => {
    const { batch, heartbeat, isRunning, isStale, resolveOffset, commitOffsetsIfNecessary } = payload;
    const running = () => isRunning() && !isStale() && !closing;
    const alive = keepAlive(heartbeat);
    try {
      for (let from = 0; from < batch.messages.length; from += atOnce) {
        for (; running() && isPaused(); tickAt = Date.now()) await sleep(pausedLookMs);
        if (!running()) return;
        const messages = batch.messages.slice(from, from + atOnce);
        const handled = await handleMessages(messages, batch.partition, running);
        tickAt = Date.now();
        if (!handled) return;
        const last = messages.at(-1);
        if (last !== undefined) resolveOffset(last.offset);
        if (alive.failure() !== undefined) throw alive.failure();
        await commitOffsetsIfNecessary();
      }
    } finally {
      alive.stop();
    }
  };

  let current: Consumer | undefined;

  const join = async (): Promise<void> => {
    const consumer = clientOf(kafka).consumer({
      groupId,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: 30_000,
      heartbeatInterval: heartbeatMs,
      metadataMaxAge: metadataMaxAgeMs,
      minBytes: 1,
      maxWaitTimeInMs: 2_000,
      maxBytesPerPartition: 1024 * 1024,
      allowAutoTopicCreation: false,
      retry: {
        // Half a minute: a coordinator that died is replaced before the member gives up and comes back as another one.
        retries: 20,
        initialRetryTime: 100,
        maxRetryTime: 2_000,
        restartOnFailure: async () => !closing,
      },
    });
    current = consumer;
    consumer.on(consumer.events.FETCH, () => {
      tickAt = Date.now();
    });
    consumer.on(consumer.events.REBALANCING, () => options.onRebalance?.());
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      log.warn({ topic, err: payload.error, restart: payload.restart }, 'consumer stopped');
      // kafkajs starts itself again after failures that it knows to pass, and stays dead after all others, such as
      // its own TypeError when a commit meets a rebalance.
      if (!payload.restart) return joinAgain();
    });
    await consumer.connect();
    await subscribe(consumer, topic);
    await consumer.run({
      eachBatchAutoResolve: false,
      autoCommitInterval: 500,
      // Who takes chunks together takes those of several partitions together as well.
      partitionsConsumedConcurrently: atOnce > 1 ? 16 : 1,
      eachBatch,
    });
  };

  const leave = async (): Promise<void> => {
    const left = current;
    current = undefined;
    await left?.disconnect();
  };

  const joinAgain = async (): Promise<void> => {
    for (let attempt = 0; !closing; attempt += 1) {
      await sleep(pauseMs(attempt));
      if (closing) return;
      try {
        await leave();
        await join();
        if (closing) await leave();
        return;
      } catch (error) {
        log.warn({ topic, err: error, attempt }, 'consumer not started again yet');
      }
    }
  };

  await join();

  return {
    lastTickAt: () => tickAt,
    async close() {
      closing = true;
      await leave();
    },
  };
};

import { randomUUID } from 'node:crypto';
import type { Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs';
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { ChunkPosition } from '../../model/chunk.js';
import type { KafkaConnection } from './connection.js';
import type { DeadLetterProducer } from './dead-letters.js';
import { type Delivery, deliveryOf } from './delivery.js';
import { clientOf, subscribe } from './kafkajs/client.js';
import { createStickyAssigner } from './kafkajs/sticky-assigner.js';
import { beginWork, type Underway, workOn } from './underway.js';

/**
 * Handles the available chunks in the order in which they were sent. When it resolves, their effect is recorded, so the offset can be
 * committed. When it throws, the same deliveries are repeated after a pause, as often as necessary.
 */
export type ChunkHandler = (deliveries: readonly Delivery[]) => Promise<void>;

interface ChunkConsumerOptions {
  readonly kafka: KafkaConnection;
  readonly groupId: string;
  readonly topicName: string;
  readonly handle: ChunkHandler;
  /** Maximum chunks of a partition that are handled together. */
  readonly atOnce: number;
  readonly deadLetters: DeadLetterProducer;
  /** Called when handling a chunk failed and is retried. */
  readonly onRetry?: () => void;
  /** Called with the member id whenever the member has joined the group. */
  readonly onJoin?: (memberId: string) => void;
  /** Called when the group rebalances. */
  readonly onRebalance?: () => void;
  /** True: the next chunk waits, and the member stays in its group. @default never */
  readonly isPaused?: () => boolean;
  readonly log: Log;
}

/** Milliseconds between checks whether consumption may resume. */
const pausedLookMs = 200;

export interface ChunkConsumer {
  /** Milliseconds since the epoch of the last activity: a handled message, or an empty fetch. */
  lastTickAt(): number;
  /** Finishes the message in flight, then leaves the group. */
  close(): Promise<void>;
}

/** Id of this process in the user data of its members. */
const worker = randomUUID();

const sessionTimeoutMs = 10_000;
/** Heartbeat interval in milliseconds. A heartbeat tells a member that its group rebalances, for which all others wait. */
const heartbeatMs = 500;
/** Interval after which new partitions are detected; the group then rebalances. */
const metadataMaxAgeMs = 30_000;
const pauseMs = (attempt: number): number => Math.min(50 * 2 ** attempt, 5_000);
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface KeptAlive {
  stop(): void;
  /** Error of a heartbeat; undefined: none. */
  failure(): unknown;
  /** Rejects with the error of a heartbeat. */
  readonly broken: Promise<never>;
}

/** Keeps the membership alive while a handler runs. */
const keepAlive = (heartbeat: () => Promise<void>): KeptAlive => {
  let failure: unknown;
  let fail: (reason: unknown) => void = () => undefined;
  const broken = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Prevents an unhandled rejection while nothing waits for `broken`: callers read `failure` instead.
  broken.catch(() => undefined);
  const timer = setInterval(() => {
    heartbeat().catch((error: unknown) => {
      failure ??= error;
      fail(error);
    });
  }, heartbeatMs);
  return { stop: () => clearInterval(timer), failure: () => failure, broken };
};

/**
 * One member of the consumer group: it fetches, passes the messages on in order, and fetches again. With several members, several chunks
 * are in flight. Fetches return when messages arrive (`minBytes` 1); they do not poll.
 *
 * A rebalance does not wait for a chunk: the member joins at once and the chunk continues. Then the member of this process that gets the
 * partition, the same one if possible (`kafkajs/sticky-assigner.ts`), continues after that chunk.
 */
export const createChunkConsumer = async (options: ChunkConsumerOptions): Promise<ChunkConsumer> => {
  const {
    kafka,
    groupId,
    topicName: topic,
    handle,
    atOnce,
    deadLetters,
    log,
    isPaused = () => false,
  } = options;
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

  /** The chunk in a message; undefined for a message that cannot be decoded and became a dead letter. */
  const readMessage = async (message: KafkaMessage, partition: number): Promise<Delivery | undefined> => {
    const position: ChunkPosition = { topic, partition, offset: message.offset };
    try {
      return deliveryOf(message, position);
    } catch (error) {
      // The dead-letter producer throws if it fails, so the offset is not resolved before the message is stored.
      await deadLetters.keep(message, position, `undecodable: ${messageOf(error)}`);
      return undefined;
    }
  };

  const handleMessages = async (
    messages: readonly KafkaMessage[],
    partition: number,
    running: () => boolean,
  ): Promise<boolean> => {
    const deliveries: Delivery[] = [];
    for (const message of messages) {
      const delivery = await readMessage(message, partition);
      if (delivery !== undefined) deliveries.push(delivery);
    }
    return untilHandled(deliveries, running);
  };

  /** Work in flight of this member. */
  const begun = new Set<Promise<boolean>>();
  const keyOf = (partition: number): string => `${groupId}/${topic}/${partition}`;
  let assigned: readonly number[] = [];

  const begin = (
    messages: readonly KafkaMessage[],
    partition: number,
    running: () => boolean,
  ): Underway | undefined => {
    const last = messages.at(-1)?.offset;
    if (last === undefined) return undefined;
    const handled = handleMessages(messages, partition, running);
    begun.add(handled);
    const end = (): void => void begun.delete(handled);
    handled.then(end, end);
    return beginWork(keyOf(partition), last, handled);
  };

  const eachBatch = async (payload: EachBatchPayload): Promise<void> => {
    const { batch, heartbeat, isRunning, isStale, resolveOffset, commitOffsetsIfNecessary } = payload;
    const { partition } = batch;
    const running = () => isRunning() && !isStale() && !closing && assigned.includes(partition);
    const alive = keepAlive(heartbeat);
    const requireMembership = (): void => {
      if (alive.failure() !== undefined) throw alive.failure();
    };
    try {
      for (let left = batch.messages; left.length > 0; ) {
        for (; running() && isPaused(); tickAt = Date.now()) {
          requireMembership();
          await sleep(pausedLookMs);
        }
        if (!running()) return;
        const work = workOn(keyOf(partition), left[0]) ?? begin(left.slice(0, atOnce), partition, running);
        if (work === undefined) return;
        const handled = await Promise.race([work.handled, alive.broken]);
        tickAt = Date.now();
        if (!handled) return;
        resolveOffset(work.last);
        left = left.filter(({ offset }) => BigInt(offset) > BigInt(work.last));
        requireMembership();
        await commitOffsetsIfNecessary();
      }
    } finally {
      alive.stop();
    }
  };

  let current: Consumer | undefined;
  /** Attempts to join again since the last join. */
  let attempt = 0;
  /** Resolves when the consumer that replaces a crashed one has joined, or has crashed. */
  let joining: Promise<void> = Promise.resolve();

  const join = async (): Promise<void> => {
    const consumer = clientOf(kafka).consumer({
      groupId,
      partitionAssigners: [createStickyAssigner(() => ({ worker, held: assigned }))],
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: 30_000,
      heartbeatInterval: heartbeatMs,
      metadataMaxAge: metadataMaxAgeMs,
      minBytes: 1,
      // A member that waits for chunks sends its heartbeat after the wait.
      maxWaitTimeInMs: heartbeatMs,
      maxBytesPerPartition: 1024 * 1024,
      allowAutoTopicCreation: false,
      retry: {
        // Half a minute: a dead coordinator is replaced before the member leaves and joins as another one.
        retries: 20,
        initialRetryTime: 100,
        maxRetryTime: 2_000,
        // A consumer that kafkajs restarts cannot be stopped while it joins.
        restartOnFailure: async () => false,
      },
    });
    current = consumer;
    consumer.on(consumer.events.FETCH, () => {
      tickAt = Date.now();
    });
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      attempt = 0;
      assigned = payload.memberAssignment[topic] ?? [];
      options.onJoin?.(payload.memberId);
    });
    consumer.on(consumer.events.REBALANCING, () => options.onRebalance?.());
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      log.warn({ topic, err: payload.error }, 'consumer stopped');
      joining = joinAgain();
    });
    await consumer.connect();
    await subscribe(consumer, topic);
    await consumer.run({
      eachBatchAutoResolve: false,
      autoCommitInterval: 500,
      // A consumer that handles several chunks concurrently reads several partitions concurrently.
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
    while (!closing) {
      await sleep(pauseMs(attempt));
      attempt += 1;
      if (closing) return;
      try {
        await leave();
        await join();
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
      // kafkajs does not stop a consumer that is joining: after `disconnect` it would be a member that takes partitions and handles
      // nothing.
      await joining;
      await leave();
      await Promise.allSettled(begun);
    },
  };
};

import { randomUUID } from 'node:crypto';
import type { Consumer, IHeaders, Kafka, KafkaMessage } from 'kafkajs';
import type { Log } from '../../../lib/log.js';
import { ephemeralConsumer, forgetGroup } from './ephemeral-consumer.js';
import { subscribe } from './subscription.js';

/** A message as it lies in a topic. */
export interface RawMessage {
  readonly topic: string;
  readonly partition: number;
  /** Kafka's 64-bit offset as decimal text. */
  readonly offset: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Part of a partition: from `from` up to, but without, `to`. */
export interface OffsetRange {
  readonly partition: number;
  readonly from: bigint;
  readonly to: bigint;
}

/** Reads parts of a topic as they are, whatever they hold. */
export interface TopicScan {
  /**
   * Parts of all partitions that hold what was written between two moments (milliseconds since the epoch). Exact
   * only up to the clocks of producers.
   */
  ranges(topic: string, since: number, until: number): Promise<OffsetRange[]>;
  /** First offset of each partition that retention has left. */
  firstOffsets(topic: string): Promise<ReadonlyMap<number, bigint>>;
  /** Calls `handle` for each message, one after the other, in the order of each partition. */
  read(
    topic: string,
    ranges: readonly OffsetRange[],
    handle: (message: RawMessage) => Promise<void>,
  ): Promise<void>;
}

export interface TopicScanOptions {
  readonly kafka: Kafka;
  /** Start of the name of the throw-away consumer groups. */
  readonly groupPrefix: string;
  readonly log: Log;
}

export const headersOf = (headers: IHeaders | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers ?? {}).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return first === undefined ? [] : [[name, String(first)]];
    }),
  );

const rawMessage = (topic: string, partition: number, message: KafkaMessage): RawMessage => ({
  topic,
  partition,
  offset: message.offset,
  key: message.key,
  value: message.value,
  headers: headersOf(message.headers),
});

type Handle = (message: RawMessage) => Promise<void>;

/** Runs the consumer over the ranges; resolves when the last message of each was handled. */
const consume = (consumer: Consumer, topic: string, ranges: readonly OffsetRange[], handle: Handle) =>
  new Promise<void>((resolve, reject) => {
    const next = new Map(ranges.map(({ partition, from }) => [partition, from]));
    const end = new Map(ranges.map(({ partition, to }) => [partition, to]));
    const isDone = (partition: number): boolean => (next.get(partition) ?? 0n) >= (end.get(partition) ?? 0n);

    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      const assigned = payload.memberAssignment[topic] ?? [];
      const unused = assigned.filter(isDone);
      if (unused.length > 0) consumer.pause([{ topic, partitions: unused }]);
      for (const [partition, offset] of next) consumer.seek({ topic, partition, offset: String(offset) });
    });
    consumer
      .run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: async ({ batch, heartbeat, resolveOffset, isStale, isRunning }) => {
          try {
            for (const message of batch.messages) {
              if (isStale() || !isRunning() || isDone(batch.partition)) break;
              await handle(rawMessage(topic, batch.partition, message));
              next.set(batch.partition, BigInt(message.offset) + 1n);
              resolveOffset(message.offset);
              await heartbeat();
            }
          } catch (error) {
            reject(error);
            throw error;
          }
          if (isDone(batch.partition)) consumer.pause([{ topic, partitions: [batch.partition] }]);
          if ([...next.keys()].every(isDone)) resolve();
        },
      })
      .catch(reject);
  });

export const createTopicScan = ({ kafka, groupPrefix, log }: TopicScanOptions): TopicScan => {
  const ask = async <T>(question: (admin: ReturnType<Kafka['admin']>) => Promise<T>): Promise<T> => {
    const admin = kafka.admin();
    await admin.connect();
    try {
      return await question(admin);
    } finally {
      await admin.disconnect();
    }
  };

  const offsetsAt = async (topic: string, time: number): Promise<Map<number, bigint>> => {
    const offsets = await ask((admin) => admin.fetchTopicOffsetsByTimestamp(topic, time));
    return new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]));
  };

  return {
    async ranges(topic, since, until) {
      const first = await offsetsAt(topic, since);
      const last = await offsetsAt(topic, until);
      return [...first].map(([partition, from]) => ({ partition, from, to: last.get(partition) ?? from }));
    },

    async firstOffsets(topic) {
      const offsets = await ask((admin) => admin.fetchTopicOffsets(topic));
      return new Map(offsets.map(({ partition, low }) => [partition, BigInt(low)]));
    },

    async read(topic, ranges, handle) {
      const filled = ranges.filter(({ from, to }) => from < to);
      if (filled.length === 0) return;
      const groupId = `${groupPrefix}.scan.${randomUUID()}`;
      const consumer = ephemeralConsumer(kafka, groupId);
      await consumer.connect();
      try {
        await subscribe(consumer, topic);
        await consume(consumer, topic, filled, handle);
      } finally {
        await consumer.disconnect();
        await forgetGroup(kafka, groupId, log);
      }
    },
  };
};

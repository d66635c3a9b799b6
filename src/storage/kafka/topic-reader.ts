import { randomUUID } from 'node:crypto';
import type { Consumer, IHeaders, KafkaMessage } from 'kafkajs';
import type { Log } from '../../lib/log.js';
import type { KafkaConnection } from './connection.js';
import { subscribe, withAdmin, withEphemeralConsumer } from './kafkajs/client.js';

/** A message in a topic. */
export interface RawMessage {
  readonly topic: string;
  readonly partition: number;
  /** Kafka's 64-bit offset as decimal text. */
  readonly offset: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Part of a partition, from `from` to `to`, exclusive. */
export interface OffsetRange {
  readonly partition: number;
  readonly from: bigint;
  readonly to: bigint;
}

/** Reads ranges of a topic without decoding the messages. */
export interface TopicReader {
  /**
   * Ranges of all partitions that contain the messages written between two times (milliseconds since the epoch). Exact only up to the
   * clocks of producers.
   */
  ranges(topic: string, since: number, until: number): Promise<OffsetRange[]>;
  /** First offset of each partition after retention; none for a topic that does not exist. */
  firstOffsets(topic: string): Promise<ReadonlyMap<number, bigint>>;
  /**
   * Calls `handle` for each message, one after another, in the order of each partition, until it returns `stop`.
   * @throws the error of `handle`.
   */
  read(topic: string, ranges: readonly OffsetRange[], handle: MessageHandler): Promise<void>;
}

type MessageHandler = (message: RawMessage) => Promise<'next' | 'stop'>;

interface TopicReaderOptions {
  readonly kafka: KafkaConnection;
  /** Prefix of the ephemeral consumer groups. */
  readonly groupPrefix: string;
  readonly log: Log;
}

const heartbeatMs = 2_000;

const headersOf = (headers: IHeaders | undefined): Record<string, string> =>
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

/** Runs the consumer over the ranges. Resolves when the last message of each was handled. */
const consume = (
  consumer: Consumer,
  topic: string,
  ranges: readonly OffsetRange[],
  handle: MessageHandler,
  log: Log,
) =>
  new Promise<void>((resolve, reject) => {
    const next = new Map(ranges.map(({ partition, from }) => [partition, from]));
    const end = new Map(ranges.map(({ partition, to }) => [partition, to]));
    let stopped = false;
    const isDone = (partition: number): boolean =>
      stopped || (next.get(partition) ?? 0n) >= (end.get(partition) ?? 0n);

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
          const { partition } = batch;
          // Handling a message may take longer than a session lasts.
          const timer = setInterval(() => {
            heartbeat().catch((error: unknown) => log.debug({ err: error }, 'heartbeat of a reader failed'));
          }, heartbeatMs);
          try {
            for (const message of batch.messages) {
              if (isStale() || !isRunning() || isDone(partition)) break;
              if ((await handle(rawMessage(topic, partition, message))) === 'stop') stopped = true;
              next.set(partition, BigInt(message.offset) + 1n);
              resolveOffset(message.offset);
            }
          } catch (error) {
            reject(error);
            throw error;
          } finally {
            clearInterval(timer);
          }
          if (isDone(partition)) consumer.pause([{ topic, partitions: [partition] }]);
          if ([...next.keys()].every(isDone)) resolve();
        },
      })
      .catch(reject);
  });

export const createTopicReader = ({ kafka, groupPrefix, log }: TopicReaderOptions): TopicReader => {
  const offsetsAt = async (topic: string, time: number): Promise<Map<number, bigint>> => {
    const offsets = await withAdmin(kafka, (admin) => admin.fetchTopicOffsetsByTimestamp(topic, time));
    return new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]));
  };

  return {
    async ranges(topic, since, until) {
      const first = await offsetsAt(topic, since);
      const last = await offsetsAt(topic, until);
      return [...first].map(([partition, from]) => ({ partition, from, to: last.get(partition) ?? from }));
    },

    firstOffsets: (topic) =>
      withAdmin(kafka, async (admin) => {
        // For a topic that does not exist, kafkajs retries the request for offsets for half a minute.
        if (!(await admin.listTopics()).includes(topic)) return new Map();
        const offsets = await admin.fetchTopicOffsets(topic);
        return new Map(offsets.map(({ partition, low }) => [partition, BigInt(low)]));
      }),

    async read(topic, ranges, handle) {
      const filled = ranges.filter(({ from, to }) => from < to);
      if (filled.length === 0) return;
      await withEphemeralConsumer(kafka, `${groupPrefix}.reader.${randomUUID()}`, log, async (consumer) => {
        await subscribe(consumer, topic);
        await consume(consumer, topic, filled, handle, log);
      });
    },
  };
};

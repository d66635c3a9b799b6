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

/** Offsets of a partition, from its first message to the end, exclusive. */
interface HeldOffsets {
  readonly low: bigint;
  readonly high: bigint;
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
   * Calls `handle` for each message, one after another, in the order of each partition, until it returns `stop`. Leaves out messages that
   * Kafka loses meanwhile.
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
  /** Milliseconds without a message after which it is checked, twice, whether the wanted ones still exist. @default 10000 */
  readonly lostAfterMs?: number;
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

/** Runs the consumer over the ranges. Resolves when the last message of each was handled, or does not exist any more. */
const consume = (
  consumer: Consumer,
  topic: string,
  ranges: readonly OffsetRange[],
  handle: MessageHandler,
  {
    log,
    held,
    lostAfterMs,
  }: Pick<TopicReaderOptions, 'log'> & {
    readonly held: () => Promise<ReadonlyMap<number, HeldOffsets>>;
    readonly lostAfterMs: number;
  },
) => {
  let quiet: NodeJS.Timeout | undefined;
  let joined: Promise<void> | undefined;
  return new Promise<void>((resolve, reject) => {
    const next = new Map(ranges.map(({ partition, from }) => [partition, from]));
    const end = new Map(ranges.map(({ partition, to }) => [partition, to]));
    let stopped = false;
    const isDone = (partition: number): boolean =>
      stopped || (next.get(partition) ?? 0n) >= (end.get(partition) ?? 0n);
    const resolveIfDone = (): void => {
      if ([...next.keys()].every(isDone)) resolve();
    };
    let handled = 0;
    let handledBefore = -1;
    /** Partitions that ended too early at the last look. A broker that has just started reports an earlier end for a moment. */
    let short = new Set<number>();
    /** A consumer waits for ever behind the end of a partition that retention, or the loss of a broker, has shortened. */
    const skipLost = async (): Promise<void> => {
      if (handled !== handledBefore) {
        handledBefore = handled;
        return;
      }
      const offsets = await held();
      const shortBefore = short;
      short = new Set();
      for (const [partition, at] of next) {
        const { low, high } = offsets.get(partition) ?? { low: 0n, high: 0n };
        const last = end.get(partition) ?? 0n;
        const from = low > at ? low : at;
        if (from > at) next.set(partition, from);
        // The messages up to the end of the log are still to come, however long the consumer takes to join.
        if (high >= last || from < high) continue;
        if (shortBefore.has(partition)) next.set(partition, last);
        else short.add(partition);
      }
      resolveIfDone();
    };
    quiet = setInterval(() => {
      skipLost().catch((error: unknown) => log.debug({ err: error }, 'offsets of a reader not read'));
    }, lostAfterMs);

    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      const assigned = payload.memberAssignment[topic] ?? [];
      const unused = assigned.filter(isDone);
      if (unused.length > 0) consumer.pause([{ topic, partitions: unused }]);
      for (const [partition, offset] of next) consumer.seek({ topic, partition, offset: String(offset) });
    });
    joined = consumer
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
              handled += 1;
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
          resolveIfDone();
        },
      })
      .catch(reject);
  }).finally(async () => {
    clearInterval(quiet);
    // A consumer that is disconnected while it joins would read on.
    await joined;
  });
};

export const createTopicReader = ({
  kafka,
  groupPrefix,
  log,
  lostAfterMs = 10_000,
}: TopicReaderOptions): TopicReader => {
  const offsetsAt = async (topic: string, time: number): Promise<Map<number, bigint>> => {
    const offsets = await withAdmin(kafka, (admin) => admin.fetchTopicOffsetsByTimestamp(topic, time));
    return new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]));
  };

  const held = (topic: string): Promise<ReadonlyMap<number, HeldOffsets>> =>
    withAdmin(kafka, async (admin) => {
      // For a topic that does not exist, kafkajs retries the request for offsets for half a minute.
      if (!(await admin.listTopics()).includes(topic)) return new Map();
      const offsets = await admin.fetchTopicOffsets(topic);
      return new Map(
        offsets.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }]),
      );
    });

  return {
    async firstOffsets(topic) {
      return new Map([...(await held(topic))].map(([partition, { low }]) => [partition, low]));
    },

    async ranges(topic, since, until) {
      const first = await offsetsAt(topic, since);
      const last = await offsetsAt(topic, until);
      return [...first].map(([partition, from]) => ({ partition, from, to: last.get(partition) ?? from }));
    },

    async read(topic, ranges, handle) {
      const filled = ranges.filter(({ from, to }) => from < to);
      if (filled.length === 0) return;
      await withEphemeralConsumer(kafka, `${groupPrefix}.reader.${randomUUID()}`, log, async (consumer) => {
        await subscribe(consumer, topic);
        await consume(consumer, topic, filled, handle, { log, held: () => held(topic), lostAfterMs });
      });
    },
  };
};

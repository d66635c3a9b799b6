import type { Admin, ConfigResourceTypes } from 'kafkajs';
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { type ChunkPosition, type ChunkTopic, chunkTopics } from '../../model/chunk.js';
import type { KafkaConnection } from './connection.js';
import { clientOf } from './kafkajs/client.js';
import { type LogSize, readLogSizes } from './kafkajs/log-sizes.js';
import { stillHeld } from './kafkajs/still-held.js';
import { countPartitions, type TopicNames } from './topics.js';

/** Resource type of a topic in describeConfigs. kafkajs exports the enum to CommonJS only. */
const topicResource: ConfigResourceTypes.TOPIC = 2;

/** Unconsumed bytes of a topic, compared with the size that its retention keeps. */
export interface TopicBacklog {
  readonly topic: ChunkTopic;
  readonly partitions: number;
  /** Bytes from the first chunk that is still needed to the end, in the fullest partition. */
  readonly backlogBytes: number;
  /** `retention.bytes` of the topic, which is per partition; null: unlimited. */
  readonly retentionBytes: number | null;
  /** True if a chunk that is still needed is older than the given share of `retention.ms`. */
  readonly overdue: boolean;
  /** Chunks that no worker has handled yet. */
  readonly waiting: number;
  /** Chunks that workers have handled since the topic was created. */
  readonly taken: number;
  /** True if one of the waiting chunks has waited longer than `lateMs`. */
  readonly late: boolean;
}

export interface BacklogMonitor {
  /**
   * Probes both topics.
   * @param kept Chunks whose offset is committed but which will be read again.
   * @throws the error of Kafka; the next call connects again.
   */
  probe(kept: readonly ChunkPosition[]): Promise<TopicBacklog[]>;
  /** Partitions of a topic at the last probe; an operator may add some at any time. */
  partitions(topic: ChunkTopic): number;
  close(): Promise<void>;
}

interface BacklogMonitorOptions {
  readonly kafka: KafkaConnection;
  readonly topics: TopicNames;
  /** Prefix of the consumer groups, one per topic. */
  readonly groupPrefix: string;
  /** Share of `retention.ms` after which a chunk is overdue. */
  readonly ageShare: number;
  /** Milliseconds after which a waiting chunk is late. */
  readonly lateMs: number;
  readonly log: Log;
}

interface Limits {
  readonly bytes: number | null;
  readonly ms: number | null;
}

/** Offsets of one partition, which have 64 bits. */
interface PartitionRange {
  readonly partition: number;
  readonly low: bigint;
  readonly high: bigint;
  /** First offset that is still needed. */
  readonly needed: bigint;
  /** First offset that no worker has handled. */
  readonly next: bigint;
}

const logSizeWithinMs = 5_000;

/** -1 means "no limit" in settings of topics. */
const limitOf = (entries: readonly { configName: string; configValue: string }[], name: string) => {
  const value = Number(entries.find(({ configName }) => configName === name)?.configValue ?? -1);
  return value < 0 ? null : value;
};

/**
 * Estimated from the mean size: messages of a topic have similar sizes, and all bytes of a partition are between its first and last offset.
 */
const backlogOf = ({ low, high, needed }: PartitionRange, bytes: number): number =>
  high <= low || needed >= high ? 0 : (bytes * Number(high - needed)) / Number(high - low);

const sumOf = (ranges: readonly PartitionRange[], of: (range: PartitionRange) => bigint): number =>
  Number(ranges.reduce((sum, range) => sum + of(range), 0n));

export const openBacklogMonitor = async (options: BacklogMonitorOptions): Promise<BacklogMonitor> => {
  const { kafka, topics, groupPrefix, ageShare, lateMs, log } = options;
  let admin: Promise<Admin> | undefined;
  let sizesUnknown = false;
  const partitions: Record<ChunkTopic, number> = {
    short: await countPartitions(kafka, topics.short),
    bulk: await countPartitions(kafka, topics.bulk),
  };

  const connect = async (): Promise<Admin> => {
    const connecting = clientOf(kafka).admin({
      retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 500 },
    });
    await connecting.connect();
    return connecting;
  };

  const leave = async (): Promise<void> => {
    const last = admin;
    admin = undefined;
    try {
      await (await last)?.disconnect();
    } catch (error) {
      log.debug({ err: error }, 'connection of a Kafka probe could not be closed');
    }
  };

  const limitsOf = async (client: Admin): Promise<Record<ChunkTopic, Limits>> => {
    const { resources } = await client.describeConfigs({
      includeSynonyms: false,
      resources: chunkTopics.map((topic) => ({
        type: topicResource,
        name: topics[topic],
        configNames: ['retention.bytes', 'retention.ms'],
      })),
    });
    const of = (topic: ChunkTopic): Limits => {
      const entries =
        resources.find(({ resourceName }) => resourceName === topics[topic])?.configEntries ?? [];
      return { bytes: limitOf(entries, 'retention.bytes'), ms: limitOf(entries, 'retention.ms') };
    };
    return { short: of('short'), bulk: of('bulk') };
  };

  const rangesOf = async (
    client: Admin,
    topic: ChunkTopic,
    kept: readonly ChunkPosition[],
  ): Promise<PartitionRange[]> => {
    const topicName = topics[topic];
    const [offsets, committed] = await Promise.all([
      client.fetchTopicOffsets(topicName),
      client.fetchOffsets({ groupId: `${groupPrefix}.${topic}`, topics: [topicName] }),
    ]);
    const done = new Map(
      committed[0]?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]),
    );
    return offsets.map(({ partition, low, high }) => {
      const atLeastLow = (offset: bigint): bigint => (offset < BigInt(low) ? BigInt(low) : offset);
      // -1: the group has not committed an offset yet.
      const next = atLeastLow(done.get(partition) ?? -1n);
      let first = next;
      for (const at of kept)
        if (at.topic === topicName && at.partition === partition && BigInt(at.offset) < first)
          first = BigInt(at.offset);
      return { partition, low: BigInt(low), high: BigInt(high), needed: atLeastLow(first), next };
    });
  };

  /** True if the chunk at `first` of a partition is older than `ms`. */
  const holdsOlder = async (
    client: Admin,
    topic: ChunkTopic,
    ranges: readonly PartitionRange[],
    first: 'needed' | 'next',
    ms: number,
  ): Promise<boolean> => {
    if (ranges.every((range) => range[first] >= range.high)) return false;
    const younger = new Map(
      (await client.fetchTopicOffsetsByTimestamp(topics[topic], Date.now() - ms)).map(
        ({ partition, offset }) => [partition, BigInt(offset)],
      ),
    );
    const older = ranges
      .map((range) => ({ partition: range.partition, needed: range[first], end: range.high }))
      .filter(({ partition, needed, end }) => needed < end && needed < (younger.get(partition) ?? needed));
    return (await stillHeld(client, topics[topic], older)).length > 0;
  };

  /** Sizes need a separate privilege on some clusters. Without them only the age is checked. */
  const sizesOf = async (counts: ReadonlyMap<string, number>): Promise<LogSize[]> => {
    try {
      const sizes = await readLogSizes(kafka, counts, logSizeWithinMs);
      sizesUnknown = false;
      return sizes;
    } catch (error) {
      log[sizesUnknown ? 'debug' : 'warn'](
        { reason: messageOf(error) },
        'Kafka does not tell the size of its logs; retention by bytes is not watched',
      );
      sizesUnknown = true;
      return [];
    }
  };

  const probeAll = async (client: Admin, kept: readonly ChunkPosition[]): Promise<TopicBacklog[]> => {
    const limits = await limitsOf(client);
    const ranges = {
      short: await rangesOf(client, 'short', kept),
      bulk: await rangesOf(client, 'bulk', kept),
    };
    for (const topic of chunkTopics) partitions[topic] = Math.max(1, ranges[topic].length);
    const behind = chunkTopics.filter((topic) => ranges[topic].some(({ needed, high }) => needed < high));
    const sizes =
      behind.length === 0
        ? []
        : await sizesOf(new Map(behind.map((topic) => [topics[topic], ranges[topic].length])));
    const use = async (topic: ChunkTopic): Promise<TopicBacklog> => {
      const topicName = topics[topic];
      const backlogs = ranges[topic].map((range) => {
        const size = sizes.find((found) => found.topic === topicName && found.partition === range.partition);
        return backlogOf(range, size?.bytes ?? 0);
      });
      const { bytes, ms } = limits[topic];
      return {
        topic,
        partitions: partitions[topic],
        backlogBytes: Math.max(0, ...backlogs),
        retentionBytes: bytes,
        overdue: ms !== null && (await holdsOlder(client, topic, ranges[topic], 'needed', ms * ageShare)),
        late: await holdsOlder(client, topic, ranges[topic], 'next', lateMs),
        waiting: sumOf(ranges[topic], ({ high, next }) => (high > next ? high - next : 0n)),
        taken: sumOf(ranges[topic], ({ next }) => next),
      };
    };
    return Promise.all(chunkTopics.map(use));
  };

  return {
    async probe(kept) {
      admin ??= connect();
      try {
        return await probeAll(await admin, kept);
      } catch (error) {
        await leave();
        throw error;
      }
    },
    partitions: (topic) => partitions[topic],
    close: leave,
  };
};

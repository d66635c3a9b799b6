import type { KafkaConnection } from './connection.js';
import { untilKnown, withAdmin } from './kafkajs/client.js';

export interface TopicNames {
  readonly short: string;
  readonly bulk: string;
  /** Messages that cannot be decoded, with the reason. */
  readonly deadLetters: string;
}

export const topicNames = (prefix: string): TopicNames => ({
  short: `${prefix}.chunks.short`,
  bulk: `${prefix}.chunks.bulk`,
  deadLetters: `${prefix}.dead-letters`,
});

interface TopicOptions {
  readonly partitions: number;
  readonly replication: number;
  readonly retentionMs: number;
  readonly retentionBytes: number;
  readonly maxMessageBytes: number;
}

/**
 * Makes the topics that are missing; one that another process makes at the same time is no error. Topics that
 * exist are left as the operator set them.
 */
export const ensureTopics = (
  kafka: KafkaConnection,
  names: TopicNames,
  options: TopicOptions,
): Promise<void> =>
  withAdmin(kafka, async (admin) => {
    const present = new Set(await admin.listTopics());
    const configEntries = [
      { name: 'retention.ms', value: String(options.retentionMs) },
      { name: 'retention.bytes', value: String(options.retentionBytes) },
      { name: 'max.message.bytes', value: String(options.maxMessageBytes) },
      // The broker decompresses batches of producers, within the largest message: readers never get a batch that grows.
      { name: 'compression.type', value: 'uncompressed' },
      // Segments are what retention removes: small enough that the bound on disk means something.
      { name: 'segment.bytes', value: String(Math.max(64 * 1024 * 1024, options.maxMessageBytes * 2)) },
    ];
    // Dead letters wait for a person: only their size bounds them.
    const deadLetterEntries = configEntries.map((entry) =>
      entry.name === 'retention.ms' ? { ...entry, value: '-1' } : entry,
    );
    const topics = [
      { topic: names.short, numPartitions: options.partitions, configEntries },
      { topic: names.bulk, numPartitions: options.partitions, configEntries },
      { topic: names.deadLetters, numPartitions: 1, configEntries: deadLetterEntries },
    ]
      .filter(({ topic }) => !present.has(topic))
      .map((topic) => ({ ...topic, replicationFactor: options.replication }));
    if (topics.length === 0) return;
    await admin.createTopics({ topics, waitForLeaders: false });
    // kafkajs waits for leaders of topics that the broker knows, and fails where it does not know them yet.
    await untilKnown(() => admin.fetchTopicMetadata({ topics: topics.map(({ topic }) => topic) }));
  });

/** Partitions that a topic really has; an operator may have added some. */
export const countPartitions = (kafka: KafkaConnection, topic: string): Promise<number> =>
  withAdmin(kafka, async (admin) => {
    const metadata = await untilKnown(() => admin.fetchTopicMetadata({ topics: [topic] }));
    return metadata.topics[0]?.partitions.length ?? 0;
  });

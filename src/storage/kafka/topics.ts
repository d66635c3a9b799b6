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
 * Creates missing topics. A topic that another process creates at the same time is not an error. Existing topics keep the settings of the
 * operator.
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
      // The broker decompresses batches of producers, limited to the largest message, so readers never get a batch that grows.
      { name: 'compression.type', value: 'uncompressed' },
      // Retention removes whole segments, so they must be small for the size limit to be effective.
      { name: 'segment.bytes', value: String(Math.max(64 * 1024 * 1024, options.maxMessageBytes * 2)) },
    ];
    // Dead letters wait for an operator, so only their size is limited.
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
    // kafkajs waits for leaders of topics that the broker knows, and fails if it does not know them yet.
    await untilKnown(() => admin.fetchTopicMetadata({ topics: topics.map(({ topic }) => topic) }));
  });

/** Current number of partitions of a topic; an operator may have added some. */
export const countPartitions = (kafka: KafkaConnection, topic: string): Promise<number> =>
  withAdmin(kafka, async (admin) => {
    const metadata = await untilKnown(() => admin.fetchTopicMetadata({ topics: [topic] }));
    return metadata.topics[0]?.partitions.length ?? 0;
  });

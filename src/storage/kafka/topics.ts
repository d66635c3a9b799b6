import type { Kafka } from 'kafkajs';
import type { Lane } from '../../model/chunk.js';

export interface TopicNames {
  readonly short: string;
  readonly bulk: string;
  /** Messages that can not be understood, with the reason. */
  readonly parked: string;
}

export const topicNames = (prefix: string): TopicNames => ({
  short: `${prefix}.chunks.short`,
  bulk: `${prefix}.chunks.bulk`,
  parked: `${prefix}.parked`,
});

export const topicOf = (names: TopicNames, lane: Lane): string => names[lane];

export interface TopicOptions {
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
export const ensureTopics = async (kafka: Kafka, names: TopicNames, options: TopicOptions): Promise<void> => {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const present = new Set(await admin.listTopics());
    const configEntries = [
      { name: 'retention.ms', value: String(options.retentionMs) },
      { name: 'retention.bytes', value: String(options.retentionBytes) },
      { name: 'max.message.bytes', value: String(options.maxMessageBytes) },
      // Segments are what retention removes: small enough that the bound on disk means something.
      { name: 'segment.bytes', value: String(Math.max(64 * 1024 * 1024, options.maxMessageBytes * 2)) },
    ];
    // Parked messages wait for a person: only their size bounds them.
    const deadLetterEntries = configEntries.map((entry) =>
      entry.name === 'retention.ms' ? { ...entry, value: '-1' } : entry,
    );
    const topics = [
      { topic: names.short, numPartitions: options.partitions, configEntries },
      { topic: names.bulk, numPartitions: options.partitions, configEntries },
      { topic: names.parked, numPartitions: 1, configEntries: deadLetterEntries },
    ]
      .filter(({ topic }) => !present.has(topic))
      .map((topic) => ({ ...topic, replicationFactor: options.replication }));
    if (topics.length > 0) await admin.createTopics({ topics, waitForLeaders: true });
  } finally {
    await admin.disconnect();
  }
};

/** Partitions that a topic really has; an operator may have added some. */
export const countPartitions = async (kafka: Kafka, topic: string): Promise<number> => {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const metadata = await admin.fetchTopicMetadata({ topics: [topic] });
    return metadata.topics[0]?.partitions.length ?? 0;
  } finally {
    await admin.disconnect();
  }
};

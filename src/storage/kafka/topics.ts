import pRetry from 'p-retry';
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

/** Error types of brokers that an attempt a moment later may not get, beside those that Kafka calls retriable. */
const passing: ReadonlySet<unknown> = new Set([
  // Another process makes the same topics: the next attempt finds them.
  'TOPIC_ALREADY_EXISTS',
  // Brokers answer before the controller counts them, so that it lacks brokers for the replicas.
  'INVALID_REPLICATION_FACTOR',
  // A controller that is just taking over.
  'UNKNOWN',
]);

/** kafkajs has these fields on what it reports for each topic. */
interface TopicError extends Error {
  readonly topic?: string;
  readonly type?: string;
  readonly retriable?: boolean;
}

/** What a `KafkaJSAggregateError` holds, a class that Node cannot import by its name; nothing for other errors. */
const topicErrors = (error: unknown): readonly TopicError[] => {
  const errors: unknown = error instanceof Error ? Reflect.get(error, 'errors') : undefined;
  return Array.isArray(errors) ? errors.filter((each): each is TopicError => each instanceof Error) : [];
};

const isPassing = (error: unknown): boolean => {
  const errors = topicErrors(error);
  return errors.length > 0 && errors.every(({ type, retriable }) => retriable === true || passing.has(type));
};

/** With what the brokers said of each topic, which kafkajs leaves out of its message. */
const explained = (error: unknown): unknown => {
  const errors = topicErrors(error);
  if (errors.length === 0) return error;
  const lines = errors.map(({ topic, type, message }) => `${topic} (${type}: ${message})`);
  const hint = errors.some(({ type }) => type === 'INVALID_REPLICATION_FACTOR')
    ? '. KAFKA_REPLICATION is the number of replicas, each on a broker of its own'
    : '';
  return new Error(`Kafka did not create ${lines.join(', ')}${hint}`, { cause: error });
};

/**
 * Makes the topics that are missing; one that another process makes at the same time is no error. Topics that
 * exist are left as the operator set them.
 * @param patience Attempts after the first one, while brokers are still starting; default: some fifteen seconds.
 * @throws Error that names each topic and what the broker said of it.
 */
export const ensureTopics = (
  kafka: KafkaConnection,
  names: TopicNames,
  options: TopicOptions,
  patience = 18,
): Promise<void> =>
  withAdmin(kafka, async (admin) => {
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
    const wanted = [
      { topic: names.short, numPartitions: options.partitions, configEntries },
      { topic: names.bulk, numPartitions: options.partitions, configEntries },
      { topic: names.deadLetters, numPartitions: 1, configEntries: deadLetterEntries },
    ].map((topic) => ({ ...topic, replicationFactor: options.replication }));
    const createMissing = async (): Promise<void> => {
      const present = new Set(await admin.listTopics());
      const topics = wanted.filter(({ topic }) => !present.has(topic));
      if (topics.length > 0) await admin.createTopics({ topics, waitForLeaders: false });
    };
    try {
      await pRetry(createMissing, {
        retries: patience,
        minTimeout: 50,
        factor: 2,
        maxTimeout: 1_000,
        shouldRetry: ({ error }) => isPassing(error),
      });
    } catch (error) {
      throw explained(error);
    }
    // kafkajs waits for leaders of topics that the broker knows, and fails where it does not know them yet.
    await untilKnown(() => admin.fetchTopicMetadata({ topics: wanted.map(({ topic }) => topic) }));
  });

/** Partitions that a topic really has; an operator may have added some. */
export const countPartitions = (kafka: KafkaConnection, topic: string): Promise<number> =>
  withAdmin(kafka, async (admin) => {
    const metadata = await untilKnown(() => admin.fetchTopicMetadata({ topics: [topic] }));
    return metadata.topics[0]?.partitions.length ?? 0;
  });

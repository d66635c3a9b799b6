import { type Admin, ConfigResourceTypes } from 'kafkajs';
import { inject } from 'vitest';
import { type Config, loadConfig, settings } from '../../src/config.js';
import { silentLog } from '../../src/lib/log.js';
import { createKafka, type KafkaConnection, type KafkaRetry } from '../../src/storage/kafka/connection.js';
import { clientOf, untilKnown } from '../../src/storage/kafka/kafkajs/client.js';
import type { KafkaAccess } from './services.js';

/** Configuration of the product with this Kafka access. */
export const settingsOf = (access: KafkaAccess): Config =>
  loadConfig(
    Object.fromEntries(
      Object.entries(access).map(([key, value]) => [settings[key as keyof KafkaAccess].env, value]),
    ),
  );

/** Connects a test to Kafka; by default to the server that all tests share. */
export const connectKafka = (
  clientId: string,
  access: KafkaAccess = inject('kafka'),
  retry: KafkaRetry = {},
): KafkaConnection => createKafka({ settings: settingsOf(access), clientId, log: silentLog, retry });

/** Creates a topic, and waits until the broker knows it: `waitForLeaders` of kafkajs fails if it does not know it at once. */
export const createTopic = async (admin: Admin, topic: string, numPartitions = 1): Promise<void> => {
  await admin.createTopics({ topics: [{ topic, numPartitions }], waitForLeaders: false });
  await untilKnown(() => admin.fetchTopicMetadata({ topics: [topic] }));
};

/** Sets config entries of both chunk topics, as an operator does with Kafka's own tools. */
export const configureChunkTopics = async (
  kafkaPrefix: string,
  entries: Readonly<Record<string, string>>,
): Promise<void> => {
  const admin = clientOf(connectKafka('topics-of-a-test')).admin();
  await admin.connect();
  await admin.alterConfigs({
    validateOnly: false,
    resources: ['short', 'bulk'].map((topic) => ({
      type: ConfigResourceTypes.TOPIC,
      name: `${kafkaPrefix}.chunks.${topic}`,
      configEntries: Object.entries(entries).map(([name, value]) => ({ name, value })),
    })),
  });
  await admin.disconnect();
};

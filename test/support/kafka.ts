import { inject } from 'vitest';
import { loadConfig, settings } from '../../src/config.js';
import { silentLog } from '../../src/lib/log.js';
import { createKafka, type KafkaConnection, type KafkaRetry } from '../../src/storage/kafka/connection.js';
import type { KafkaAccess } from './services.js';

/** A connection of a test's own; without an address to the Kafka of all tests. */
export const connectKafka = (
  clientId: string,
  access: KafkaAccess = inject('kafka'),
  retry: KafkaRetry = {},
): KafkaConnection => {
  const env = Object.entries(access).map(([key, value]) => [settings[key as keyof KafkaAccess].env, value]);
  return createKafka({ settings: loadConfig(Object.fromEntries(env)), clientId, log: silentLog, retry });
};

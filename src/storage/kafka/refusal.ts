/**
 * Explains why a broker refuses a connection or a topic, naming the settings. kafkajs only says "Closed connection" and "Topic creation
 * errors".
 */
import { AppError } from '../../lib/errors.js';
import type { SecuritySettings } from './kafkajs/security.js';

const credentials = 'KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD';

/** Error codes of brokers, with their names in Kafka. */
const saslTypes: ReadonlySet<unknown> = new Set(['UNSUPPORTED_SASL_MECHANISM', 'ILLEGAL_SASL_STATE']);

/** The failure that kafkajs retried or ended with. */
const innermost = (error: Error): Error => (error.cause instanceof Error ? innermost(error.cause) : error);

/** Error of one topic, with the fields that kafkajs adds. */
interface TopicError extends Error {
  readonly topic: string;
  readonly type: string;
}

const topicRefusal = (errors: readonly TopicError[]): string => {
  const reasons = errors.map(({ topic, type, message }) => `${topic} (${type}: ${message})`);
  const isReplication = errors.some(({ type }) => type === 'INVALID_REPLICATION_FACTOR');
  const hint = isReplication ? ' KAFKA_REPLICATION must not exceed the number of brokers.' : '';
  return `Kafka did not create ${reasons.join(', ')}.${hint}`;
};

const refusalOf = (error: Error, settings: SecuritySettings): string | undefined => {
  if (error.name === 'KafkaJSAggregateError') return topicRefusal(Reflect.get(error, 'errors'));
  if (error.name === 'KafkaJSSASLAuthenticationError' || saslTypes.has(Reflect.get(error, 'type')))
    return `Kafka refused ${credentials}: ${error.message}.`;
  if (error.name === 'KafkaJSConnectionError')
    return `Kafka at KAFKA_BROKERS cannot be reached: ${error.message}.`;
  if (error.name !== 'KafkaJSConnectionClosedError') return undefined;
  const { kafkaSaslMechanism: mechanism, kafkaTls } = settings;
  const security =
    mechanism === undefined
      ? `it may ask for a user (${credentials})`
      : `it may not take KAFKA_SASL_MECHANISM=${mechanism}`;
  const transport = kafkaTls ? 'not speak TLS (KAFKA_TLS=true)' : 'want TLS (KAFKA_TLS)';
  return `Kafka at KAFKA_BROKERS closed the connection without an answer: ${security}, or ${transport}.`;
};

/**
 * Runs work that connects to Kafka for the first time, and creates topics.
 * @throws AppError `kafka_refused`, which names the settings, if a broker refused the connection or a topic because of them; any
 * other error of `work` unchanged.
 */
export const explainRefusal = async <T>(settings: SecuritySettings, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const message = error instanceof Error ? refusalOf(innermost(error), settings) : undefined;
    if (message === undefined) throw error;
    throw new AppError('invalid', 'kafka_refused', message, { cause: error });
  }
};

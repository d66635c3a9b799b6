import { Kafka, type LogEntry, logLevel } from 'kafkajs';
import { badConfiguration } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { connectionOf, type KafkaConnection } from './kafkajs/client.js';
import { patchKafkajs } from './kafkajs/patch.js';
import { type SecuritySettings, securityOptions } from './kafkajs/security.js';
import { createSocket } from './kafkajs/sockets.js';

export type { KafkaConnection };

/** Settings of the connection to Kafka. */
interface KafkaSettings extends SecuritySettings {
  readonly kafkaBrokers?: readonly string[] | undefined;
}

/** Retries of requests; times in milliseconds. */
export interface KafkaRetry {
  readonly retries?: number;
  readonly initialRetryTime?: number;
  readonly maxRetryTime?: number;
}

interface KafkaOptions {
  readonly settings: KafkaSettings;
  readonly clientId: string;
  readonly log: Log;
  /** Changes to the retries of requests. */
  readonly retry?: KafkaRetry;
}

/**
 * kafkajs logs errors that it retries ("coordinator is loading" at a first start) at level error. They are logged at debug, since an error
 * that is not retried is thrown to the caller, which logs it. The limited retries of a producer are intended: a chunk that is stored twice
 * is recognised by its number.
 */
const levelOf = (entry: LogEntry): 'debug' | 'warn' =>
  entry.level === logLevel.WARN && !entry.log.message.startsWith('Limiting retries for the idempotent')
    ? 'warn'
    : 'debug';

/**
 * Does not connect: the first request, send or read does.
 * @throws AppError `bad_configuration`; Error for a version of kafkajs that this build does not support.
 */
export const createKafka = ({ settings, clientId, log, retry }: KafkaOptions): KafkaConnection => {
  if (settings.kafkaBrokers === undefined)
    throw badConfiguration('KAFKA_BROKERS is not set (npm start runs an embedded broker)');
  patchKafkajs();
  const client = new Kafka({
    brokers: [...settings.kafkaBrokers],
    ...securityOptions(settings),
    socketFactory: createSocket,
    clientId,
    connectionTimeout: 3_000,
    requestTimeout: 30_000,
    retry: { initialRetryTime: 50, maxRetryTime: 2_000, factor: 0.2, multiplier: 1.7, retries: 20, ...retry },
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => {
      const { message, timestamp: _, ...fields } = entry.log;
      log[levelOf(entry)]({ ...fields, kafka: entry.namespace, reason: message }, 'kafkajs reports');
    },
  });
  return connectionOf(client);
};

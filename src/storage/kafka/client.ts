import { Kafka, type LogEntry, logLevel } from 'kafkajs';
import type { Log } from '../../lib/log.js';
import { patchKafkajsEncoder } from './wire/encoder-patch.js';

/** A connection to Kafka; the type that other rooms know it by. */
export type KafkaConnection = Kafka;

export interface KafkaOptions {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly log: Log;
}

/**
 * kafkajs reports what it goes on to retry as errors ("coordinator is loading" at a first start). Such lines
 * are kept for debugging; what it gives up on is thrown to the caller, who logs it. That the retries of a producer
 * are bounded is meant: a chunk that may lie there twice is known by its number.
 */
const levelOf = (entry: LogEntry): 'debug' | 'warn' =>
  entry.level === logLevel.WARN && !entry.log.message.startsWith('Limiting retries for the idempotent')
    ? 'warn'
    : 'debug';

export const createKafka = ({ brokers, clientId, log }: KafkaOptions): Kafka => {
  if (!patchKafkajsEncoder()) log.debug('kafkajs is of another version: its own encoding is used');
  return new Kafka({
    brokers: [...brokers],
    clientId,
    connectionTimeout: 3_000,
    requestTimeout: 30_000,
    retry: { initialRetryTime: 50, maxRetryTime: 2_000, factor: 0.2, multiplier: 1.7, retries: 20 },
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => {
      const { message, timestamp: _, ...fields } = entry.log;
      log[levelOf(entry)]({ kafka: entry.namespace, ...fields }, message);
    },
  });
};

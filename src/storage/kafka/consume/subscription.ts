import type { Consumer } from 'kafkajs';
import pRetry from 'p-retry';

/**
 * Subscribes from the beginning. kafkajs asks for the topic's metadata without repeating it: a broker that has just
 * made the topic may not know it yet.
 * @throws the last failure, after some seconds, or at once one that will not pass.
 */
export const subscribe = (consumer: Consumer, topic: string): Promise<void> =>
  pRetry(() => consumer.subscribe({ topic, fromBeginning: true }), {
    retries: 8,
    minTimeout: 50,
    factor: 2,
    maxTimeout: 1_000,
    shouldRetry: ({ error }) => (error as { retriable?: unknown }).retriable === true,
  });

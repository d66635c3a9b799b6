import type { Kafka } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../../src/lib/log.js';
import { createChunkConsumer } from '../../../../src/storage/kafka/chunk-consumer.js';
import type { KafkaConnection } from '../../../../src/storage/kafka/connection.js';
import { connectionOf } from '../../../../src/storage/kafka/kafkajs/client.js';

type Listener = (event: { payload: { error: Error; restart: boolean } }) => unknown;

/** As much of kafkajs as a consumer needs; remembers what was made and lets a test crash it. */
const createFakeKafka = (runFailures = 0) => {
  const made: { running: boolean; crash: (restart: boolean) => void }[] = [];
  let failuresLeft = runFailures;
  const kafka = {
    consumer: () => {
      const listeners = new Map<string, Listener>();
      const consumer = {
        running: false,
        events: { FETCH: 'fetch', CRASH: 'crash' },
        on: (name: string, listener: Listener) => listeners.set(name, listener),
        connect: async () => undefined,
        subscribe: async () => undefined,
        run: async () => {
          if (made.length > 1 && failuresLeft > 0) {
            failuresLeft -= 1;
            throw new Error('no coordinator');
          }
          consumer.running = true;
        },
        disconnect: async () => {
          consumer.running = false;
        },
        crash: (restart: boolean) => {
          consumer.running = restart;
          listeners.get('crash')?.({ payload: { error: new TypeError('of its own'), restart } });
        },
      };
      made.push(consumer);
      return consumer;
    },
  };
  return { kafka: connectionOf(kafka as unknown as Kafka), made };
};

const start = (kafka: KafkaConnection) =>
  createChunkConsumer({
    kafka,
    groupId: 'g',
    topicName: 't',
    handle: async () => undefined,
    atOnce: 1,
    deadLetters: { keep: async () => undefined, close: async () => undefined },
    log: silentLog,
  });

describe('a consumer', () => {
  it('joins again after a failure that kafkajs does not recover from', async () => {
    const { kafka, made } = createFakeKafka();
    const consumer = await start(kafka);
    made[0]?.crash(false);
    await expect.poll(() => made.map(({ running }) => running)).toEqual([false, true]);
    made[1]?.crash(false);
    await expect.poll(() => made.map(({ running }) => running)).toEqual([false, false, true]);
    await consumer.close();
    expect(made[2]?.running).toBe(false);
  });

  it('retries when joining again fails', async () => {
    const { kafka, made } = createFakeKafka(2);
    const consumer = await start(kafka);
    made[0]?.crash(false);
    await expect.poll(() => made.map(({ running }) => running)).toEqual([false, false, false, true]);
    await consumer.close();
  });

  it('is left alone where kafkajs starts it again, and once it is closed', async () => {
    const { kafka, made } = createFakeKafka();
    const consumer = await start(kafka);
    made[0]?.crash(true);
    await consumer.close();
    made[0]?.crash(false);
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(made).toHaveLength(1);
  });
});

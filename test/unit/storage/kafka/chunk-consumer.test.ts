import type { Kafka } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../../src/lib/log.js';
import { createChunkConsumer } from '../../../../src/storage/kafka/chunk-consumer.js';
import type { KafkaConnection } from '../../../../src/storage/kafka/connection.js';
import { connectionOf } from '../../../../src/storage/kafka/kafkajs/client.js';

type Listener = (event: { payload: { error: Error; restart: boolean } }) => unknown;

/** Fake of the kafkajs API that a consumer uses; records the created consumers, which a test can crash. */
const createFakeKafka = (runFailures = 0, mayReplace: Promise<void> = Promise.resolve()) => {
  const consumers: { running: boolean; crash: (restart: boolean) => void }[] = [];
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
          if (consumers.length > 1) await mayReplace;
          if (consumers.length > 1 && failuresLeft > 0) {
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
      consumers.push(consumer);
      return consumer;
    },
  };
  return { kafka: connectionOf(kafka as unknown as Kafka), consumers };
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
  it('is replaced after a failure that kafkajs does not recover from', async () => {
    const { kafka, consumers } = createFakeKafka();
    const consumer = await start(kafka);
    consumers[0]?.crash(false);
    await expect.poll(() => consumers.map(({ running }) => running)).toEqual([false, true]);
    consumers[1]?.crash(false);
    await expect.poll(() => consumers.map(({ running }) => running)).toEqual([false, false, true]);
    await consumer.close();
    expect(consumers[2]?.running).toBe(false);
  });

  it('is replaced again if its replacement fails to start', async () => {
    const { kafka, consumers } = createFakeKafka(2);
    const consumer = await start(kafka);
    consumers[0]?.crash(false);
    await expect.poll(() => consumers.map(({ running }) => running)).toEqual([false, false, false, true]);
    await consumer.close();
  });

  it('does not stay in its group if it is closed while its replacement joins', async () => {
    let letJoin = (): void => undefined;
    const { kafka, consumers } = createFakeKafka(
      0,
      new Promise((resolve) => {
        letJoin = resolve;
      }),
    );
    const consumer = await start(kafka);
    consumers[0]?.crash(false);
    await expect.poll(() => consumers).toHaveLength(2);
    await consumer.close();
    letJoin();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(consumers.map(({ running }) => running)).toEqual([false, false]);
  });

  it('is not replaced if kafkajs restarts it, or after it is closed', async () => {
    const { kafka, consumers } = createFakeKafka();
    const consumer = await start(kafka);
    consumers[0]?.crash(true);
    await consumer.close();
    consumers[0]?.crash(false);
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(consumers).toHaveLength(1);
  });
});

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import type { KafkaConnection } from '../../../src/storage/kafka/client.js';
import {
  type ChunkConsumer,
  createChunkConsumer,
} from '../../../src/storage/kafka/consume/chunk-consumer.js';
import { connectKafka } from '../../support/kafka.js';

const topic = `t${randomBytes(6).toString('hex')}.chunks`;
const groupId = `${topic}.group`;
let kafka: KafkaConnection;
let consumer: ChunkConsumer | undefined;

beforeAll(async () => {
  kafka = connectKafka(topic);
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
  await admin.disconnect();
});

afterAll(async () => {
  await consumer?.close();
  const admin = kafka.admin();
  await admin.connect();
  await admin.deleteTopics({ topics: [topic] });
  await admin.disconnect();
});

const committed = async (): Promise<number> => {
  const admin = kafka.admin();
  await admin.connect();
  const [found] = await admin.fetchOffsets({ groupId, topics: [topic] });
  await admin.disconnect();
  return Number(found?.partitions[0]?.offset ?? -1);
};

it('does not go past a message while it can not be parked', async () => {
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic, messages: [{ value: 'first' }, { value: 'second' }] });
  await producer.disconnect();

  let mayPark = false;
  let refused = 0;
  const offsetsWhenRefused: number[] = [];
  const parked: string[] = [];
  consumer = await createChunkConsumer({
    kafka,
    groupId,
    topic,
    handle: async () => expect.unreachable('nothing here is a chunk'),
    deadLetters: {
      async park(message) {
        if (mayPark) {
          parked.push(String(message.value));
          return;
        }
        refused += 1;
        offsetsWhenRefused.push(await committed());
        throw new Error('Kafka is away');
      },
      close: async () => undefined,
    },
    log: silentLog,
  });
  await expect.poll(() => refused, { timeout: 30_000 }).toBeGreaterThan(2);
  expect(Math.max(...offsetsWhenRefused)).toBeLessThan(1);
  mayPark = true;
  await expect.poll(() => parked, { timeout: 30_000 }).toEqual(['first', 'second']);
  await expect.poll(committed, { timeout: 30_000 }).toBe(2);
}, 90_000);

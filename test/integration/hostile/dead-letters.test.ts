import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { type ChunkConsumer, createChunkConsumer } from '../../../src/storage/kafka/chunk-consumer.js';
import type { KafkaConnection } from '../../../src/storage/kafka/connection.js';
import { clientOf } from '../../../src/storage/kafka/kafkajs/client.js';
import { connectKafka, createTopic } from '../../support/kafka.js';

const topic = `t${randomBytes(6).toString('hex')}.chunks`;
const groupId = `${topic}.group`;
let kafka: KafkaConnection;
let consumer: ChunkConsumer | undefined;

beforeAll(async () => {
  kafka = connectKafka(topic);
  const admin = clientOf(kafka).admin();
  await admin.connect();
  await createTopic(admin, topic);
  await admin.disconnect();
});

afterAll(async () => {
  await consumer?.close();
  const admin = clientOf(kafka).admin();
  await admin.connect();
  await admin.deleteTopics({ topics: [topic] });
  await admin.disconnect();
});

const committed = async (): Promise<number> => {
  const admin = clientOf(kafka).admin();
  await admin.connect();
  const [found] = await admin.fetchOffsets({ groupId, topics: [topic] });
  await admin.disconnect();
  return Number(found?.partitions[0]?.offset ?? -1);
};

it('a consumer does not commit past a message that cannot be stored as a dead letter', async () => {
  const producer = clientOf(kafka).producer();
  await producer.connect();
  await producer.send({ topic, messages: [{ value: 'first' }, { value: 'second' }] });
  await producer.disconnect();

  let canStore = false;
  let refused = 0;
  const offsetsWhenRefused: number[] = [];
  const kept: string[] = [];
  consumer = await createChunkConsumer({
    kafka,
    groupId,
    topicName: topic,
    handle: async () => expect.unreachable('no message is a chunk'),
    atOnce: 1,
    deadLetters: {
      async keep(message) {
        if (canStore) {
          kept.push(String(message.value));
          return;
        }
        refused += 1;
        offsetsWhenRefused.push(await committed());
        throw new Error('Kafka is down');
      },
      close: async () => undefined,
    },
    log: silentLog,
  });
  await expect.poll(() => refused).toBeGreaterThan(2);
  expect(Math.max(...offsetsWhenRefused)).toBeLessThan(1);
  canStore = true;
  await expect.poll(() => kept).toEqual(['first', 'second']);
  await expect.poll(committed).toBe(2);
});

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { compressZstd } from '../../../src/lib/zstd.js';
import { encodeChunk } from '../../../src/storage/kafka/chunk-codec.js';
import { type ChunkConsumer, createChunkConsumer } from '../../../src/storage/kafka/chunk-consumer.js';
import type { KafkaConnection } from '../../../src/storage/kafka/connection.js';
import type { Delivery } from '../../../src/storage/kafka/delivery.js';
import { clientOf, withAdmin } from '../../../src/storage/kafka/kafkajs/client.js';
import { connectKafka, createTopic } from '../../support/kafka.js';

const topic = `t${randomBytes(6).toString('hex')}.chunks`;
const groupId = `${topic}.group`;
const consumers: ChunkConsumer[] = [];
let release = (): void => undefined;
const held = new Promise<void>((resolve) => {
  release = resolve;
});
let kafka: KafkaConnection;

beforeAll(async () => {
  kafka = connectKafka(topic);
  await withAdmin(kafka, (admin) => createTopic(admin, topic, 2));
});

afterAll(async () => {
  // Closing a consumer waits for its chunk in flight.
  release();
  await Promise.all(consumers.map((consumer) => consumer.close()));
  await withAdmin(kafka, (admin) => admin.deleteTopics({ topics: [topic] }));
});

const send = async (partition: number, processId: number): Promise<void> => {
  const producer = clientOf(kafka).producer();
  await producer.connect();
  const data = await compressZstd(Buffer.from('1\n'));
  const chunk = { processId, number: 0, last: true, firstRow: 0, firstLine: 2, rawBytes: 2, rows: 1, data };
  await producer.send({ topic, messages: [{ partition, value: encodeChunk(chunk) }] });
  await producer.disconnect();
};

const join = async (handle: (delivery: Delivery) => Promise<void>): Promise<{ joined: () => number }> => {
  let joined = 0;
  const consumer = await createChunkConsumer({
    kafka,
    groupId,
    topicName: topic,
    atOnce: 1,
    handle: async ([delivery]) => delivery && handle(delivery),
    onJoin: () => {
      joined += 1;
    },
    deadLetters: {
      keep: () => expect.unreachable('every message is a chunk'),
      close: async () => undefined,
    },
    log: silentLog,
  });
  consumers.push(consumer);
  return { joined: () => joined };
};

const committed = async (): Promise<number[]> => {
  const [found] = await withAdmin(kafka, (admin) => admin.fetchOffsets({ groupId, topics: [topic] }));
  return (found?.partitions ?? [])
    .sort((a, b) => a.partition - b.partition)
    .map(({ offset }) => Number(offset));
};

it('a new member does not wait for a chunk in flight at another, which is handled once', async () => {
  const begun: string[] = [];
  const first = await join(async ({ chunk, position }) => {
    begun.push(`first ${chunk.processId} of ${position.partition}`);
    if (chunk.processId === 1) await held;
  });
  await send(0, 1);
  await expect.poll(() => begun).toEqual(['first 1 of 0']);
  const second = await join(async ({ chunk, position }) => {
    begun.push(`second ${chunk.processId} of ${position.partition}`);
  });
  await expect.poll(() => second.joined()).toBe(1);
  await expect.poll(() => first.joined()).toBe(2);
  await send(1, 2);
  await expect.poll(() => begun).toEqual(['first 1 of 0', 'second 2 of 1']);
  await expect.poll(async () => (await committed())[1]).toBe(1);
  expect((await committed())[0]).toBeLessThan(1);
  release();
  await send(0, 3);
  await expect.poll(() => begun.at(-1)).toBe('first 3 of 0');
  await expect.poll(committed).toEqual([2, 1]);
  expect(begun).toHaveLength(3);
});

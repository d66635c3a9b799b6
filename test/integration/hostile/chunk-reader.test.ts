import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import type { ChunkPosition } from '../../../src/model/chunk.js';
import { encodeChunk } from '../../../src/storage/kafka/chunk-codec.js';
import { macHeader, macOf } from '../../../src/storage/kafka/chunk-mac.js';
import { type ChunkOwner, createChunkReader } from '../../../src/storage/kafka/chunk-reader.js';
import type { KafkaConnection } from '../../../src/storage/kafka/connection.js';
import { clientOf } from '../../../src/storage/kafka/kafkajs/client.js';
import { createTopicReader } from '../../../src/storage/kafka/topic-reader.js';
import { connectKafka, createTopic } from '../../support/kafka.js';

const chunkKey = randomBytes(32);
const topic = `t${randomBytes(6).toString('hex')}.chunks`;
let kafka: KafkaConnection;

const chunkOf = (processId: number, number: number) => ({
  processId,
  number,
  firstRow: number,
  rows: 1,
  firstLine: number + 2,
  last: false,
  rawBytes: 2,
  data: Buffer.from(`${number}\n`),
});

beforeAll(async () => {
  kafka = connectKafka(topic);
  const admin = clientOf(kafka).admin();
  await admin.connect();
  await createTopic(admin, topic, 2);
  await admin.disconnect();
  const producer = clientOf(kafka).producer();
  await producer.connect();
  // Alternating chunks of two uploads, interleaved in one fetch.
  const messages = Array.from({ length: 20 }, (_, at) => {
    const value = encodeChunk(chunkOf(1 + (at % 2), at));
    return {
      partition: at % 4 < 2 ? 0 : 1,
      value,
      headers: { [macHeader]: macOf(chunkKey, value).toString('base64') },
    };
  });
  await producer.send({ topic, messages });
  await producer.disconnect();
});

afterAll(async () => {
  const admin = clientOf(kafka).admin();
  await admin.connect();
  await admin.deleteTopics({ topics: [topic] });
  await admin.disconnect();
});

const position = (partition: number, offset: number): ChunkPosition => ({
  topic,
  partition,
  offset: String(offset),
});

const read = async (
  positions: readonly ChunkPosition[],
  lastWanted?: number,
  owner: ChunkOwner = { processId: 1, chunkKey },
): Promise<number[]> => {
  const numbers: number[] = [];
  const reader = createChunkReader(createTopicReader({ kafka, groupPrefix: topic, log: silentLog }));
  await reader.read(owner, positions, async (chunk) => {
    numbers.push(chunk.number);
    return chunk.number === lastWanted ? 'stop' : 'next';
  });
  return numbers.sort((a, b) => a - b);
};

describe('replaying chunks', () => {
  // A broker that has just started loads its group coordinator at the first join, so the replay is retried.
  it('succeeds once the broker has loaded its group coordinator', async () => {
    const attempt = async () => read([position(1, 0)]);
    await expect.poll(attempt).toEqual([2]);
  });

  it('ends when chunks of other uploads follow the last requested one', async () => {
    expect(await read([position(0, 0), position(0, 2), position(1, 4)])).toEqual([0, 4, 10]);
  });

  it('ends when the last requested one is the last of its partition', async () => {
    expect(await read([position(1, 9)], undefined, { processId: 2, chunkKey })).toEqual([19]);
  });

  it('returns every position once, from several partitions', async () => {
    const all = Array.from({ length: 5 }, (_, at) => [position(0, 2 * at), position(1, 2 * at)]).flat();
    expect(await read(all)).toEqual(Array.from({ length: 10 }, (_, at) => 2 * at));
  });

  it('ends when the callback asks it to stop', async () => {
    expect(await read([position(1, 0), position(1, 2), position(1, 4)], 6)).toEqual([2, 6]);
  });

  it('refuses a chunk of another upload, one with the MAC of another key, and any for an upload without a key', async () => {
    await expect(read([position(1, 9)])).rejects.toMatchObject({ name: 'ChunkFault', kind: 'forged' });
    for (const otherKey of [randomBytes(32), null]) {
      const owner = { processId: 1, chunkKey: otherKey };
      await expect(read([position(1, 0)], undefined, owner)).rejects.toMatchObject({ kind: 'forged' });
    }
  });

  it('fails with chunks_expired when Kafka no longer has a position', async () => {
    const admin = clientOf(kafka).admin();
    await admin.connect();
    // kafkajs finds the leader in metadata that only some other requests load.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '3' }] });
    await admin.disconnect();
    await expect(read([position(0, 2), position(1, 2)])).rejects.toMatchObject({ code: 'chunks_expired' });
  });
});

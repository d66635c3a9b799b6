/** Kafka messages of chunks, for tests that alter, forge and replay them. */

import { silentLog } from '../../src/lib/log.js';
import { compressZstd } from '../../src/lib/zstd.js';
import type { Chunk } from '../../src/model/chunk.js';
import { encodeChunk } from '../../src/storage/kafka/chunk-codec.js';
import { macHeader, macOf } from '../../src/storage/kafka/chunk-mac.js';
import type { KafkaConnection } from '../../src/storage/kafka/connection.js';
import { clientOf, withAdmin } from '../../src/storage/kafka/kafkajs/client.js';
import { createTopicReader } from '../../src/storage/kafka/topic-reader.js';
import { type Client, json, type ProcessAnswer, putFile } from './datasets.js';
import type { TestProduct } from './product.js';

export interface TestMessage {
  readonly key: Buffer | string | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string | Buffer>>;
}

export const chunkTopic = (product: TestProduct, topic: 'short' | 'bulk'): string =>
  `${product.config.kafkaPrefix}.chunks.${topic}`;

/** Sends messages round-robin to the partitions of the topic. */
export const sendMessages = async (
  kafka: KafkaConnection,
  topicName: string,
  messages: readonly TestMessage[],
): Promise<void> => {
  const producer = clientOf(kafka).producer();
  await producer.connect();
  const placed = messages.map((message, at) => ({ ...message, partition: at % 2 }));
  for (let at = 0; at < placed.length; at += 50)
    await producer.send({ topic: topicName, messages: placed.slice(at, at + 50) });
  await producer.disconnect();
};

/** Messages from the given offset of each partition to its end. */
const messagesSince = async (
  kafka: KafkaConnection,
  product: TestProduct,
  topicName: string,
  before: ReadonlyMap<number, bigint>,
): Promise<TestMessage[]> => {
  const reader = createTopicReader({ kafka, groupPrefix: product.config.kafkaPrefix, log: silentLog });
  const offsets = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topicName));
  const ranges = offsets.map(({ partition, high }) => ({
    partition,
    from: before.get(partition) ?? 0n,
    to: BigInt(high),
  }));
  const found: TestMessage[] = [];
  await reader.read(topicName, ranges, async ({ key, value, headers }) => {
    found.push({ key, value, headers });
    return 'next';
  });
  return found;
};

export interface HeldUpload {
  readonly process: ProcessAnswer;
  /** Its chunks, which no worker receives. */
  readonly messages: TestMessage[];
}

/** Uploads a file while no worker runs and moves the consumer group past its chunks. Then starts the worker again. */
export const holdUpload = async (
  kafka: KafkaConnection,
  product: TestProduct,
  client: Client,
  dataset: number,
  content: string,
  topic: 'short' | 'bulk' = 'short',
): Promise<HeldUpload> => {
  const topicName = chunkTopic(product, topic);
  const highest = async () =>
    new Map(
      (await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topicName))).map(
        ({ partition, high }) => [partition, BigInt(high)] as const,
      ),
    );
  await product.stopWorker();
  const before = await highest();
  const process = await json<ProcessAnswer>(await putFile(client, dataset, content), 201);
  const messages = await messagesSince(kafka, product, topicName, before);
  const after = await highest();
  await withAdmin(kafka, (admin) =>
    admin.setOffsets({
      groupId: `${product.config.kafkaPrefix}.${topic}`,
      topic: topicName,
      partitions: [...after].map(([partition, offset]) => ({ partition, offset: String(offset) })),
    }),
  );
  await product.startWorker();
  return { process, messages };
};

/** Key that authenticates the chunks of an upload. */
export const chunkKeyOf = async (product: TestProduct, processId: number): Promise<Buffer> => {
  const [row] = await product.sql.query<{ key: Buffer }>(
    'SELECT chunk_key AS key FROM processes WHERE id = $1',
    [processId],
  );
  if (row === undefined) throw new Error(`process ${processId} does not exist`);
  return row.key;
};

/** Message of a chunk, without a MAC if there is no key. */
export const messageOf = (chunk: Chunk, key?: Buffer): TestMessage => {
  const value = encodeChunk(chunk);
  return {
    key: String(chunk.processId),
    value,
    headers: {
      process: String(chunk.processId),
      chunk: String(chunk.number),
      'request-id': 'test',
      ...(key === undefined ? {} : { [macHeader]: macOf(key, value).toString('base64') }),
    },
  };
};

/** The only chunk of a file with these records. */
export const onlyChunk = async (processId: number, records: string): Promise<Chunk> => ({
  processId,
  number: 0,
  firstRow: 0,
  rows: records.split('\n').length - 1,
  firstLine: 2,
  last: true,
  rawBytes: Buffer.byteLength(records),
  data: await compressZstd(Buffer.from(records)),
});

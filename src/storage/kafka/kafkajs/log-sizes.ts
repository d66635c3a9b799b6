/** Bytes of partitions on the brokers' disks: DescribeLogDirs version 1, which kafkajs does not support. */
import type { KafkaConnection } from './client.js';
import { type RawRequest, sendToEveryBroker } from './raw-request.js';

export interface LogSize {
  readonly topic: string;
  readonly partition: number;
  readonly bytes: number;
}

const createCursor = (bytes: Buffer) => {
  let at = 0;
  const skip = (count: number): number => {
    at += count;
    return at - count;
  };
  return {
    skip,
    int16: () => bytes.readInt16BE(skip(2)),
    int32: () => bytes.readInt32BE(skip(4)),
    int64: () => Number(bytes.readBigInt64BE(skip(8))),
    text() {
      const length = bytes.readInt16BE(skip(2));
      return bytes.toString('utf8', skip(length), at);
    },
  };
};

/** Sizes in the answer of one broker, after its correlation id. */
export const parseLogSizes = (reply: Buffer): LogSize[] => {
  const cursor = createCursor(reply);
  cursor.skip(4); // throttle time
  const sizes: LogSize[] = [];
  for (let directories = cursor.int32(); directories > 0; directories -= 1) {
    const errorCode = cursor.int16();
    cursor.text();
    if (errorCode !== 0) throw new Error(`a log directory is not readable, error ${errorCode}`);
    for (let topics = cursor.int32(); topics > 0; topics -= 1) {
      const topic = cursor.text();
      for (let partitions = cursor.int32(); partitions > 0; partitions -= 1) {
        sizes.push({ topic, partition: cursor.int32(), bytes: cursor.int64() });
        cursor.skip(9); // offset lag, and whether it is moved to another directory
      }
    }
  }
  return sizes;
};

/** Topics, each with its partitions. */
const requestOf = (topics: ReadonlyMap<string, number>): RawRequest<LogSize[]> => ({
  apiKey: 35,
  apiName: 'DescribeLogDirs',
  apiVersion: 1,
  encode(body) {
    body.writeInt32(topics.size);
    for (const [topic, partitions] of topics) {
      body.writeString(topic).writeInt32(partitions);
      for (let partition = 0; partition < partitions; partition += 1) body.writeInt32(partition);
    }
  },
  decode: parseLogSizes,
});

/**
 * Queries every broker; the largest of several replicas counts.
 * @param topics Number of partitions by topic.
 */
export const readLogSizes = async (
  kafka: KafkaConnection,
  topics: ReadonlyMap<string, number>,
  withinMs: number,
): Promise<LogSize[]> => {
  const replies = await sendToEveryBroker(kafka, requestOf(topics), withinMs);
  const largest = new Map<string, LogSize>();
  for (const size of replies.flat()) {
    const key = `${size.topic}/${size.partition}`;
    if (size.bytes >= (largest.get(key)?.bytes ?? 0)) largest.set(key, size);
  }
  return [...largest.values()];
};

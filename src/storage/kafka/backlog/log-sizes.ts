/**
 * Bytes that partitions take on the brokers' disks. kafkajs does not know this request (DescribeLogDirs, version 1),
 * so it is spoken here: one short connection per broker.
 */
import { connect } from 'node:net';

export interface Broker {
  readonly host: string;
  readonly port: number;
}

export interface LogSize {
  readonly topic: string;
  readonly partition: number;
  readonly bytes: number;
}

const describeLogDirsKey = 35;
const version = 1;
const correlationId = 1;
/** An answer has some 40 bytes per partition; more than this is no answer to this request. */
const largestReplyBytes = 16 * 1024 * 1024;

const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([int16(bytes.length), bytes]);
};

/** Size, api key, version, correlation id, client id; then topics, each with its partitions. */
const requestOf = (topics: ReadonlyMap<string, number>): Buffer => {
  const body = [int16(describeLogDirsKey), int16(version), int32(correlationId), text('log-sizes')];
  body.push(int32(topics.size));
  for (const [topic, partitions] of topics) {
    body.push(text(topic), int32(partitions));
    for (let partition = 0; partition < partitions; partition += 1) body.push(int32(partition));
  }
  const request = Buffer.concat(body);
  return Buffer.concat([int32(request.length), request]);
};

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

/** Sizes in an answer of one broker, without its size field. */
export const parseLogSizes = (reply: Buffer): LogSize[] => {
  const cursor = createCursor(reply);
  if (cursor.int32() !== correlationId) throw new Error('the broker answered another request');
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

const ask = ({ host, port }: Broker, request: Buffer, withinMs: number): Promise<LogSize[]> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    let received = Buffer.alloc(0);
    const settle = (run: () => void): void => {
      socket.destroy();
      run();
    };
    const fail = (error: Error): void => settle(() => reject(error));
    socket.setTimeout(withinMs, () => fail(new Error(`${host}:${port} did not tell the size of its logs`)));
    socket.once('error', fail);
    // A broker that does not know the version hangs up.
    socket.once('close', () =>
      fail(new Error(`${host}:${port} hung up when asked for the size of its logs`)),
    );
    socket.once('connect', () => socket.write(request));
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
      if (received.length < 4) return;
      const length = received.readInt32BE(0);
      if (length > largestReplyBytes) return fail(new Error(`${host}:${port} gave no answer of Kafka`));
      if (received.length < 4 + length) return;
      settle(() => {
        try {
          resolve(parseLogSizes(received.subarray(4, 4 + length)));
        } catch (error) {
          reject(error);
        }
      });
    });
  });

/**
 * Asks every broker; of several replicas the largest counts.
 * @param topics Number of partitions by topic.
 */
export const readLogSizes = async (
  brokers: readonly Broker[],
  topics: ReadonlyMap<string, number>,
  withinMs: number,
): Promise<LogSize[]> => {
  const request = requestOf(topics);
  const replies = await Promise.all(brokers.map((broker) => ask(broker, request, withinMs)));
  const largest = new Map<string, LogSize>();
  for (const size of replies.flat()) {
    const key = `${size.topic}/${size.partition}`;
    if (size.bytes >= (largest.get(key)?.bytes ?? 0)) largest.set(key, size);
  }
  return [...largest.values()];
};

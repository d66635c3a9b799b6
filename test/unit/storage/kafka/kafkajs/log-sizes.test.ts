import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../../../src/lib/log.js';
import { createKafka } from '../../../../../src/storage/kafka/connection.js';
import { parseLogSizes, readLogSizes } from '../../../../../src/storage/kafka/kafkajs/log-sizes.js';

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

const int = (size: 2 | 4, value: number): Buffer => {
  const bytes = Buffer.alloc(size);
  bytes.writeIntBE(value, 0, size);
  return bytes;
};

const partition = (number: number, bytes: number): Buffer => {
  const size = Buffer.alloc(8);
  size.writeBigInt64BE(BigInt(bytes));
  return Buffer.concat([int(4, number), size, Buffer.alloc(9)]);
};

/** One log directory with one topic of two partitions. */
const reply = ({ error = 0 } = {}): Buffer =>
  Buffer.concat([
    ...[int(4, 0), int(4, 1), int(2, error), text('/logs'), int(4, 1), text('chunks')],
    ...[int(4, 2), partition(0, 7), partition(3, 2 ** 40)],
  ]);

describe('sizes of logs', () => {
  it('are read from the response of a broker', () => {
    expect(parseLogSizes(reply())).toEqual([
      { topic: 'chunks', partition: 0, bytes: 7 },
      { topic: 'chunks', partition: 3, bytes: 2 ** 40 },
    ]);
  });

  it('are not read from a truncated response or an error', () => {
    expect(() => parseLogSizes(reply().subarray(0, 50))).toThrow();
    expect(() => parseLogSizes(reply({ error: 56 }))).toThrow(/error 56/);
  });

  it('cannot be read from a peer that hangs up or is not Kafka', async () => {
    for (const answer of [undefined, 'HTTP/1.1 400 Bad Request\r\n\r\n']) {
      const server = createServer((socket) => {
        socket.on('error', () => socket.destroy());
        socket.once('data', () => socket.end(answer ?? ''));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const kafka = createKafka({
        settings: { kafkaBrokers: [`127.0.0.1:${port}`], kafkaTls: false },
        clientId: 'log-sizes-test',
        log: silentLog,
        retry: { retries: 0 },
      });
      const sizes = readLogSizes(kafka, new Map([['chunks', 1]]), 1_000);
      await expect(sizes).rejects.toThrow();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

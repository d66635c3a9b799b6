import type { Kafka } from 'kafkajs';
import { expect, it, vi } from 'vitest';
import type { Log } from '../../../../src/lib/log.js';
import type { Chunk } from '../../../../src/model/chunk.js';
import { createChunkProducer } from '../../../../src/storage/kafka/chunk-producer.js';
import { connectionOf } from '../../../../src/storage/kafka/kafkajs/client.js';
import type { TopicNames } from '../../../../src/storage/kafka/topics.js';

const chunk: Chunk = {
  processId: 1,
  number: 0,
  firstRow: 0,
  rows: 1,
  firstLine: 2,
  last: true,
  rawBytes: 2,
  data: Buffer.from('1\n'),
};

it('a chunk that the broker finds too large is sent once; error and log name the setting of the topic', async () => {
  const refused = Object.assign(new Error('too large'), { name: 'KafkaJSProtocolError', code: 10 });
  const send = vi.fn().mockRejectedValue(new Error('retried', { cause: refused }));
  const done = async () => undefined;
  const error = vi.fn();
  const producer = await createChunkProducer({
    kafka: connectionOf({ producer: () => ({ connect: done, disconnect: done, send }) } as unknown as Kafka),
    topics: { short: 'tabulary.chunks.short' } as TopicNames,
    partitions: () => 1,
    maxMessageBytes: 1_000_000,
    patienceMs: 2_000,
    traceHeaders: () => ({}),
    log: { debug: () => undefined, warn: () => undefined, error } as unknown as Log,
  });
  const sent = producer.send('short', chunk, { requestId: 'r', chunkKey: Buffer.alloc(32) });
  await expect(sent).rejects.toMatchObject({
    code: 'log_unavailable',
    message: expect.stringContaining('max.message.bytes'),
  });
  expect(send).toHaveBeenCalledTimes(1);
  expect(error).toHaveBeenCalledWith(expect.anything(), expect.stringContaining('max.message.bytes'));
});

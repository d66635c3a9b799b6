import { createRequire } from 'node:module';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { crc32c } from '../../../../../src/storage/kafka/kafkajs/crc32c.js';
import { patchKafkajs, requireKnownVersion } from '../../../../../src/storage/kafka/kafkajs/patch.js';

interface Request {
  readonly buffer: Buffer;
  size(): number;
}

type Protocol = (topicData: readonly unknown[]) => Promise<Request>;

const load = createRequire(import.meta.url);

const cachedPaths = (): string[] => Object.keys(load.cache).filter((path) => path.includes('/kafkajs/'));
const forget = (): void => {
  for (const path of cachedPaths()) delete load.cache[path];
};

// The next test file may run in this process, where `instanceof` would fail between two copies of kafkajs.
const shared = cachedPaths().map((path) => [path, load.cache[path]] as const);
afterAll(() => {
  forget();
  Object.assign(load.cache, Object.fromEntries(shared));
});

/** Encodes a produce request with a separate copy of the modules of kafkajs. */
const freshProtocol = (lean: boolean): Protocol => {
  forget();
  if (lean) patchKafkajs();
  const createRequest = load('kafkajs/src/protocol/request.js');
  const produce = load('kafkajs/src/protocol/requests/produce/v7/request.js');
  return (topicData) =>
    createRequest({
      correlationId: 7,
      clientId: 'tabulary',
      request: produce({
        acks: -1,
        timeout: 30_000,
        producerId: '4711',
        producerEpoch: 3,
        topicData,
      }),
    });
};

const message = (bytes: number, seed: number) => ({
  key: String(seed),
  value: Buffer.alloc(bytes, `${seed} some content `),
  timestamp: 1_700_000_000_000 + seed,
  headers: { process: String(seed), 'request-id': 'a'.repeat(seed % 50) },
});

const topicOf = (sizes: readonly number[]) => ({
  topic: 'tabulary.chunks.bulk',
  partitions: sizes.map((bytes, partition) => ({
    partition,
    firstSequence: partition,
    messages: [message(bytes, partition), message(bytes >> 1, partition + 100)],
  })),
});

describe('the encoder patch', () => {
  const plain = freshProtocol(false);
  const lean = freshProtocol(true);

  it('encodes the same bytes as kafkajs itself, whatever the size of the messages', async () => {
    const sizes = fc.oneof(
      fc.nat(2_000),
      fc.integer({ min: 65_000, max: 66_500 }),
      fc.integer({ min: 131_000, max: 400_000 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(sizes, { minLength: 1, maxLength: 3 }), async (list) => {
        const expected = await plain([topicOf(list)]);
        const request = await lean([topicOf(list)]);
        expect(request.size()).toBe(expected.size());
        expect(request.buffer.equals(expected.buffer)).toBe(true);
        expect(request.buffer.equals(expected.buffer)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('does not change the message, so that it can be sent again', async () => {
    const topics = [topicOf([300_000])];
    const first = Buffer.from((await lean(topics)).buffer);
    const second = (await lean(topics)).buffer;
    expect(second.equals(first)).toBe(true);
    const [sentValue, originalValue] = [topics, [topicOf([300_000])]].map(
      ([topic]) => topic?.partitions[0]?.messages[0]?.value,
    );
    expect(originalValue && sentValue?.equals(originalValue)).toBe(true);
  });

  it('refuses any version of kafkajs but the known one', () => {
    expect(() => requireKnownVersion('2.2.4')).not.toThrow();
    expect(() => requireKnownVersion('2.3.0')).toThrow(
      expect.objectContaining({ code: 'bad_installation', message: expect.stringContaining('2.3.0') }),
    );
  });

  it('copies a large message once', async () => {
    const { messages } = topicOf([4_000_000]).partitions[0]!;
    const topic = {
      topic: 't',
      partitions: [{ partition: 0, firstSequence: 0, messages: messages.slice(0, 1) }],
    };
    const before = process.memoryUsage().arrayBuffers;
    const { buffer } = await lean([topic]);
    expect(buffer.length).toBeGreaterThan(4_000_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5_000_000);
  });
});

describe('crc32c', () => {
  it('calculates the checksums of RFC 3720', () => {
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
    expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });

  it('calculates the same checksum for any alignment of the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(15), (bytes, offset) => {
        const memory = new Uint8Array(offset + bytes.length);
        memory.set(bytes, offset);
        const bitwise = bytes.reduce((sum, byte) => {
          let next = sum ^ byte;
          for (let bit = 0; bit < 8; bit += 1) next = (next >>> 1) ^ (next & 1 ? 0x82f63b78 : 0);
          return next;
        }, -1);
        expect(crc32c(memory.subarray(offset))).toBe(~bitwise >>> 0);
      }),
    );
  });
});

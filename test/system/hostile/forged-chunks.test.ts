/** Messages in the chunk topics that the API did not send: none is stored or blocks others. */
import { randomBytes } from 'node:crypto';
import avro from 'avsc';
import { CompressionTypes } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { compressZstd } from '../../../src/lib/zstd.js';
import type { Chunk } from '../../../src/model/chunk.js';
import { decodeChunk } from '../../../src/storage/kafka/chunk-codec.js';
import type { KafkaConnection } from '../../../src/storage/kafka/connection.js';
import { clientOf } from '../../../src/storage/kafka/kafkajs/client.js';
import { createRandom, type Random } from '../../harness/random.js';
import {
  chunkKeyOf,
  chunkTopic,
  holdUpload,
  messageOf,
  onlyChunk,
  sendMessages,
  type TestMessage,
} from '../../support/chunk-messages.js';
import {
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  upload,
} from '../../support/datasets.js';
import { connectKafka } from '../../support/kafka.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { bombOf } from '../../support/zstd-bomb.js';

let product: TestProduct;
let owner: Client;
let other: Client;
let kafka: KafkaConnection;
let short: string;
let bulk: string;

beforeAll(async () => {
  product = await startProduct({}, silentLog);
  owner = await product.createAccount('owner');
  other = await product.createAccount('other');
  kafka = connectKafka('forged-chunks-test');
  short = chunkTopic(product, 'short');
  bulk = chunkTopic(product, 'bulk');
});

afterAll(() => product?.close());

const reasons = async (): Promise<string[]> =>
  (await product.sql.query<{ reason: string }>('SELECT reason FROM dead_letters ORDER BY id')).map(
    ({ reason }) => reason,
  );

/** Sends the messages. @returns the reasons of their dead letters. */
const deadLetterReasons = async (messages: readonly TestMessage[], topic = short): Promise<string[]> => {
  const before = (await reasons()).length;
  await sendMessages(kafka, topic, messages);
  await expect.poll(async () => (await reasons()).length).toBe(before + messages.length);
  return (await reasons()).slice(before);
};

/** Checks that an upload of another account completes and can be read. */
const expectOthersServed = async (): Promise<void> => {
  const dataset = await createDataset(other);
  expect(await upload(other, dataset, 'a\n7\n8\n')).toMatchObject({ status: 'completed', rows: 2 });
  expect(await download(other, dataset)).toBe('"a"\n7\n8\n');
};

const genuineOf = ([first]: readonly TestMessage[]): TestMessage & { value: Buffer; chunk: Chunk } => {
  if (first?.value === undefined || first.value === null) throw new Error('the upload has no message');
  return { ...first, value: first.value, chunk: decodeChunk(first.value) };
};

/** Avro type with the fields of a chunk, but without its value ranges. */
const anyRecord = avro.Type.forSchema({
  type: 'record',
  name: 'Any',
  fields: ['processId', 'number', 'firstRow', 'rows', 'firstLine', 'last', 'rawBytes', 'data'].map(
    (name) => ({
      name,
      type: name === 'last' ? 'boolean' : name === 'data' ? 'bytes' : 'long',
    }),
  ),
} as avro.Schema);

const altered = (genuine: TestMessage & { chunk: Chunk }, change: object): TestMessage => ({
  ...genuine,
  value: anyRecord.toBuffer({ ...genuine.chunk, ...change }),
});

describe('a message that was not sent by the API', () => {
  it('becomes a dead letter, and the upload that it names completes with its own rows', async () => {
    const dataset = await createDataset(owner);
    const held = await holdUpload(kafka, product, owner, dataset, 'a\n1\n2\n');
    const genuine = genuineOf(held.messages);
    const { id } = held.process;
    const stranger = genuineOf(
      (await holdUpload(kafka, product, other, await createDataset(other), 'a\n5\n6\n')).messages,
    );
    const rows = Buffer.from('8\n9\n');
    const forged: Record<string, [TestMessage, RegExp]> = {
      'other rows': [altered(genuine, { data: await compressZstd(rows) }), /not one that was sent/],
      'no MAC': [messageOf(genuine.chunk), /not one that was sent/],
      'a MAC of another key': [messageOf(genuine.chunk, randomBytes(32)), /not one that was sent/],
      'a truncated MAC': [{ ...genuine, headers: { mac: 'AAAA' } }, /not one that was sent/],
      'no zstd frame': [altered(genuine, { data: rows }), /not one that was sent/],
      'a zstd bomb of 1.2 GB': [altered(genuine, { data: bombOf(1_200_000_000) }), /not one that was sent/],
      'rows of another upload': [altered(stranger, { processId: id }), /not one that was sent/],
      'a later number': [altered(genuine, { number: 1 }), /not one that was sent/],
      'a chunk that is not the last': [altered(genuine, { last: false }), /not one that was sent/],
      'a negative number of rows': [altered(genuine, { rows: -1 }), /impossible rows/],
      'a huge number of rows': [altered(genuine, { rows: 2_000_000_000 }), /impossible rows/],
      'more rows than bytes': [altered(genuine, { rows: 900_000 }), /impossible rows/],
      'a number beyond 32 bits': [altered(genuine, { number: 2 ** 40 }), /undecodable/],
      'a negative number': [altered(genuine, { number: -1 }), /impossible number/],
      'a negative process': [altered(genuine, { processId: -id }), /impossible processId/],
      'a first row near 2^53': [
        altered(genuine, { firstRow: Number.MAX_SAFE_INTEGER - 1 }),
        /impossible firstRow/,
      ],
      'a negative first row': [altered(genuine, { firstRow: -5 }), /impossible firstRow/],
      'a first line of 0': [altered(genuine, { firstLine: 0 }), /impossible firstLine/],
      'a size of 1.2 GB': [altered(genuine, { rawBytes: 1_200_000_000 }), /impossible rawBytes/],
      'a negative size': [altered(genuine, { rawBytes: -1 }), /impossible rawBytes/],
      'no value': [{ ...genuine, value: null }, /no value/],
      'an empty value': [{ ...genuine, value: Buffer.alloc(0) }, /undecodable/],
      'random bytes': [{ ...genuine, value: randomBytes(500) }, /undecodable/],
      'bytes of all ones': [{ ...genuine, value: Buffer.alloc(500, 0xff) }, /undecodable/],
      'a schema registry header': [
        { ...genuine, value: Buffer.concat([Buffer.from([0, 0, 0, 0, 7]), genuine.value]) },
        /undecodable/,
      ],
      JSON: [{ ...genuine, value: Buffer.from(JSON.stringify({ processId: id })) }, /undecodable/],
      'bytes after the record': [{ ...genuine, value: Buffer.concat([genuine.value, rows]) }, /undecodable/],
      'no key and huge headers': [
        {
          key: null,
          value: genuine.value,
          headers: { mac: 'x'.repeat(500_000), traceparent: 'y'.repeat(500_000) },
        },
        /not one that was sent/,
      ],
    };
    for (const [name, [message, reason]] of Object.entries(forged)) {
      expect(await deadLetterReasons([message]), name).toEqual([expect.stringMatching(reason)]);
    }
    await expectOthersServed();
    // The genuine message in the wrong topic.
    expect(await deadLetterReasons([genuine], bulk)).toEqual([
      expect.stringMatching(/belongs to the topic short/),
    ]);
    await sendMessages(kafka, short, [genuine]);
    expect(await ended(owner, held.process)).toMatchObject({
      status: 'completed',
      rows: 2,
      progress: { attempt: 1 },
    });
    expect(await download(owner, dataset)).toBe('"a"\n1\n2\n');
  });

  it('becomes a dead letter also in an upload of several chunks', async () => {
    const rows = Array.from({ length: 300_000 }, (_, row) => `${row},text of row ${row}\n`).join('');
    const dataset = await createDataset(owner);
    const { process, messages } = await holdUpload(kafka, product, owner, dataset, `a,b\n${rows}`, 'bulk');
    expect(messages.length).toBeGreaterThan(1);
    const first = genuineOf(messages.filter((_message, at) => at === 0));
    const records = Buffer.from('9,other\n'.repeat(first.chunk.rows));
    const other = { data: await compressZstd(records), rawBytes: records.length };
    const mac = first.headers.mac ?? '';
    const forged = [
      altered(first, other),
      { ...messageOf({ ...first.chunk, ...other }), headers: { mac } },
      altered(first, { number: messages.length }),
      altered(first, { number: messages.length + 5, last: true }),
    ];
    for (const reason of await deadLetterReasons(forged, bulk))
      expect(reason).toContain('not one that was sent');
    expect(await deadLetterReasons([messageOf(await onlyChunk(process.id, '1,2\n'))])).toHaveLength(1);
    await expectOthersServed();
    await sendMessages(kafka, bulk, messages);
    expect(await ended(owner, process)).toMatchObject({
      status: 'completed',
      rows: 300_000,
      progress: { attempt: 1 },
    });
    expect(await download(owner, dataset, '?$filter=a eq 9')).toBe('"a","b"\n9,"text of row 9"\n');
  });

  it('does not touch a reserved process', async () => {
    const dataset = await createDataset(owner);
    const reserved = await json<ProcessAnswer>(
      await call(owner, 'POST', `/datasets/${dataset}/processes`),
      201,
    );
    const message = messageOf(await onlyChunk(reserved.id, '1\n2\n'));
    for (const topic of [short, bulk])
      expect(await deadLetterReasons([message], topic)).toEqual([expect.stringMatching(/reserved|topic/)]);
    await expectOthersServed();
    expect(
      await json(await call(owner, 'GET', `/datasets/${dataset}/processes/${reserved.id}`)),
    ).toMatchObject({ status: 'pending', error: null });
  });

  it('is dropped when its upload has ended or never existed', async () => {
    const dataset = await createDataset(owner);
    const { id } = await upload(owner, dataset, 'a\n1\n');
    const before = (await reasons()).length;
    await sendMessages(kafka, short, [
      messageOf(await onlyChunk(id, '666\n')),
      messageOf(await onlyChunk(4_000_000_000_000_000, '1\n')),
    ]);
    await expectOthersServed();
    expect(await reasons()).toHaveLength(before);
    expect(await download(owner, dataset)).toBe('"a"\n1\n');
  });

  it('that is a gzip bomb is refused by the broker, and a smaller one becomes a dead letter', async () => {
    const producer = clientOf(kafka).producer();
    await producer.connect();
    const send = (bytes: number) =>
      producer.send({
        topic: short,
        compression: CompressionTypes.GZIP,
        messages: [{ partition: 0, value: Buffer.alloc(bytes) }],
      });
    await expect(send(40 * 1024 * 1024)).rejects.toThrow(/larger|too large|max message size/i);
    const before = (await reasons()).length;
    await send(1_000_000);
    await expect.poll(async () => (await reasons()).length).toBe(before + 1);
    await producer.disconnect();
    await expectOthersServed();
  });

  it('is truncated when it is too large for the dead letter topic', async () => {
    const largest = product.config.maxMessageBytes;
    const value = randomBytes(largest - 2_000);
    const [reason] = await deadLetterReasons([{ key: 'k', value, headers: { long: 'x'.repeat(1_700) } }]);
    expect(reason).toContain('undecodable');
    const [row] = await product.sql.query<{ bytes: number }>(
      'SELECT bytes FROM dead_letters ORDER BY id DESC LIMIT 1',
    );
    expect(row?.bytes).toBe(value.length);
    await expectOthersServed();
  });
});

describe('an authentic but unusable chunk', () => {
  const contents: [name: string, change: (chunk: Chunk) => Promise<Partial<Chunk>>][] = [
    ['no zstd frame', async () => ({ data: Buffer.from('1\n2\n') })],
    ['a zstd bomb of 1.2 GB', async () => ({ data: bombOf(1_200_000_000) })],
    ['more records than declared', async () => ({ rows: 1 })],
    ['fewer records than declared', async () => ({ rows: 3 })],
    ['a different size than declared', async () => ({ rawBytes: 5 })],
  ];

  it.each(contents)('(%s) fails only its own upload', async (_name, change) => {
    const dataset = await createDataset(owner);
    const before = await upload(owner, dataset, 'a\n0\n');
    const { process, messages } = await holdUpload(kafka, product, owner, dataset, 'a\n1\n2\n');
    const { chunk } = genuineOf(messages);
    const key = await chunkKeyOf(product, process.id);
    await sendMessages(kafka, short, [messageOf({ ...chunk, ...(await change(chunk)) }, key)]);
    expect(await ended(owner, process)).toMatchObject({
      status: 'failed',
      error: { code: 'chunk_unusable' },
    });
    await expectOthersServed();
    expect(before.status).toBe('completed');
    expect(await download(owner, dataset)).toBe('"a"\n0\n');
  });

  it('becomes a dead letter while its upload has no key', async () => {
    const dataset = await createDataset(owner);
    const { process, messages } = await holdUpload(kafka, product, owner, dataset, 'a\n1\n2\n');
    const genuine = genuineOf(messages);
    const key = await chunkKeyOf(product, process.id);
    await product.sql.query('UPDATE processes SET chunk_key = NULL WHERE id = $1', [process.id]);
    expect(await deadLetterReasons([genuine])).toEqual([expect.stringMatching(/not one that was sent/)]);
    await product.sql.query('UPDATE processes SET chunk_key = $2 WHERE id = $1', [process.id, key]);
    await sendMessages(kafka, short, [genuine]);
    expect(await ended(owner, process)).toMatchObject({ status: 'completed', rows: 2 });
    expect(await download(owner, dataset)).toBe('"a"\n1\n2\n');
  });
});

const mutate = (message: TestMessage & { value: Buffer }, random: Random): TestMessage => {
  const value = Buffer.from(message.value);
  const offset = () => random.below(value.length);
  const kind = random.below(6);
  if (kind === 0) return { ...message, value: value.subarray(0, offset()) };
  if (kind === 1) return { ...message, value: Buffer.concat([value, value.subarray(offset())]) };
  if (kind === 2) return { ...message, value, headers: {} };
  if (kind === 3) {
    const from = offset();
    return {
      ...message,
      value: Buffer.concat([
        value.subarray(0, from),
        Buffer.from(Array.from({ length: 5 }, () => random.below(256))),
        value.subarray(from),
      ]),
    };
  }
  for (let flips = 1 + random.below(8); flips > 0; flips -= 1) {
    const at = offset();
    value[at] = (value[at] ?? 0) ^ (1 << random.below(8));
  }
  return { ...message, value };
};

describe('300 mutations of valid messages', () => {
  const content = `a,b\n${Array.from({ length: 40 }, (_, row) => `${row},text ${row}`).join('\n')}\n`;
  const stored = `"a","b"\n${Array.from({ length: 40 }, (_, row) => `${row},"text ${row}"`).join('\n')}\n`;

  it('do not alter rows, block uploads or need much memory', async () => {
    const random = createRandom(31);
    const dataset = await createDataset(owner);
    const { process: upload, messages } = await holdUpload(kafka, product, owner, dataset, content);
    const genuine = genuineOf(messages);
    const before = process.memoryUsage().rss;
    const mutations = Array.from({ length: 300 }, () => mutate(genuine, random)).filter(
      ({ value, headers }) => !(value?.equals(genuine.value) && 'mac' in headers),
    );
    await sendMessages(kafka, short, mutations);
    await expectOthersServed();
    await sendMessages(kafka, short, [genuine]);
    expect(await ended(owner, upload)).toMatchObject({ status: 'completed', rows: 40 });
    expect(await download(owner, dataset)).toBe(stored);
    expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000);
  });
});

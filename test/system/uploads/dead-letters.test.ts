import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeadLetterCommands } from '../../../src/admin/dead-letters.js';
import { runCommandLine } from '../../../src/admin/run.js';
import { openDeadLetters } from '../../../src/compose/operator.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import type { KafkaConnection } from '../../../src/storage/kafka/connection.js';
import { createDeadLetterProducer } from '../../../src/storage/kafka/dead-letters.js';
import { clientOf } from '../../../src/storage/kafka/kafkajs/client.js';
import { createDeadLetterRecords } from '../../../src/uploads/repair/dead-letter-records.js';
import {
  chunkKeyOf,
  holdUpload,
  messageOf,
  onlyChunk,
  type TestMessage,
} from '../../support/chunk-messages.js';
import {
  type Client,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  putFile,
  upload,
} from '../../support/datasets.js';
import { connectKafka, createTopic } from '../../support/kafka.js';
import { startProduct, type TestProduct } from '../../support/product.js';

interface Row {
  readonly id: number;
  readonly origin: string;
  readonly bytes: number;
  readonly reason: string;
}

let product: TestProduct;
let owner: Client;
let kafka: KafkaConnection;
let topic: string;

beforeAll(async () => {
  product = await startProduct({}, silentLog);
  owner = await product.createAccount('owner');
  const { kafkaPrefix } = product.config;
  kafka = connectKafka('dead-letters-test');
  topic = `${kafkaPrefix}.chunks.short`;
});

afterAll(() => product?.close());

const admin = (line: string): Promise<string> =>
  runCommandLine([createDeadLetterCommands(openDeadLetters)], line.split(' '), async () => ({
    config: product.config,
    log: silentLog,
    scope: createScope(silentLog),
    sql: product.sql,
  }));

const list = async (): Promise<Row[]> => JSON.parse(await admin('dead-letters list --json')) as Row[];

const send = async (value: Buffer | null, headers: Record<string, string> = {}): Promise<void> => {
  const producer = clientOf(kafka).producer();
  await producer.connect();
  await producer.send({ topic, messages: [{ partition: 1, key: 'some key', value, headers }] });
  await producer.disconnect();
};

/** Sends an undecodable message. @returns the id of its dead letter. */
const sendInvalid = async (value: Buffer | null, headers?: Record<string, string>): Promise<number> => {
  const before = new Set((await list()).map(({ id }) => id));
  await send(value, headers);
  let id: number | undefined;
  await expect
    .poll(async () => {
      id = (await list()).find((row) => !before.has(row.id))?.id;
      return id;
    })
    .toBeDefined();
  return id ?? 0;
};

const deadLetterTotal = async (): Promise<number> => {
  const text = await (await fetch(`${product.workerUrl}/metrics`)).text();
  return Number(/^tabulary_dead_letters_total (\d+)$/m.exec(text)?.[1]);
};

/** Moves the consumer group past the only chunk of an upload (two rows: 1 and 2). @returns its message. */
const skipChunk = async (processId: number): Promise<TestMessage> => {
  const client = clientOf(kafka).admin();
  await client.connect();
  const offsets = await client.fetchTopicOffsets(topic);
  await client.setOffsets({
    groupId: `${product.config.kafkaPrefix}.short`,
    topic,
    partitions: offsets.map(({ partition, high }) => ({ partition, offset: high })),
  });
  await client.disconnect();
  return messageOf(await onlyChunk(processId, '1\n2\n'), await chunkKeyOf(product, processId));
};

let origin = 1_000_000;

/** Stores a decodable message as a dead letter, as a version that could not decode it would. */
const storeDeadLetter = async (sent: TestMessage, topicSuffix = 'dead-letters'): Promise<number> => {
  const records = createDeadLetterRecords(product.sql);
  const deadLetters = await createDeadLetterProducer({
    kafka,
    topicName: `${product.config.kafkaPrefix}.${topicSuffix}`,
    record: async (message) => {
      await records.record(message);
    },
  });
  origin += 1;
  const message = { key: null, value: sent.value, headers: sent.headers };
  await deadLetters.keep(message, { topic, partition: 1, offset: String(origin) }, 'unknown form');
  await deadLetters.close();
  return (await list()).at(-1)?.id ?? 0;
};

describe('dead letters', () => {
  it('are listed with reason and origin, and shown with headers and the first bytes', async () => {
    const total = await deadLetterTotal();
    const id = await sendInvalid(Buffer.from('no chunk\u0001\n'), { 'request-id': 'r-1' });
    // Scrapes in quick succession share one measurement.
    await expect.poll(deadLetterTotal).toBe(total + 1);
    const [row] = await list();
    expect(row).toMatchObject({ id, bytes: 10, reason: expect.stringContaining('undecodable') });
    expect(row?.origin.startsWith(`${topic}/1/`)).toBe(true);
    expect(await admin('dead-letters list')).toMatch(
      new RegExp(`^${id} .*${topic}/1/\\d+ +10 +undecodable`, 'm'),
    );
    expect(JSON.parse(await admin(`dead-letters show ${id} --json`))).toMatchObject({
      id,
      state: 'waiting',
      key: 'some key',
      headers: { 'request-id': 'r-1', 'origin-topic': topic, 'origin-partition': '1' },
      headHex: '6e 6f 20 63 68 75 6e 6b 01 0a',
      headText: 'no chunk..',
    });
    expect(JSON.parse(await admin(`dead-letters drop ${id} --json`))).toEqual({ dropped: id });
  });

  it('show only the start of a large value, and nothing of a missing one', async () => {
    const large = await sendInvalid(Buffer.alloc(100_000, 'x'));
    expect(
      (JSON.parse(await admin(`dead-letters show ${large} --json`)) as { headText: string }).headText,
    ).toHaveLength(256);
    const empty = await sendInvalid(null);
    expect(JSON.parse(await admin(`dead-letters show ${empty} --json`))).toMatchObject({
      bytes: 0,
      headText: '',
    });
    for (const id of [large, empty]) await admin(`dead-letters drop ${id}`);
  });

  it('are not listed after they were dropped', async () => {
    const id = await sendInvalid(Buffer.from('to be dropped'));
    await admin(`dead-letters drop ${id}`);
    expect((await list()).map((row) => row.id)).not.toContain(id);
    await expect(admin(`dead-letters drop ${id}`)).rejects.toMatchObject({ code: 'settled' });
    await expect(admin(`dead-letters replay ${id}`)).rejects.toMatchObject({ code: 'settled' });
    await expect(admin('dead-letters show 999999')).rejects.toMatchObject({ code: 'unknown_message' });
  });

  it('are not replayed if this version cannot decode them either', async () => {
    const id = await sendInvalid(Buffer.from('still no chunk'));
    await expect(admin(`dead-letters replay ${id}`)).rejects.toMatchObject({ code: 'still_undecodable' });
    expect((await list()).map((row) => row.id)).toContain(id);
    await admin(`dead-letters drop ${id}`);
  });

  it('complete their upload when they are replayed, once', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a\n0\n');
    await product.stopWorker();
    const process = await json<ProcessAnswer>(await putFile(owner, dataset, 'a\n1\n2\n'), 201);
    const chunk = await skipChunk(process.id);
    await product.startWorker();
    // As an older worker does with a message in a newer format.
    const id = await storeDeadLetter(chunk);
    expect(JSON.parse(await admin(`dead-letters replay ${id} --json`))).toEqual({
      replayed: id,
      process: process.id,
      chunk: 0,
    });
    expect(await ended(owner, process)).toMatchObject({ status: 'completed', rows: 2 });
    expect(await download(owner, dataset)).toBe('"a"\n1\n2\n');
    await expect(admin(`dead-letters replay ${id}`)).rejects.toMatchObject({ code: 'settled' });

    const altered = await onlyChunk(process.id, '3\n4\n');
    const pending = await holdUpload(kafka, product, owner, await createDataset(owner), 'a\n1\n2\n');
    const forged = await storeDeadLetter(messageOf({ ...altered, processId: pending.process.id }));
    await expect(admin(`dead-letters replay ${forged}`)).rejects.toMatchObject({ code: 'forged_message' });
    await admin(`dead-letters drop ${forged}`);

    const second = await storeDeadLetter(chunk);
    await expect(admin(`dead-letters replay ${second}`)).rejects.toMatchObject({
      code: 'process_ended',
      message: expect.stringContaining('has completed without it'),
    });
    await admin(`dead-letters drop ${second}`);
    expect(await list()).toEqual([]);
  });

  it('are read from their recorded topic, and expire when it is deleted', async () => {
    const former = `${product.config.kafkaPrefix}.moved`;
    const client = clientOf(kafka).admin();
    await client.connect();
    await createTopic(client, former);
    const dataset = await createDataset(owner);
    await product.stopWorker();
    const process = await json<ProcessAnswer>(await putFile(owner, dataset, 'a\n1\n2\n'), 201);
    const chunk = await skipChunk(process.id);
    await product.startWorker();
    const [id, expired] = [await storeDeadLetter(chunk, 'moved'), await storeDeadLetter(chunk, 'moved')];
    expect(JSON.parse(await admin(`dead-letters show ${id} --json`))).toMatchObject({
      copy: `${former}/0/0`,
    });
    await admin(`dead-letters replay ${id}`);
    expect(await ended(owner, process)).toMatchObject({ status: 'completed', rows: 2 });

    await client.deleteTopics({ topics: [former] });
    // The broker learns of it later than the controller that answers.
    await expect.poll(() => client.listTopics()).not.toContain(former);
    await client.disconnect();
    await expect(admin(`dead-letters replay ${expired}`)).rejects.toMatchObject({ code: 'message_expired' });
    await admin(`dead-letters drop ${expired}`);
  });
});

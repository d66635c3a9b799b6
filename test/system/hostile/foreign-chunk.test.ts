/** Messages in a chunk topic that the API did not send. More of them: test/system/hostile/forged-chunks.test.ts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { compressZstd } from '../../../src/lib/zstd.js';
import { decodeChunk } from '../../../src/storage/kafka/chunk-codec.js';
import type { KafkaConnection } from '../../../src/storage/kafka/connection.js';
import {
  chunkKeyOf,
  chunkTopic,
  type HeldUpload,
  holdUpload,
  messageOf,
  sendMessages,
} from '../../support/chunk-messages.js';
import { type Client, createDataset, download, ended, upload } from '../../support/datasets.js';
import { connectKafka } from '../../support/kafka.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;
let kafka: KafkaConnection;
let topic: string;

beforeAll(async () => {
  product = await startProduct({}, silentLog);
  owner = await product.createAccount('owner');
  kafka = connectKafka('foreign-chunk-test');
  topic = chunkTopic(product, 'short');
});

afterAll(() => product?.close());

const chunkOf = ({ messages }: HeldUpload) => {
  const value = messages[0]?.value;
  if (value === undefined || value === null) throw new Error('the upload has no message');
  return decodeChunk(value);
};

it('a forged or undecodable chunk becomes a dead letter, and the upload completes with its own rows', async () => {
  const dataset = await createDataset(owner);
  const held = await holdUpload(kafka, product, owner, dataset, 'a\n1\n2\n');
  const other = { ...chunkOf(held), data: await compressZstd(Buffer.from('8\n9\n')) };
  await sendMessages(kafka, topic, [
    messageOf(other),
    { key: null, value: Buffer.from('no chunk'), headers: {} },
  ]);
  const reasons = async () =>
    (await product.sql.query<{ reason: string }>('SELECT reason FROM dead_letters ORDER BY reason')).map(
      ({ reason }) => reason,
    );
  await expect
    .poll(reasons)
    .toEqual([expect.stringContaining('not one that was sent'), expect.stringContaining('undecodable')]);
  await sendMessages(kafka, topic, held.messages);
  expect(await ended(owner, held.process)).toMatchObject({
    status: 'completed',
    rows: 2,
    progress: { attempt: 1 },
  });
  expect(await download(owner, dataset)).toBe('"a"\n1\n2\n');
});

it('an authentic but unusable chunk fails only its own upload', async () => {
  const dataset = await createDataset(owner);
  const held = await holdUpload(kafka, product, owner, dataset, 'a\n1\n2\n');
  const key = await chunkKeyOf(product, held.process.id);
  await sendMessages(kafka, topic, [messageOf({ ...chunkOf(held), data: Buffer.from('1\n2\n') }, key)]);
  expect(await ended(owner, held.process)).toMatchObject({
    status: 'failed',
    error: { code: 'chunk_unusable' },
  });
  expect(await upload(owner, await createDataset(owner), 'a\n7\n')).toMatchObject({ status: 'completed' });
});

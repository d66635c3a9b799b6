/** Uploads whose client received no answer, and log lines of failed uploads. */
import { once } from 'node:events';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { logOptions } from '../../../src/lib/log.js';
import type { KafkaConnection } from '../../../src/storage/kafka/connection.js';
import { pauseConsuming, resumeConsuming } from '../../../src/uploads/lifecycle/consuming.js';
import { createProcessRecords } from '../../../src/uploads/lifecycle/process-records.js';
import { formEnd, openUpload, partHead } from '../../integration/hostile/raw-upload.js';
import { chunkTopic, holdUpload, sendMessages } from '../../support/chunk-messages.js';
import {
  authorization,
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  putFile,
  upload,
} from '../../support/datasets.js';
import { connectKafka } from '../../support/kafka.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;
let kafka: KafkaConnection;
const lines: string[] = [];

beforeAll(async () => {
  const log = pino(logOptions('test', 'info'), { write: (line: string) => lines.push(line) });
  product = await startProduct({ sweepIntervalMs: '200', receiveTimeoutMs: '60000' }, log);
  owner = await product.createAccount('owner');
  kafka = connectKafka('unanswered-test');
});

afterAll(() => product?.close());

/** Log line of the failed upload. */
const failureOf = async (id: number): Promise<Record<string, unknown>> => {
  const find = () =>
    lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg, process }) => msg === 'upload failed' && process === id);
  await expect.poll(find).toHaveLength(1);
  return find()[0] ?? {};
};

const stateOf = async (id: number) =>
  (
    await product.sql.query<{ status: string; phase: string }>(
      'SELECT status, phase FROM processes WHERE id = $1',
      [id],
    )
  )[0];

/** Creates an upload whose chunk is stored but whose answer is not sent yet. */
const storeUnanswered = async (dataset: number): Promise<ProcessAnswer> => {
  const { process, messages } = await holdUpload(kafka, product, owner, dataset, 'a\n1\n');
  await product.sql.query(
    'UPDATE processes SET awaits_answer = true, sealed_at = NULL, heartbeat_at = now() WHERE id = $1',
    [process.id],
  );
  await sendMessages(kafka, chunkTopic(product, 'short'), messages);
  await expect.poll(() => stateOf(process.id)).toEqual({ status: 'pending', phase: 'ready' });
  return process;
};

describe('an upload whose answer is not sent yet', () => {
  it('is not published, and fails when the process that receives it has died', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a\n0\n');
    const process = await storeUnanswered(dataset);
    // Storing the next upload publishes everything that is due in the dataset.
    const behind = await json<ProcessAnswer>(await putFile(owner, dataset, 'a\n2\n'), 201);
    await expect.poll(() => stateOf(behind.id)).toEqual({ status: 'pending', phase: 'ready' });
    expect(await stateOf(process.id)).toEqual({ status: 'pending', phase: 'ready' });
    expect(await download(owner, dataset)).toBe('"a"\n0\n');
    await product.sql.query(`UPDATE processes SET heartbeat_at = now() - interval '1 hour' WHERE id = $1`, [
      process.id,
    ]);
    expect(await ended(owner, process)).toMatchObject({
      status: 'failed',
      versionId: null,
      error: { code: 'upload_abandoned' },
    });
    expect(await failureOf(process.id)).toMatchObject({ requestId: expect.stringMatching(/^[\w.-]{1,64}$/) });
    expect(await ended(owner, behind)).toMatchObject({ status: 'completed' });
    expect(await download(owner, dataset)).toBe('"a"\n2\n');
  });

  it('is published once it is answered, by any process', async () => {
    const dataset = await createDataset(owner);
    const process = await storeUnanswered(dataset);
    const received = { bytes: 4, sentBytes: 4, expectedBytes: 4, sentChunks: 1 };
    const sealed = await createProcessRecords(product.sql).seal(process.id, received);
    expect(sealed).toMatchObject({ isStored: true, view: { id: process.id, status: 'pending' } });
    expect(await ended(owner, process)).toMatchObject({ status: 'completed', rows: 1 });
  });
});

describe('a client that waits for the outcome and disconnects', () => {
  /** Sends a file with `async=false` while no worker runs, and disconnects once it is received. */
  const sendAndLeave = async (dataset: number, query: string): Promise<number> => {
    await product.stopWorker();
    const body = `${partHead}a\n1\n${formEnd}`;
    const socket = await openUpload(owner, dataset, body.length, `async=false&${query}`);
    socket.write(body);
    const sealed = async () =>
      (
        await product.sql.query<{ id: number }>(
          `SELECT id FROM processes WHERE dataset_id = $1 AND status = 'pending' AND sealed_at IS NOT NULL`,
          [dataset],
        )
      )[0]?.id;
    await expect.poll(sealed).toBeDefined();
    const id = (await sealed()) ?? 0;
    socket.destroy();
    await once(socket, 'close');
    return id;
  };

  it('fails its upload, and nothing is published', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a\n0\n');
    const id = await sendAndLeave(dataset, '');
    await expect.poll(async () => (await stateOf(id))?.status).toBe('failed');
    await product.startWorker();
    expect(await ended(owner, { datasetId: dataset, id } as ProcessAnswer)).toMatchObject({
      error: { code: 'upload_unanswered' },
    });
    expect(await failureOf(id)).toMatchObject({
      code: 'upload_unanswered',
      requestId: expect.stringMatching(/^[\w.-]{1,64}$/),
    });
    expect(await upload(owner, await createDataset(owner), 'a\n1\n')).toMatchObject({ status: 'completed' });
    expect(await download(owner, dataset)).toBe('"a"\n0\n');
  });

  it('has its upload published if it has reserved the id', async () => {
    const dataset = await createDataset(owner);
    const reserved = await json<ProcessAnswer>(
      await call(owner, 'POST', `/datasets/${dataset}/processes`),
      201,
    );
    await sendAndLeave(dataset, `processId=${reserved.id}`);
    await product.startWorker();
    expect(await ended(owner, reserved)).toMatchObject({ id: reserved.id, status: 'completed', rows: 1 });
    expect(await download(owner, dataset)).toBe('"a"\n1\n');
  });
});

describe('the log line of a failed upload', () => {
  afterEach(() => resumeConsuming(product.sql));

  const send = async (dataset: number, requestId: string, content: string): Promise<ProcessAnswer> => {
    const form = new FormData();
    form.set('data', new Blob([content]), 'data.csv');
    const answer = await fetch(`${owner.baseUrl}/datasets/${dataset}/data`, {
      method: 'PUT',
      headers: { ...authorization(owner.key), 'x-request-id': requestId },
      body: form,
    });
    return json<ProcessAnswer>(answer, 201);
  };

  const ways: [code: string, content: string, (process: ProcessAnswer) => Promise<unknown>][] = [
    ['field_count', 'a\n1,2\n', async () => undefined],
    [
      'cancelled',
      'a\n1\n',
      ({ datasetId, id }) => call(owner, 'DELETE', `/datasets/${datasetId}/processes/${id}`),
    ],
    [
      'upload_expired',
      'a\n1\n',
      async ({ id }) => {
        // Otherwise the worker would store the chunk before its sweep finds the upload.
        await pauseConsuming(product.sql, new Date());
        await product.sql.query(
          `UPDATE processes SET created_at = now() - interval '1 year', heartbeat_at = now() - interval '1 year' WHERE id = $1`,
          [id],
        );
      },
    ],
    [
      'other_version',
      'a\n1\n',
      ({ id }) => product.sql.query('UPDATE processes SET expected_version = 1 WHERE id = $1', [id]),
    ],
  ];

  it.each(ways)('(%s) has the request id', async (code, content, cause) => {
    const dataset = await createDataset(owner);
    await product.stopWorker();
    const process = await send(dataset, `request-of-${code}`, content);
    await cause(process);
    await product.startWorker();
    expect(await ended(owner, process)).toMatchObject({ error: { code } });
    const line = await failureOf(process.id);
    expect(line).toMatchObject({ code, requestId: `request-of-${code}` });
    expect(line).not.toHaveProperty('traceId');
  });
});

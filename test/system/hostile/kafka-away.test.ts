import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEmbedded } from '../../../src/embedded/components.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope, type Scope } from '../../../src/lib/scope.js';
import { formEnd, openUpload, partHead } from '../../integration/hostile/raw-upload.js';
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
import { startProduct, type TestProduct } from '../../support/product.js';
import type { KafkaAccess } from '../../support/services.js';

/** Separate broker, which the test may stop. */
let dataDir: string;
let broker: Scope;
let product: TestProduct;
let owner: Client;
let access: KafkaAccess;

const startBroker = async () => {
  broker = createScope(silentLog);
  const need = { postgres: false, kafka: true, clickhouse: false };
  return (await startEmbedded({ dataDir, need, log: silentLog, scope: broker })).access;
};

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tabulary-broker-'));
  access = await startBroker();
  product = await startProduct({ ...access, sendPatienceMs: '1000', backlogProbeMs: '200' }, silentLog);
  owner = await product.createAccount('owner');
});

afterAll(async () => {
  await product?.close();
  await broker?.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Uploads an endless file. @returns the answer and the number of bytes that were read. */
const sendEndless = async (dataset: number) => {
  let taken = 0;
  const block = Buffer.from('0123456789,0123456789\n'.repeat(50_000));
  const head = '--b\r\nContent-Disposition: form-data; name="data"; filename="a.csv"\r\n\r\na,b\n';
  const body = async function* () {
    yield Buffer.from(head);
    for (;;) {
      taken += block.length;
      yield block;
    }
  };
  const answer = await fetch(`${product.baseUrl}/datasets/${dataset}/data`, {
    method: 'PUT',
    headers: { ...authorization(owner.key), 'content-type': 'multipart/form-data; boundary=b' },
    body: ReadableStream.from(body()) as ReadableStream<Uint8Array>,
    duplex: 'half',
  } as RequestInit);
  return { answer, taken };
};

const sendHeadOnly = async (dataset: number): Promise<string> => {
  const { hostname, port, pathname } = new URL(`${product.baseUrl}/datasets/${dataset}/data`);
  const socket = connect(Number(port), hostname);
  socket.write(
    `PUT ${pathname} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization(owner.key).authorization}\r\n` +
      'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n',
  );
  const timer = setTimeout(() => socket.end(), 5_000);
  const [answer] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [unknown];
  clearTimeout(timer);
  socket.destroy();
  return String(answer);
};

it('the API answers 503 while Kafka is down, after it has read a few chunks at most, and recovers with Kafka', async () => {
  const dataset = await createDataset(owner);
  await upload(owner, dataset, 'a,b\n1,2\n');
  await broker.close();

  const { answer, taken } = await sendEndless(dataset);
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await answer.json()).toMatchObject({ code: 'log_unavailable' });
  expect(taken).toBeLessThan(128 * 1024 * 1024);
  await expect.poll(() => sendHeadOnly(dataset)).toContain('503 Service Unavailable');
  expect(await download(owner, dataset)).toBe('"a","b"\n1,2\n');

  await startBroker();
  let process: ProcessAnswer | undefined;
  await expect
    .poll(
      async () => {
        const next = await putFile(owner, dataset, 'a,b\n3,4\n');
        if (next.status === 201) process = await json<ProcessAnswer>(next, 201);
        return next.status;
      },
      { interval: 500 },
    )
    .toBe(201);
  expect(await ended(owner, process as ProcessAnswer)).toMatchObject({ status: 'completed' });
  expect(await download(owner, dataset)).toBe('"a","b"\n3,4\n');
});

it('the API does not publish an upload whose client disconnected before the answer, unless its id was reserved', async () => {
  // Never detects that Kafka is down and keeps sending.
  const patient = await startProduct(
    { ...access, sendPatienceMs: '600000', backlogProbeMs: '3600000' },
    silentLog,
  );
  const client = await patient.createAccount('patient');
  const [plain, reserving] = [await createDataset(client), await createDataset(client)];
  for (const dataset of [plain, reserving]) await upload(client, dataset, 'a\n0\n');
  const reserved = await json<ProcessAnswer>(
    await call(client, 'POST', `/datasets/${reserving}/processes`),
    201,
  );
  await broker.close();

  const body = `${partHead}a\n1\n${formEnd}`;
  const statuses = (dataset: number) =>
    patient.sql.query<{ status: string; code: string | null }>(
      `SELECT status, error ->> 'code' AS code FROM processes WHERE dataset_id = $1 AND layout IS NOT NULL ORDER BY id`,
      [dataset],
    );
  const sendAndDisconnect = async (dataset: number, query: string): Promise<void> => {
    const socket = await openUpload(client, dataset, body.length, query);
    socket.write(body);
    await expect.poll(() => statuses(dataset)).toContainEqual({ status: 'pending', code: null });
    socket.destroy();
  };
  await sendAndDisconnect(plain, '');
  await sendAndDisconnect(reserving, `processId=${reserved.id}`);
  await expect
    .poll(() => statuses(plain))
    .toEqual([
      { status: 'completed', code: null },
      { status: 'failed', code: 'upload_unanswered' },
    ]);

  await startBroker();
  expect(await ended(client, reserved)).toMatchObject({ status: 'completed', rows: 1 });
  expect(await download(client, reserving)).toBe('"a"\n1\n');
  expect(await upload(client, await createDataset(client), 'a\n2\n')).toMatchObject({ status: 'completed' });
  expect(await download(client, plain)).toBe('"a"\n0\n');
  await patient.close();
});

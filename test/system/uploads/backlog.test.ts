import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  authorization,
  type Client,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  putFile,
  upload,
} from '../../support/datasets.js';
import { startFurther } from '../../support/further-process.js';
import { configureChunkTopics } from '../../support/kafka.js';
import { startProduct, type TestProduct } from '../../support/product.js';

/** Per partition. Log segments are larger, so that Kafka does not delete anything here. */
const retentionBytes = 300_000;

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({
    backlogProbeMs: '100',
    // Longer than a worker takes to start, on any machine.
    sendPatienceMs: '600000',
    firstChunkBytes: '20000',
    chunkBytes: '20000',
  });
  owner = await product.createAccount('owner');
  await configureChunkTopics(product.config.kafkaPrefix, { 'retention.bytes': String(retentionBytes) });
});

afterAll(() => product?.close());

/** Text that compresses to three quarters at best. */
const noise = (bytes: number): string => {
  const lines = Array.from({ length: Math.ceil(bytes / 101) }, () => randomBytes(75).toString('base64'));
  return `text\n${lines.join('\n')}\n`;
};

const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(product.baseUrl.replace(/api$/, 'metrics'))).text();
  const line = text.split('\n').find((candidate) => candidate.startsWith(name)) ?? '';
  return Number(line.split(' ').at(-1));
};

/** Sends the headers of an upload without its body. @returns the status line of the answer. */
const sendHeadOnly = async (dataset: number): Promise<string> => {
  const { hostname, port, pathname } = new URL(`${product.baseUrl}/datasets/${dataset}/data`);
  const socket = connect(Number(port), hostname);
  socket.write(
    `PUT ${pathname} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization(owner.key).authorization}\r\n` +
      'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n',
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return answer.toString().split('\r\n')[0] ?? '';
};

describe('uploads beyond the retention limit of Kafka', () => {
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail')
      await configureChunkTopics(product.config.kafkaPrefix, { 'retention.bytes': String(retentionBytes) });
  });

  it('are refused with 503 before their body is read, and accepted ones complete', async () => {
    const dataset = await createDataset(owner);
    const file = noise(15_000);
    await upload(owner, dataset, file);
    await product.stopWorker();

    const accepted: ProcessAnswer[] = [];
    let refused: Response | undefined;
    // Messages sent during a probe count twice until the next probe, so a refusal counts only if it is repeated.
    for (let confirmed = false; !confirmed && accepted.length < 100; ) {
      const answer = await putFile(owner, dataset, file);
      if (answer.status === 201) {
        accepted.push((await answer.json()) as ProcessAnswer);
        refused = undefined;
      } else {
        confirmed = refused !== undefined;
        refused = answer;
        if (!confirmed) await sleep(500);
      }
    }
    expect(refused?.status).toBe(503);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused?.json()).toMatchObject({ code: 'backlog' });
    expect(await sendHeadOnly(dataset)).toContain('503');
    // The backlog is at most half of the retention.
    expect(accepted.length).toBeGreaterThan(10);
    expect(accepted.length * 11_000).toBeLessThan(2 * retentionBytes);
    expect(await metric('tabulary_uploads_refused_total{reason="backlog"}')).toBeGreaterThan(1);

    await product.startWorker();
    for (const process of accepted)
      expect(await ended(owner, process)).toMatchObject({ status: 'completed' });
    await expect.poll(async () => (await putFile(owner, dataset, 'text\n1\n')).status).toBe(201);
  });

  it('pause in the middle and complete after earlier chunks are stored', async () => {
    const dataset = await createDataset(owner);
    const file = noise(2_000_000);
    await product.stopWorker();
    let answered = false;
    const sending = putFile(owner, dataset, file).finally(() => {
      answered = true;
    });
    const bulk = () => metric('tabulary_ingest_backlog_bytes{topic="bulk"}');
    await expect.poll(bulk).toBeGreaterThan(0.75 * retentionBytes);
    expect(await bulk()).toBeLessThan(retentionBytes);
    expect(answered).toBe(false);
    await product.startWorker();
    const process = await ended(owner, await json<ProcessAnswer>(await sending, 201));
    expect(process).toMatchObject({ status: 'completed' });
    expect((await download(owner, dataset)).replaceAll('"', '')).toBe(file);
  });

  it('fail with the code backlog when they were paused for too long', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'text\nold\n');
    await product.stopWorker();
    const hurried = await startFurther(product, 'api', { changes: { sendPatienceMs: 500 } });
    try {
      const hasty = { ...owner, baseUrl: hurried.baseUrl };
      const answer = await putFile(hasty, dataset, noise(2_000_000));
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({ code: 'backlog' });
    } finally {
      await hurried.stop();
    }
    const [row] = await product.sql.query<{ status: string; code: string }>(
      `SELECT status, error ->> 'code' AS code FROM processes WHERE dataset_id = $1 ORDER BY id DESC LIMIT 1`,
      [dataset],
    );
    expect(row).toEqual({ status: 'failed', code: 'backlog' });
    await product.startWorker();
    expect(await download(owner, dataset)).toBe('"text"\n"old"\n');
  });

  it('are refused when the oldest pending upload is too old', async () => {
    const dataset = await createDataset(owner);
    const status = async () => (await putFile(owner, dataset, 'text\n3\n')).status;
    // Waits until the worker has dropped the messages of the previous test.
    await expect.poll(status, { interval: 300 }).toBe(201);
    await product.stopWorker();
    expect(await status()).toBe(201);
    await configureChunkTopics(product.config.kafkaPrefix, { 'retention.ms': '2000' });
    await expect.poll(status, { interval: 300 }).toBe(503);
    await configureChunkTopics(product.config.kafkaPrefix, { 'retention.ms': '3600000' });
    await expect.poll(status, { interval: 300 }).toBe(201);
  });
});

describe('uploads beyond MAX_BACKLOG_SECONDS', () => {
  let impatient: TestProduct;
  beforeAll(async () => {
    impatient = await startProduct({ backlogProbeMs: '100', maxBacklogSeconds: '2' });
  });
  afterAll(() => impatient?.close());

  it('are refused while no worker processes the backlog, and accepted again afterwards', async () => {
    const caller: Client = {
      baseUrl: impatient.baseUrl,
      key: (await impatient.createAccount('impatient')).key,
    };
    const dataset = await createDataset(caller);
    await impatient.stopWorker();
    const accepted: ProcessAnswer[] = [];
    let refused: Response | undefined;
    while (refused === undefined && accepted.length < 500) {
      const answer = await putFile(caller, dataset, 'text\n1\n');
      if (answer.status === 201) accepted.push((await answer.json()) as ProcessAnswer);
      else refused = answer;
      await sleep(50);
    }
    expect(refused?.status).toBe(503);
    expect(await refused?.json()).toMatchObject({ code: 'backlog' });
    expect(refused?.headers.get('retry-after')).toBe('30');
    await impatient.startWorker();
    for (const process of accepted)
      expect(await ended(caller, process)).toMatchObject({ status: 'completed' });
    await expect.poll(async () => (await putFile(caller, dataset, 'text\n2\n')).status).toBe(201);
  });
});

/** Process ids reserved before the upload, and progress of a running upload. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  authorization,
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { answerOf, formEnd, openUpload, partHead } from '../hostile/raw-upload.js';

type Process = ProcessAnswer & {
  readonly mode: string | null;
  readonly expiresAt: string | null;
  readonly progress: { received: number; expected: number | null; percent: number | null; sent: number };
};

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({
    progressIntervalMs: '100',
    sweepIntervalMs: '200',
    reservationsPerAccount: '3',
    firstChunkBytes: '1024',
    chunkBytes: '4096',
  });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

const reserve = async (client: Client, dataset: number): Promise<Process> =>
  json<Process>(await call(client, 'POST', `/datasets/${dataset}/processes`), 201);

const fill = (client: Client, dataset: number, query: string, content: string): Promise<Response> => {
  const form = new FormData();
  form.set('data', new Blob([content]), 'data.csv');
  return fetch(`${client.baseUrl}/datasets/${dataset}/data?${query}`, {
    method: 'PUT',
    headers: authorization(client.key),
    body: form,
  });
};

const read = async (dataset: number, id: number): Promise<Process> =>
  json<Process>(await call(owner, 'GET', `/datasets/${dataset}/processes/${id}`));

const refusal = async (answer: Promise<Response>): Promise<[number, string]> => {
  const response = await answer;
  return [response.status, ((await response.json()) as { code: string }).code];
};

describe('a reserved process', () => {
  it('can be read at once, and keeps its id when an upload fills it', async () => {
    const dataset = await createDataset(owner);
    const answer = await call(owner, 'POST', `/datasets/${dataset}/processes`);
    const reserved = await json<Process>(answer, 201);
    expect(answer.headers.get('location')).toBe(
      `${owner.baseUrl}/datasets/${dataset}/processes/${reserved.id}`,
    );
    expect(reserved).toMatchObject({
      status: 'pending',
      mode: null,
      expiresAt: expect.any(String),
      progress: { received: 0, percent: 0, sent: 0 },
    });
    const filled = await json<Process>(
      await fill(owner, dataset, `processId=${reserved.id}&mode=append`, 'a\n1\n'),
      201,
    );
    expect(filled).toMatchObject({ id: reserved.id, mode: 'append', expiresAt: null });
    expect(await ended(owner, filled)).toMatchObject({
      id: reserved.id,
      status: 'completed',
      rows: 1,
      progress: { percent: 100 },
    });
    const versions = await json<{ processId: number }[]>(
      await call(owner, 'GET', `/datasets/${dataset}/versions`),
    );
    expect(versions.map(({ processId }) => processId)).toEqual([reserved.id]);
    const listed = await json<Process[]>(await call(owner, 'GET', `/datasets/${dataset}/processes`));
    expect(listed.map(({ id }) => id)).toEqual([reserved.id]);
  });

  it('blocks no other upload; uploads are ordered as they were received', async () => {
    const dataset = await createDataset(owner);
    const first = await reserve(owner, dataset);
    const second = await reserve(owner, dataset);
    const send = async (query: string, content: string): Promise<void> => {
      const answer = await json<Process>(await fill(owner, dataset, query, content), 201);
      expect((await ended(owner, answer)).status).toBe('completed');
    };
    await send('mode=append', 'a\n1\n');
    await send(`mode=append&processId=${second.id}`, 'a\n2\n');
    await send('mode=append', 'a\n3\n');
    await send(`mode=append&processId=${first.id}`, 'a\n4\n');
    expect(await download(owner, dataset)).toBe('"a"\n1\n2\n3\n4\n');
  });

  it('is refused before the file is read when it cannot be filled', async () => {
    const dataset = await createDataset(owner);
    const elsewhere = await createDataset(owner);
    const friend = { ...owner, key: (await product.createAccount('friend')).key };
    const shared = await json<{ repositoryId: number }>(await call(owner, 'GET', `/datasets/${dataset}`));
    const grant = await call(owner, 'PUT', `/repositories/${shared.repositoryId}/permissions/friend`, {
      level: 'Write',
    });
    expect(grant.ok).toBe(true);
    const mine = await reserve(owner, dataset);
    const tries = (id: number | string, at = dataset, client = owner) =>
      refusal(fill(client, at, `processId=${id}`, 'a\n1\n'));
    expect(await tries(mine.id, elsewhere)).toEqual([404, 'process_not_found']);
    expect(await tries(mine.id + 1000)).toEqual([404, 'process_not_found']);
    const beyond = await fill(owner, dataset, 'processId=99999999999999999999', 'a\n1\n');
    expect((await json<{ error: string }>(beyond, 404)).error).toBe(
      'The dataset has no process 99999999999999999999.',
    );
    expect(await tries(mine.id, dataset, friend)).toEqual([403, 'process_of_other_account']);
    expect((await fill(owner, dataset, 'processId=first', 'a\n1\n')).status).toBe(400);
    await ended(
      owner,
      await json<Process>(await fill(owner, dataset, `processId=${mine.id}`, 'a\n1\n'), 201),
    );
    expect(await tries(mine.id)).toEqual([409, 'process_used']);
    const cancelled = await reserve(owner, dataset);
    expect(
      await json(await call(owner, 'DELETE', `/datasets/${dataset}/processes/${cancelled.id}`)),
    ).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
    expect(await tries(cancelled.id)).toEqual([409, 'process_used']);
    // The body of a gigabyte is not read.
    const socket = await openUpload(owner, dataset, 1e9, `processId=${mine.id}`);
    expect(await answerOf(socket)).toMatch(/^HTTP\/1.1 409 /);
  });

  it('fails with the file that fills it, and says why', async () => {
    const dataset = await createDataset(owner);
    const { id } = await reserve(owner, dataset);
    expect(await refusal(fill(owner, dataset, `processId=${id}`, 'a,a\n1,2\n'))).toEqual([
      400,
      'duplicate_column_name',
    ]);
    expect(await read(dataset, id)).toMatchObject({
      status: 'failed',
      error: { code: 'duplicate_column_name' },
    });
  });

  it('stays open when the options are refused', async () => {
    const dataset = await createDataset(owner);
    const { id } = await reserve(owner, dataset);
    expect((await fill(owner, dataset, `processId=${id}&mode=sideways`, 'a\n1\n')).status).toBe(400);
    const answer = await json<Process>(await fill(owner, dataset, `processId=${id}`, 'a\n1\n'), 201);
    expect((await ended(owner, answer)).status).toBe('completed');
  });

  it('expires, and is deleted by a sweep after a day', async () => {
    const dataset = await createDataset(owner);
    const { id } = await reserve(owner, dataset);
    const late = (age: string) =>
      product.sql.query(`UPDATE processes SET expires_at = now() - $2::interval WHERE id = $1`, [id, age]);
    await product.stopWorker();
    await late('1 second');
    expect(await refusal(fill(owner, dataset, `processId=${id}`, 'a\n1\n'))).toEqual([
      409,
      'reservation_expired',
    ]);
    await product.startWorker();
    await expect.poll(async () => (await read(dataset, id)).error?.code).toBe('reservation_expired');
    await late('25 hours');
    const path = `/datasets/${dataset}/processes/${id}`;
    await expect.poll(async () => (await call(owner, 'GET', path)).status).toBe(404);
  });

  it('is limited in number per account', async () => {
    const dataset = await createDataset(owner);
    const many = { ...owner, key: (await product.createAccount('many')).key };
    const home = await json<{ id: number }>(await call(many, 'GET', '/repositories/home'));
    const { id } = await json<{ id: number }>(
      await call(many, 'POST', '/datasets', { name: 'many', repositoryId: home.id }),
      201,
    );
    const path = `/datasets/${id}/processes`;
    const answers = await Promise.all(Array.from({ length: 6 }, () => call(many, 'POST', path)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    const [taken] = await json<Process[]>(await call(many, 'GET', path));
    await call(many, 'DELETE', `${path}/${taken?.id}`);
    expect((await call(many, 'POST', path)).status).toBe(201);
    expect((await reserve(owner, dataset)).status).toBe('pending');
  });
});

describe('the progress of a process', () => {
  it('shows bytes, chunks and percent while the file is received, also in the events', async () => {
    const dataset = await createDataset(owner);
    const { id } = await reserve(owner, dataset);
    const followed = await call(owner, 'GET', `/datasets/${dataset}/processes/${id}/events`);
    let events = '';
    const reading = (async () => {
      for await (const text of followed.body?.pipeThrough(new TextDecoderStream()) ?? []) events += text;
    })();
    const percents = (): number[] =>
      [...events.matchAll(/^event: .*\ndata: (.*)\n\n/gm)].map(
        ([, data = '']) => (JSON.parse(data) as Process).progress.percent ?? -1,
      );
    const rows = Array.from({ length: 2000 }, (_, row) => `${row},${row % 7}`);
    const body = Buffer.from(`${partHead}a,b\n${rows.join('\n')}\n${formEnd}`);
    const socket = await openUpload(owner, dataset, body.length, `processId=${id}`);
    // Progress is reported even before the first chunk.
    socket.write(body.subarray(0, 600));
    await expect.poll(async () => (await read(dataset, id)).progress.received).toBe(600);
    expect((await read(dataset, id)).progress).toMatchObject({
      expected: body.length,
      chunks: null,
      sent: 0,
    });
    const half = body.length >> 1;
    socket.write(body.subarray(600, half));
    await expect.poll(async () => (await read(dataset, id)).progress.received).toBe(half);
    await expect.poll(async () => (await read(dataset, id)).progress.sent).toBeGreaterThan(0);
    const { progress } = await read(dataset, id);
    expect(progress.percent).toBeGreaterThan(20);
    expect(progress.percent).toBeLessThan(60);
    await expect.poll(() => percents().some((percent) => percent > 0 && percent < 100)).toBe(true);
    socket.write(body.subarray(half));
    await once(socket, 'data');
    socket.destroy();
    const answer = await read(dataset, id);
    const done = await ended(owner, answer);
    expect(done.progress).toMatchObject({
      received: body.length,
      expected: body.length,
      percent: 100,
      rows: 2000,
    });
    await reading;
    const reported = percents();
    expect(reported).toEqual([...reported].sort((a, b) => a - b));
    expect(reported.at(0)).toBe(0);
    expect(reported.at(-1)).toBe(100);
    expect(new Set(reported).size).toBeGreaterThan(2);
  });

  it('has no percent for a body of unknown length until it is received', async () => {
    const dataset = await createDataset(owner);
    const parts = [partHead, 'a\n1\n', formEnd].map((text) => Buffer.from(text));
    const answer = await fetch(`${owner.baseUrl}/datasets/${dataset}/data?async=false`, {
      method: 'PUT',
      headers: { ...authorization(owner.key), 'content-type': 'multipart/form-data; boundary=raw-81c2' },
      body: new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      }),
      duplex: 'half',
    } as RequestInit);
    expect((await json<Process>(answer, 201)).progress).toMatchObject({
      received: Buffer.concat(parts).length,
      expected: null,
      percent: 100,
    });
  });
});

it('an upload to a dataset that is deleted before its header was read is 404', async () => {
  const dataset = await createDataset(owner);
  const { id } = await reserve(owner, dataset);
  const body = `${partHead}a,b\n1,2\n${formEnd}`;
  const socket = await openUpload(owner, dataset, body.length, `processId=${id}`);
  socket.write(body.slice(0, partHead.length + 2));
  const phase = async () =>
    (await product.sql.query<{ phase: string }>('SELECT phase FROM processes WHERE id = $1', [id]))[0]?.phase;
  await expect.poll(phase).toBe('receive');
  expect((await call(owner, 'DELETE', `/datasets/${dataset}`)).status).toBe(204);
  socket.write(body.slice(partHead.length + 2));
  const answer = await answerOf(socket);
  expect(answer).toContain('HTTP/1.1 404 ');
  expect(answer).toContain('"dataset_gone"');
});

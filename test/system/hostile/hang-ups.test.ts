import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, formEnd, openUpload, partHead } from '../../integration/hostile/raw-upload.js';
import { type Client, call, createDataset, download, readDataset, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

/** Patient, since a slow machine sends slowly. */
const settings = {
  poolMaxRows: '0',
  firstChunkBytes: '1024',
  chunkBytes: '4096',
  maxUploadsInFlight: '4',
  uploadIdleMs: '30000',
  sweepIntervalMs: '300',
};
let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct(settings);
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

const rows = Array.from({ length: 2_000 }, (_, row) => `${row},text ${row}`).join('\n');
const file = `a,b\n${rows}\n`;
const body = `${partHead}${file}${formEnd}`;

const stages: [name: string, bytes: number][] = [
  ['before the file part', 10],
  ['within the head of the file part', partHead.length - 20],
  ['at the first byte of the file', partHead.length],
  ['within the header record', partHead.length + 2],
  ['within the first chunk', partHead.length + 300],
  ['between two chunks', partHead.length + 9_000],
  ['before the closing boundary', partHead.length + file.length],
  ['within the closing boundary', body.length - 6],
];

const statuses = async (
  dataset: number,
  of: TestProduct = product,
): Promise<{ status: string; code: string | null }[]> =>
  of.sql.query(`SELECT status, error->>'code' AS code FROM processes WHERE dataset_id = $1 ORDER BY id`, [
    dataset,
  ]);

const hangUp = async (dataset: number, bytes: number): Promise<void> => {
  const socket = await openUpload(owner, dataset, body.length);
  socket.write(body.slice(0, bytes));
  await sleep(60);
  socket.destroy();
};

describe('a client that hangs up', () => {
  it.each(stages)('%s leaves the dataset unchanged and no upload pending', async (_name, bytes) => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a,b\n1,before\n');
    await hangUp(dataset, bytes);
    // The upload may have begun, may begin only now, or not at all.
    const isOver = ([first, ...others]: Awaited<ReturnType<typeof statuses>>): boolean =>
      first?.status === 'completed' &&
      others.length <= 1 &&
      others.every(({ status, code }) => status === 'failed' && code === 'upload_cut');
    await expect.poll(() => statuses(dataset)).toSatisfy(isOver);
    expect(await download(owner, dataset)).toBe('"a","b"\n1,"before"\n');
    expect(await readDataset(owner, dataset)).toMatchObject({ rowCount: 1 });
  });

  it('64 times leaves the permits to other clients', async () => {
    const dataset = await createDataset(owner);
    await Promise.all(
      Array.from({ length: 64 }, (_, turn) => hangUp(dataset, stages[turn % stages.length]?.[1] ?? 0)),
    );
    expect(await upload(owner, dataset, file)).toMatchObject({ status: 'completed', rows: 2_000 });
  });

  it('leaves no rows', async () => {
    const dataset = await createDataset(owner);
    const socket = await openUpload(owner, dataset, body.length);
    socket.write(body.slice(0, partHead.length + 20_000));
    await expect.poll(async () => (await statuses(dataset)).length).toBe(1);
    socket.destroy();
    const [row] = await product.sql.query<{ storeId: number }>(
      'SELECT store_id AS "storeId" FROM datasets WHERE id = $1',
      [dataset],
    );
    const count = () =>
      product.clickhouse(
        `SELECT sum(rows) FROM system.parts WHERE active AND database = '${product.config.clickhouseDatabase}'
         AND table = 's${row?.storeId}'`,
      );
    await expect.poll(async () => (await statuses(dataset))[0]?.status).toBe('failed');
    await expect.poll(count).toBe('0\n');
  });
});

describe('a slow client', () => {
  let impatient: TestProduct;
  let sender: Client;

  beforeAll(async () => {
    impatient = await startProduct({ ...settings, uploadIdleMs: '1500' });
    sender = await impatient.createAccount('sender');
  });
  afterAll(() => impatient?.close());

  const silences = stages.filter(([name]) => !name.startsWith('before the closing'));

  it.each(silences)('that stops sending %s gets an error, and nothing is stored', async (_name, bytes) => {
    const dataset = await createDataset(sender);
    const socket = await openUpload(sender, dataset, body.length);
    socket.write(body.slice(0, bytes));
    const answer = await answerOf(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('upload_idle');
    await expect
      .poll(async () => (await statuses(dataset, impatient)).map(({ status }) => status))
      .not.toContain('pending');
    expect(await readDataset(sender, dataset)).toMatchObject({ currentVersionId: null });
  });

  it('that stops sending releases its permit', async () => {
    const dataset = await createDataset(sender);
    const silent = await Promise.all(
      Array.from({ length: 8 }, () => openUpload(sender, dataset, body.length)),
    );
    expect(await upload(sender, dataset, file)).toMatchObject({ status: 'completed' });
    for (const socket of silent) socket.destroy();
  });
});

describe('a client that sends a byte at a time', () => {
  it('is served, and so are others', async () => {
    const dataset = await createDataset(owner);
    const small = `${partHead}a,b\n1,x\n${formEnd}`;
    const socket = await openUpload(owner, dataset, small.length);
    const answered = answerOf(socket);
    const quick = createDataset(owner).then((other) => upload(owner, other, file));
    for (const character of small) {
      socket.write(character);
      await sleep(15);
    }
    expect(await quick).toMatchObject({ status: 'completed' });
    expect(await answered).toMatch(/^HTTP\/1\.1 201 /);
    await expect.poll(async () => (await statuses(dataset))[0]?.status).toBe('completed');
    socket.end();
    expect(await download(owner, dataset)).toBe('"a","b"\n1,"x"\n');
  });
});

describe('a dataset that is deleted during its upload', () => {
  it('ends the upload with a 404 and leaves no table', async () => {
    const dataset = await createDataset(owner);
    const [row] = await product.sql.query<{ storeId: number }>(
      'SELECT store_id AS "storeId" FROM datasets WHERE id = $1',
      [dataset],
    );
    const socket = await openUpload(owner, dataset, body.length);
    const answered = answerOf(socket);
    socket.write(body.slice(0, partHead.length + 12_000));
    await expect.poll(async () => (await statuses(dataset)).length).toBe(1);
    expect((await call(owner, 'DELETE', `/datasets/${dataset}`)).status).toBeLessThan(300);
    socket.write(body.slice(partHead.length + 12_000));
    expect(await answered).toMatch(/^HTTP\/1\.1 404 /);
    const tables = () =>
      product.clickhouse(
        `SELECT count() FROM system.tables WHERE database = '${product.config.clickhouseDatabase}'
         AND name = 's${row?.storeId}'`,
      );
    await expect.poll(tables).toBe('0\n');
  });
});

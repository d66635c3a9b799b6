/** Short appends to a dataset with its own table are stored there directly, in batches. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  readDataset,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { type Options, putWith, uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({
    poolMaxRows: '40',
    kafkaPartitions: '2',
    compactionMinSegments: '0',
    patchFoldMinPercent: '0',
  });
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('ada')).key };
});

afterAll(() => product?.close());

const day = (at: number): string => new Date(Date.UTC(2024, 0, 1 + at)).toISOString().slice(0, 10);
const range = (first: number, count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(first + at)).join('');
const rowsFrom = (first: number, count: number): string =>
  `day,k,v\n${range(first, count, (at) => `${day(at)},key ${at},${at}.25\n`)}`;
const shown = (count: number): string =>
  `"day","k","v"\n${range(0, count, (at) => `"${day(at)}","key ${at}",${at}.25\n`)}`;

/** Creates a dataset of 50 rows, too large for a pool. */
const largeDataset = async (): Promise<number> => {
  const dataset = await createDataset(owner);
  await uploadWith(owner, dataset, rowsFrom(0, 50), {});
  return dataset;
};

const tableOfDataset = async (dataset: number): Promise<string> => {
  const [row] = await product.sql.query<{ id: number }>('SELECT store_id AS id FROM datasets WHERE id = $1', [
    dataset,
  ]);
  return `${product.config.clickhouseDatabase}.s${row?.id}`;
};

const send = async (dataset: number, content: string, options: Options = {}): Promise<ProcessAnswer> =>
  json<ProcessAnswer>(await putWith(owner, dataset, content, { mode: 'append', ...options }), 201);

const allEnded = (sent: readonly ProcessAnswer[]): Promise<ProcessAnswer[]> =>
  Promise.all(sent.map((process) => ended(owner, process)));

interface Stored {
  readonly attempt: number;
  readonly inBatch: boolean;
  /** True: in the dataset's own table. */
  readonly own: boolean;
}

const storedAs = async ({ id }: ProcessAnswer): Promise<Stored | undefined> => {
  const [row] = await product.sql.query<Stored>(
    `SELECT p.attempt, p.in_batch AS "inBatch", g.slot_map_id IS NULL AS own FROM processes p
     JOIN segment_ranges r ON r.from_version = p.version_id JOIN segments g ON g.id = r.segment_id WHERE p.id = $1`,
    [id],
  );
  return row;
};

const direct = { attempt: 1, inBatch: true, own: true };

describe('appends to a dataset with its own table', () => {
  it('are stored in its table in batches and published in batches', async () => {
    const dataset = await largeDataset();
    await product.stopWorker();
    const sent: ProcessAnswer[] = [];
    for (let at = 0; at < 12; at += 1) sent.push(await send(dataset, rowsFrom(50 + at * 3, 3)));
    await product.startWorker();
    const outcomes = await allEnded(sent);
    expect(outcomes.map(({ status }) => status)).toEqual(sent.map(() => 'completed'));
    for (const process of sent) expect(await storedAs(process)).toEqual(direct);
    expect(await download(owner, dataset)).toBe(shown(86));
    expect(await download(owner, dataset, `?versionId=${outcomes[4]?.versionId}`)).toBe(shown(65));
    expect(await readDataset(owner, dataset)).toMatchObject({ minDate: day(0), maxDate: day(85) });
    const [row] = await product.sql.query<{ count: number }>(
      'SELECT count(DISTINCT v.xmin::text)::int AS count FROM versions v WHERE v.id = ANY ($1)',
      [outcomes.map(({ versionId }) => versionId)],
    );
    expect(row?.count).toBeLessThan(sent.length);
  });

  it('may add columns, omit columns, have rejected rows or have no rows', async () => {
    const dataset = await largeDataset();
    await product.stopWorker();
    const sent = [
      await send(dataset, `k,w\nkey 50,"a ""new"" one"\n`),
      await send(
        dataset,
        `day,k,v\n${day(51)},key 51,51.25\ntoo,many,fields,here\n${day(52)},key 52,52.25\n`,
        {
          onBadRow: 'quarantine',
        },
      ),
      await send(dataset, 'day,k,v\n'),
      await send(dataset, rowsFrom(53, 1)),
    ];
    await product.startWorker();
    expect((await allEnded(sent)).map(({ status, rows }) => [status, rows])).toEqual([
      ['completed', 1],
      ['completed', 2],
      ['completed', 0],
      ['completed', 1],
    ]);
    const before = shown(50).replace('"v"\n', '"v","w"\n').replaceAll('.25\n', '.25,\n');
    const own = [51, 52, 53].map((at) => `"${day(at)}","key ${at}",${at}.25,\n`).join('');
    expect(await download(owner, dataset)).toBe(`${before},"key 50",,"a ""new"" one"\n${own}`);
  });

  it('with values that do not fit their columns are retried and published in order', async () => {
    const dataset = await largeDataset();
    await product.stopWorker();
    const wider = await send(dataset, `day,k,v\n${day(50)},key 50,12345678901234567890.5\n`);
    const plain = await send(dataset, rowsFrom(51, 1));
    await product.startWorker();
    expect((await allEnded([wider, plain])).map(({ status }) => status)).toEqual(['completed', 'completed']);
    const [first = '', ...rest] = (await download(owner, dataset)).trimEnd().split('\n').reverse();
    expect(first).toBe(`"${day(51)}","key 51",51.25`);
    expect(rest[0]).toBe(`"${day(50)}","key 50",12345678901234567890.5`);
    expect(rest).toHaveLength(52);
  });

  it('of a worker that died are stored once, even if its rows arrive late', async () => {
    const dataset = await largeDataset();
    const table = await tableOfDataset(dataset);
    await product.stopWorker();
    const marked = await send(dataset, rowsFrom(50, 2));
    const fresh = await send(dataset, rowsFrom(52, 2));
    await product.sql.query('UPDATE processes SET in_batch = true WHERE id = $1', [marked.id]);
    const rowsOfFirst = `INSERT INTO ${table} (_seg, _row) SELECT ${marked.id * 1000 + 1}, number FROM numbers(2)`;
    await product.clickhouse(rowsOfFirst);
    await product.startWorker();
    for (const process of await allEnded([marked, fresh]))
      expect(process).toMatchObject({ status: 'completed', rows: 2 });
    expect(await storedAs(marked)).toEqual({ ...direct, attempt: 2 });
    expect(await storedAs(fresh)).toEqual(direct);
    await product.clickhouse(rowsOfFirst);
    expect(await download(owner, dataset)).toBe(shown(54));
  });

  it('in a batch with one that ClickHouse rejects complete, and only that one fails', async () => {
    const dataset = await largeDataset();
    const [column] = await product.sql.query<{ id: number }>(
      `SELECT id FROM columns WHERE dataset_id = $1 AND name = 'k'`,
      [dataset],
    );
    await product.clickhouse(
      `ALTER TABLE ${await tableOfDataset(dataset)} ADD CONSTRAINT refused CHECK c${column?.id}_s != 'refused'`,
    );
    await product.stopWorker();
    const sent = [
      await send(dataset, rowsFrom(50, 2)),
      await send(dataset, `day,k,v\n${day(99)},refused,1.5\n`),
      await send(dataset, rowsFrom(52, 2)),
    ];
    await product.startWorker();
    const outcomes = await allEnded(sent);
    expect(outcomes.map(({ status, error }) => error?.code ?? status)).toEqual([
      'completed',
      'store_refused',
      'completed',
    ]);
    expect(await download(owner, dataset)).toBe(shown(54));
  });

  it('change nothing as a dry run, and are stored in the pool if the version is', async () => {
    const dataset = await largeDataset();
    const rehearsal = await send(dataset, rowsFrom(50, 2), { dryRun: 'true' });
    expect(await ended(owner, rehearsal)).toMatchObject({ status: 'completed' });
    expect(await download(owner, dataset)).toBe(shown(50));
    await uploadWith(owner, dataset, rowsFrom(0, 5), {});
    const appended = await send(dataset, rowsFrom(5, 2));
    expect(await ended(owner, appended)).toMatchObject({ status: 'completed' });
    expect(await storedAs(appended)).toEqual({ ...direct, own: false });
    expect(await download(owner, dataset)).toBe(shown(7));
  });
});

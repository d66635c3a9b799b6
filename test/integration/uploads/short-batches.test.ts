/** Uploads stored in batches are complete, whatever happened to an earlier batch. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  putFile,
  readDataset,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({ kafkaPartitions: '2' });
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('owner')).key };
});

afterAll(() => product?.close());

const put = async (dataset: number, file: string): Promise<ProcessAnswer> =>
  json<ProcessAnswer>(await putFile(owner, dataset, file), 201);

const fileOf = (number: number): string =>
  `date,name,value\n2024-01-0${number},n${number},${number}.5\n2024-01-09,,\n`;

const shown = (number: number): string =>
  `"date","name","value"\n"2024-01-0${number}","n${number}",${number}.5\n"2024-01-09",,\n`;

interface State {
  readonly attempt: number;
  readonly inBatch: boolean;
}

const stateOf = async ({ id }: ProcessAnswer): Promise<State | undefined> => {
  const [row] = await product.sql.query<State>(
    'SELECT attempt, in_batch AS "inBatch" FROM processes WHERE id = $1',
    [id],
  );
  return row;
};

describe('queued short uploads', () => {
  it('are stored together, whether valid, invalid, empty or in need of another attempt', async () => {
    const datasets = await Promise.all(Array.from({ length: 9 }, () => createDataset(owner)));
    await product.stopWorker();
    const sent: ProcessAnswer[] = [];
    for (let at = 0; at < 6; at += 1) sent.push(await put(datasets[at] ?? 0, fileOf(at + 1)));
    // Two uploads to the same dataset: the first is published before the second.
    sent.push(await put(datasets[0] ?? 0, fileOf(7)));
    sent.push(await put(datasets[6] ?? 0, 'a,b\n1,2\n3\n'));
    sent.push(await put(datasets[7] ?? 0, 'a,b\n'));
    sent.push(await put(datasets[8] ?? 0, `a,b\n${'1,2\n'.repeat(20)}1,text\n`));
    await product.startWorker();
    const outcomes = await Promise.all(sent.map((process) => ended(owner, process)));
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array(7).fill('completed'),
      'failed',
      'completed',
      'completed',
    ]);
    expect(await download(owner, datasets[0] ?? 0)).toBe(shown(7));
    for (let at = 1; at < 6; at += 1) expect(await download(owner, datasets[at] ?? 0)).toBe(shown(at + 1));
    expect(await download(owner, datasets[7] ?? 0)).toBe('"a","b"\n');
    expect((await download(owner, datasets[8] ?? 0)).split('\n')).toHaveLength(23);
    expect(await stateOf(sent[0] as ProcessAnswer)).toEqual({ attempt: 1, inBatch: true });
    expect(await readDataset(owner, datasets[1] ?? 0)).toMatchObject({
      minDate: '2024-01-02',
      maxDate: '2024-01-09',
      frequency: 'Weekly',
    });
  });

  it('whose worker died are stored once, even if its rows arrive late', async () => {
    const [alone = 0, batched = 0] = await Promise.all([createDataset(owner), createDataset(owner)]);
    await product.stopWorker();
    const marked = await put(alone, fileOf(1));
    const fresh = await put(batched, fileOf(2));
    // As after a worker died between the insert and its record.
    await product.sql.query('UPDATE processes SET in_batch = true WHERE id = $1', [marked.id]);
    const rowsOfFirst = `INSERT INTO ${product.config.clickhouseDatabase}.pool_narrow (_seg, _row)
      SELECT ${marked.id * 1000 + 1}, number FROM numbers(2)`;
    await product.clickhouse(rowsOfFirst);
    await product.startWorker();
    for (const process of [marked, fresh])
      expect(await ended(owner, process)).toMatchObject({ status: 'completed', rows: 2 });
    expect(await stateOf(marked)).toEqual({ attempt: 2, inBatch: true });
    expect(await stateOf(fresh)).toEqual({ attempt: 1, inBatch: true });
    await product.clickhouse(rowsOfFirst);
    expect(await download(owner, alone)).toBe(shown(1));
    expect(await download(owner, batched)).toBe(shown(2));
  });

  it('become visible with fewer inserts than uploads', async () => {
    const datasets = await Promise.all(Array.from({ length: 12 }, () => createDataset(owner)));
    await product.stopWorker();
    const sent: ProcessAnswer[] = [];
    for (const dataset of datasets) sent.push(await put(dataset, fileOf(3)));
    const ofPool = (what: string): Promise<string> =>
      product.clickhouse(
        `SELECT ${what} FROM system.parts WHERE database = '${product.config.clickhouseDatabase}' AND table = 'pool_narrow'`,
      );
    const last = Number(await ofPool('max(max_block_number)'));
    await product.startWorker();
    for (const process of sent) expect(await ended(owner, process)).toMatchObject({ status: 'completed' });
    const parts = Number(await ofPool(`countIf(level = 0 AND min_block_number > ${last})`));
    expect(parts).toBeGreaterThan(0);
    expect(parts).toBeLessThan(sent.length);
  });
});

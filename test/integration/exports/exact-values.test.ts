/** CSV, Parquet, read links and the TypeScript client return the shared table of values unchanged. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, dataOf, uploadFile } from '../../../clients/typescript/src/client.js';
import { call, createDataset, upload } from '../../support/datasets.js';
import { comparable, exactColumns, exactCsv, exactRows } from '../../support/exact-values.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { makeReadLink } from '../../support/read-links.js';

let product: TestProduct;
let client: { readonly baseUrl: string; readonly key: string };
let dataset: number;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exact-values-'));
  product = await startProduct();
  client = await product.createAccount('exact');
  dataset = await createDataset(client);
  expect(await upload(client, dataset, exactCsv)).toMatchObject({ status: 'completed', rejectedRows: 0 });
});
afterAll(async () => {
  await product?.close();
  await rm(folder, { recursive: true, force: true });
});

type Cell = string | null;

const expected = comparable(exactRows);

/** Reorders the columns of a protocol like the shared table. */
const inOrder = (header: readonly string[], rows: readonly (readonly Cell[])[]): Cell[][] => {
  expect([...header].sort()).toEqual([...exactColumns].sort());
  return rows.map((row) => exactColumns.map((name) => row[header.indexOf(name)] ?? null));
};

const ofCsv = async (answer: Response | Promise<Response>): Promise<Cell[][]> => {
  const [header = [], ...rows] = parse(await (await answer).text(), {
    cast: (text, { quoting }) => (text === '' && !quoting ? null : text),
  }) as string[][];
  return comparable(inOrder(header, rows));
};

const ofJson = (rows: readonly Readonly<Record<string, Cell>>[]): Cell[][] =>
  comparable(rows.map((row) => exactColumns.map((name) => row[name] ?? null)));

const ofParquet = async (answer: Response): Promise<Cell[][]> => {
  const path = join(folder, 'table.parquet');
  await writeFile(path, Buffer.from(await answer.arrayBuffer()));
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const texts = exactColumns.map((name) => `CAST("${name}" AS VARCHAR)`).join(', ');
  const reader = await connection.runAndReadAll(`SELECT ${texts} FROM read_parquet('${path}')`);
  connection.closeSync();
  return comparable(reader.getRows() as Cell[][]);
};

describe('the shared table arrives unchanged', () => {
  it('as CSV, at its address and as a download', async () => {
    expect(await ofCsv(call(client, 'GET', `/datasets/${dataset}/data.csv`))).toEqual(expected);
    const query = '$format=csv&$orderby=Day&quote=minimal';
    expect(await ofCsv(call(client, 'GET', `/datasets/${dataset}/data?${query}`))).toEqual(expected);
  });

  it('as Parquet', async () => {
    const answer = await call(client, 'GET', `/datasets/${dataset}/data.parquet`);
    expect(await ofParquet(answer)).toEqual(expected);
  });

  it('by read links, as CSV, as JSON with numbers as strings, and as Parquet', async () => {
    const link = async (query: object): Promise<Response> =>
      fetch((await makeReadLink(client, dataset, { query })).url);
    expect(await ofCsv(link({}))).toEqual(expected);
    const json = await link({ $format: 'json', $decimals: 'string' });
    expect(ofJson((await json.json()) as Record<string, Cell>[])).toEqual(expected);
    expect(await ofParquet(await link({ $format: 'parquet' }))).toEqual(expected);
  });

  it('by an upload and a download with the TypeScript client', async () => {
    const typed = createClient({ api: client.baseUrl, key: client.key });
    const id = await createDataset(client);
    const { rows } = await uploadFile(typed, id, new Blob([exactCsv]));
    expect(rows).toBe(exactRows.length);
    const query = { $format: 'json', $decimals: 'string' } as const;
    const read = await dataOf(typed.GET('/datasets/{id}/data', { params: { path: { id }, query } }));
    expect(ofJson(read as unknown as Record<string, Cell>[])).toEqual(expected);
  });
});

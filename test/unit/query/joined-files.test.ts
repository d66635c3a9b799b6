import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinFiles } from '../../../src/query/formats/columnar/parquet-join.js';

async function* inChunks(bytes: Uint8Array, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield Buffer.from(bytes.subarray(at, at + length));
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

let folder: string;
let duckdb: DuckDBInstance;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joined-'));
  duckdb = await DuckDBInstance.create();
});
afterAll(async () => {
  duckdb?.closeSync();
  await rm(folder, { recursive: true, force: true });
});

const ask = async (sql: string) => {
  const connection = await duckdb.connect();
  return (await connection.runAndReadAll(sql)).getRowsJson();
};

const path = (name: string): string => join(folder, `${name}.parquet`);

const write = async (name: string, select: string): Promise<Buffer> => {
  await ask(`COPY (${select}) TO '${path(name)}' (FORMAT parquet, ROW_GROUP_SIZE 20480)`);
  return readFile(path(name));
};

const rowsOf = (from: number, to: number): string =>
  `SELECT i AS "Number", 'text ' || i % 100 AS "Text", CASE WHEN i % 2 = 0 THEN i / 7 END AS "Value" FROM range(${from}, ${to}) t(i)`;

const joined = (files: readonly Buffer[], length: number): Promise<Buffer> =>
  buffer(joinFiles(each(files.map((file) => inChunks(file, length))), 3));

describe('joined Parquet files', () => {
  it('are one file with all rows in order, however the input is split into chunks', async () => {
    const files = [
      await write('one', rowsOf(0, 400_000)),
      await write('two', rowsOf(400_000, 400_010)),
      await write('three', rowsOf(400_010, 400_010)),
      await write('four', rowsOf(400_010, 800_000)),
    ];
    const whole = await joined(files, 65_536);
    for (const length of [977, 100_000_000]) expect((await joined(files, length)).equals(whole)).toBe(true);
    await writeFile(path('joined'), whole);
    await ask(`COPY (${rowsOf(0, 800_000)}) TO '${path('expected')}' (FORMAT parquet)`);
    const differing = (a: string, b: string) =>
      ask(`SELECT count(*) FROM (SELECT * FROM '${path(a)}' EXCEPT ALL SELECT * FROM '${path(b)}')`);
    expect(await differing('joined', 'expected')).toEqual([['0']]);
    expect(await differing('expected', 'joined')).toEqual([['0']]);
    const inOrder = `SELECT count(*) FROM (SELECT "Number" - file_row_number AS d FROM read_parquet('${path('joined')}', file_row_number = true)) WHERE d != 0`;
    expect(await ask(inOrder)).toEqual([['0']]);
    const few = `SELECT count(*), min("Value"), max("Text") FROM '${path('joined')}' WHERE "Number" BETWEEN 399990 AND 400019`;
    expect(await ask(few)).toEqual(await ask(few.replace('/joined.parquet', '/expected.parquet')));
    expect(await ask(`SELECT num_rows FROM parquet_file_metadata('${path('joined')}')`)).toEqual([
      ['800000'],
    ]);
  });

  it('are the file itself if there is only one', async () => {
    const file = await write('single', rowsOf(0, 50_000));
    expect((await joined([file], 1_000)).equals(file)).toBe(true);
    const small = await write('small', rowsOf(0, 3));
    expect((await joined([small], 1)).equals(small)).toBe(true);
  });

  it('are rejected if columns differ, a file is truncated, or there is no file', async () => {
    const file = await write('columns', rowsOf(0, 3));
    const other = await write('others', 'SELECT 1 AS "Number"');
    await expect(joined([file, other], 100)).rejects.toThrow('different columns');
    await expect(joined([file, file.subarray(0, -3)], 100)).rejects.toThrow(/Parquet/);
    await expect(joined([], 100)).rejects.toThrow(/Parquet/);
  });
});

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { DuckDBInstance } from '@duckdb/node-api';
import { Table, tableFromArrays, tableFromIPC, tableToIPC, vectorFromArray } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withSchemaMetadata } from '../../../src/query/formats/columnar/arrow-schema.js';
import { withFooter } from '../../../src/query/formats/columnar/parquet-footer.js';

async function* inChunks(bytes: Uint8Array, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield Buffer.from(bytes.subarray(at, at + length));
}

const metadata = { series: '[{"label":"Índice – 30 %"}]', empty: '' };

describe('the footer of a Parquet file', () => {
  let folder: string;
  let duckdb: DuckDBInstance;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'footer-'));
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
  const fileOf = async (select: string, options = ''): Promise<Buffer> => {
    const path = join(folder, 'written.parquet');
    await ask(`COPY (${select}) TO '${path}' (FORMAT parquet${options})`);
    return readFile(path);
  };
  const read = async (bytes: Buffer, sql: (path: string) => string) => {
    const path = join(folder, 'read.parquet');
    await writeFile(path, bytes);
    return ask(sql(`'${path}'`));
  };
  const rewritten = (file: Buffer, length: number, fieldIds: readonly (number | undefined)[]) =>
    buffer(withFooter(inChunks(file, length), { fieldIds, metadata }));

  it.each([1_000, 65_536, 100_000_000])(
    'gets ids of columns and metadata, in chunks of %i bytes',
    async (length) => {
      const file = await fileOf(
        `SELECT i AS "Number", 'text ' || i AS "Text", CASE WHEN i % 2 = 0 THEN i / 7 END AS "Value" FROM range(500000) t(i)`,
        ', ROW_GROUP_SIZE 20000',
      );
      expect(file.length).toBeGreaterThan(1_200_000);
      const bytes = await rewritten(file, length, [7, undefined, 2_000_000_000]);
      expect(
        await read(bytes, (path) => `SELECT name, field_id FROM parquet_schema(${path}) OFFSET 1`),
      ).toEqual([
        ['Number', '7'],
        ['Text', null],
        ['Value', '2000000000'],
      ]);
      expect(
        await read(bytes, (path) => `SELECT decode(key), decode(value) FROM parquet_kv_metadata(${path})`),
      ).toEqual(Object.entries(metadata));
      const sums = (path: string) =>
        `SELECT count(*), sum("Number"), count("Value"), max("Text"), round(sum("Value")) FROM ${path}`;
      expect(await read(bytes, sums)).toEqual(await read(file, sums));
      expect((await rewritten(file, 977, [7, undefined, 2_000_000_000])).equals(bytes)).toBe(true);
    },
  );

  it('keeps existing metadata, and may have hundreds of columns', async () => {
    const columns = Array.from({ length: 300 }, (_, index) => `${index} AS c${index}`).join(', ');
    const file = await fileOf(`SELECT ${columns}`, `, KV_METADATA {own: 'stays'}`);
    const ids = Array.from({ length: 300 }, (_, index) => index + 1);
    const bytes = await rewritten(file, 4_096, ids);
    const found = await read(bytes, (path) => `SELECT decode(key) FROM parquet_kv_metadata(${path})`);
    expect(found.flat()).toEqual(['own', 'series', 'empty']);
    const schema = await read(bytes, (path) => `SELECT field_id FROM parquet_schema(${path}) OFFSET 1`);
    expect(schema.flat()).toEqual(ids.map(String));
  });

  it.each([
    ['has other columns', (file: Buffer) => file, [1, 2]],
    ['is cut', (file: Buffer) => file.subarray(0, -20), [1]],
    ['ends within its footer', (file: Buffer) => file.subarray(-20), [1]],
    ['is empty', () => Buffer.alloc(0), [1]],
  ])('cannot be rewritten if the file %s', async (_name, change, ids) => {
    const file = await fileOf('SELECT 1 AS a');
    await expect(rewritten(change(file), 4_096, ids)).rejects.toThrow(/Parquet/);
  });
});

describe('the schema of an Arrow stream', () => {
  it.each([1, 100, 1_000_000])('gets metadata, in chunks of %i bytes', async (length) => {
    const table = new Table({
      ...Object.fromEntries(
        Object.entries({ Text: ['a', null, 'ü'], Value: [1.5, 2, null] }).map(([name, values]) => [
          name,
          vectorFromArray(values),
        ]),
      ),
    });
    const stream = tableToIPC(table, 'stream');
    const bytes = await buffer(withSchemaMetadata(inChunks(stream, length), metadata));
    const found = tableFromIPC(bytes);
    expect(Object.fromEntries(found.schema.metadata)).toEqual(metadata);
    expect(found.toArray().map((row) => ({ ...row }))).toEqual(table.toArray().map((row) => ({ ...row })));
    expect(found.schema.fields.map(String)).toEqual(table.schema.fields.map(String));
  });

  it('cannot be rewritten if the stream ends before it', async () => {
    const stream = tableToIPC(tableFromArrays({ a: [1, 2] }), 'stream').subarray(0, 40);
    await expect(buffer(withSchemaMetadata(inChunks(stream, 8), metadata))).rejects.toThrow(/Arrow/);
  });
});

/** Links to Parquet files, and the bytes that readers of single columns fetch. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ReadableVersion } from '../../../src/model/version.js';
import {
  fieldOf,
  numberOf,
  readStruct,
  structsOf,
} from '../../../src/query/formats/columnar/thrift-struct.js';
import { createLocalStorage } from '../../../src/storage/objects/local-storage.js';
import { testWith } from '../../support/optional-tools.js';
import { programOf } from '../../support/tools.js';
import { createDownloadServer, type DownloadServer } from '../query/download-server.js';
import { createStoredTables, type StoredTables } from '../query/stored-table.js';

const run = promisify(execFile);
const pythonTest = await testWith('Python readers');
const script = fileURLToPath(new URL('../../clients/read_columns.py', import.meta.url));

const rows = 600_000;
/** Number of rows from 2020 on. */
const lateRows = 40_000;
/** Bytes fetched from the stored file so far. */
let fetched = 0;
let folder: string;
let tables: StoredTables;
let server: DownloadServer;
let table: ReadableVersion;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parquet-'));
  tables = await createStoredTables(inject('clickhouseUrl'));
  const storage = createLocalStorage(join(folder, 'files'));
  server = await createDownloadServer(tables.reader, {
    storage: {
      ...storage,
      read(key, range) {
        fetched += range === undefined ? 0 : range.end - range.start + 1;
        return storage.read(key, range);
      },
    },
  });
  table = await tables.addSelected(
    [
      { name: 'Day', physical: 'd' },
      { name: 'Value', physical: 'f' },
      { name: 'Exact', physical: 'n38_4' },
      { name: 'Note', physical: 's' },
    ],
    rows,
    () => `number,
      if(number < ${rows - lateRows}, toDate32('2010-01-01') + intDiv(number, 200), toDate32('2020-01-01')),
      cityHash64(number) / 7, toDecimal128('12345678901234567890.0001', 4) + number,
      concat('note ', hex(cityHash64(number, 1))) FROM numbers(${rows})`,
  );
});

afterAll(async () => {
  await server?.close();
  await tables?.close();
  await rm(folder, { recursive: true, force: true });
});

const linkOf = async (query = '$format=parquet'): Promise<string> => {
  const answer = await fetch(server.dataUrl(table, query), { redirect: 'manual' });
  expect(answer.status).toBe(302);
  return answer.headers.get('location') ?? '';
};

const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());

describe('a whole table in Parquet', () => {
  it('is served through a link as a file with a name, a length, an ETag and ranges', async () => {
    const link = await linkOf();
    // Also while the file is exported, since readers of columns start at its end.
    const head = await fetch(link, { method: 'HEAD' });
    const size = Number(head.headers.get('content-length'));
    expect([head.status, head.headers.get('content-type'), head.headers.get('accept-ranges')]).toEqual([
      200,
      'application/vnd.apache.parquet',
      'bytes',
    ]);
    expect(head.headers.get('content-disposition')).toContain('.parquet"');
    const etag = head.headers.get('etag') ?? '';
    expect((await fetch(link, { headers: { 'if-none-match': etag } })).status).toBe(304);

    const whole = await bytesOf(await fetch(link));
    expect([whole.length, whole.subarray(0, 4).toString()]).toEqual([size, 'PAR1']);
    const tail = await fetch(link, { headers: { range: 'bytes=-8' } });
    expect([tail.status, tail.headers.get('etag')]).toEqual([206, etag]);
    const end = await bytesOf(tail);
    expect(end.subarray(4).toString()).toBe('PAR1');
    const footer = await fetch(link, { headers: { range: `bytes=-${end.readUInt32LE(0) + 8}` } });
    for (const name of ['Day', 'Value', 'Exact', 'Note'])
      expect((await bytesOf(footer.clone())).includes(name)).toBe(true);
    const rest = await fetch(link, { headers: { range: `bytes=${size - 1_000}-`, 'if-range': etag } });
    expect((await bytesOf(rest)).equals(whole.subarray(-1_000))).toBe(true);
  });

  it('has the storage ids of its columns as field ids, and all rows', async () => {
    const path = join(folder, 'ids.parquet');
    await writeFile(path, await bytesOf(await fetch(await linkOf())));
    const duckdb = await DuckDBInstance.create();
    try {
      const connection = await duckdb.connect();
      const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
      const ids = await ask(`SELECT name, field_id FROM parquet_schema('${path}') OFFSET 1`);
      expect(ids).toEqual(table.columns.map(({ name, storageId }) => [name, String(storageId)]));
      const read = await ask(`SELECT count(*), count(DISTINCT "Note"), max("Exact")::text FROM '${path}'`);
      expect(read).toEqual([[String(rows), String(rows), '12345678901235167889.0001']]);
    } finally {
      duckdb.closeSync();
    }
  });

  it('has row groups of a fixed size and a page index', async () => {
    const file = await bytesOf(await fetch(await linkOf()));
    const footerAt = file.length - 8 - file.readUInt32LE(file.length - 8);
    const groups = structsOf(readStruct({ bytes: file, at: footerAt }), 4);
    expect(groups.map((group) => numberOf(group, 3))).toEqual([131_072, 131_072, 131_072, 131_072, 75_712]);
    for (const chunk of groups.flatMap((group) => structsOf(group, 1))) {
      const metadata = readStruct({ bytes: fieldOf(chunk, 3)?.bytes ?? Buffer.alloc(0), at: 0 });
      const pages = structsOf(readStruct({ bytes: file, at: numberOf(chunk, 4) ?? 0 }), 1);
      const end = pages.reduce((at, page) => {
        expect(numberOf(page, 1)).toBe(at);
        return at + (numberOf(page, 2) ?? 0);
      }, numberOf(metadata, 9) ?? 0);
      const begin = numberOf(metadata, 11) ?? numberOf(metadata, 9) ?? 0;
      expect(end - begin).toBe(numberOf(metadata, 7));
    }
  });

  it('is stored once, and equals the answer without a link', async () => {
    await (await fetch(await linkOf())).arrayBuffer();
    const keys: string[] = [];
    for await (const { key } of server.storage.list()) keys.push(key);
    expect(keys.filter((key) => key.endsWith('.parquet'))).toHaveLength(1);
    const [one, other] = await Promise.all([
      fetch(await linkOf()).then(bytesOf),
      fetch(`${server.url}/api/datasets/${table.datasetId}/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ $format: 'parquet' }),
      }).then(bytesOf),
    ]);
    expect(one.equals(other)).toBe(true);
  });

  it('has another ETag when it is exported again, since the bytes may differ', async () => {
    const tableUrl = server.dataUrl(table, '$format=parquet');
    const redirected = await fetch(tableUrl, { redirect: 'manual' });
    const weak = redirected.headers.get('etag') ?? '';
    expect(weak).toMatch(/^W\/"/);
    const unchanged = { redirect: 'manual', headers: { 'if-none-match': weak } } as const;
    expect((await fetch(tableUrl, unchanged)).status).toBe(304);
    const link = redirected.headers.get('location') ?? '';
    const factsOf = async (headers: Readonly<Record<string, string>> = {}) => {
      const answer = await fetch(link, { headers: { range: 'bytes=4-7', ...headers } });
      await answer.arrayBuffer();
      return {
        status: answer.status,
        tag: answer.headers.get('etag') ?? '',
        date: answer.headers.get('last-modified') ?? '',
      };
    };
    const first = await factsOf();
    expect(first.tag).toMatch(/^"/);
    expect(await factsOf({ 'if-range': first.tag })).toEqual(first);
    expect(await server.exportFiles.sweep(async () => new Set())).toBeGreaterThan(0);
    const second = await factsOf();
    expect(second).toMatchObject({ status: 206, date: first.date });
    expect(second.tag).not.toBe(first.tag);
    for (const before of [first.tag, first.date, weak])
      expect((await factsOf({ 'if-range': before })).status).toBe(200);
    expect((await factsOf({ 'if-range': second.tag })).status).toBe(206);
    expect((await factsOf({ 'if-none-match': first.tag })).status).toBe(206);
    expect((await factsOf({ 'if-none-match': second.tag })).status).toBe(304);
  });

  it('has a different link from the CSV file, and is streamed if rows are selected', async () => {
    expect(await linkOf('')).toMatch(/\.csv$/);
    expect(await linkOf()).toMatch(/\.parquet$/);
    expect(await linkOf('$format=parquet&transpose=true').catch(() => 'refused')).toMatch(/\.parquet$/);
    const some = await fetch(server.dataUrl(table, '$format=parquet&$top=3'), { redirect: 'manual' });
    expect(some.status).toBe(200);
    await some.arrayBuffer();
  });
});

describe('readers of columns', () => {
  pythonTest('fetch only the columns and row groups that they need', async () => {
    const counter = createServer((_request, answer) => answer.end(String(fetched)));
    counter.listen(0, '127.0.0.1');
    await once(counter, 'listening');
    try {
      const link = await linkOf();
      const size = (await bytesOf(await fetch(link))).length;
      const { port } = counter.address() as AddressInfo;
      const { stdout } = await run(await programOf('Python readers'), [
        script,
        link,
        `http://127.0.0.1:${port}`,
      ]);
      const seen = JSON.parse(stdout) as Record<string, { rows: number; bytes: number }>;
      for (const [name, { rows: count, bytes }] of Object.entries(seen)) {
        const isColumn = name.endsWith('a column');
        expect([name, count]).toEqual([name, isColumn ? rows : lateRows]);
        expect([name, bytes > 0, bytes < size * (isColumn ? 0.5 : 0.25)]).toEqual([name, true, true]);
      }
    } finally {
      counter.close();
    }
  });
});

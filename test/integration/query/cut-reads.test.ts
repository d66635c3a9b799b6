/** An incomplete download is visibly broken. All formats and causes: test/system/query/broken-reads.test.ts. */
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { ReadableVersion } from '../../../src/model/version.js';
import { insideOf } from '../../../src/rows/place.js';
import { createDownloadServer, type DownloadServer } from './download-server.js';
import { createStoredTables, type StoredTables } from './stored-table.js';

const rows = 1_000_000;
let tables: StoredTables;
let server: DownloadServer;
let big: ReadableVersion;

beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'));
  server = await createDownloadServer(tables.reader);
  big = await tables.addSelected(
    [
      { name: 'text', physical: 's' },
      { name: 'value', physical: 'f' },
    ],
    rows,
    () => `number, repeat('x', 200), number FROM numbers(${rows})`,
  );
});

afterAll(async () => {
  await server.close();
  await tables.close();
});

/** Adds a column to the version that fails for this row. */
const failingAt = async (row: number): Promise<ReadableVersion> => {
  const id = 9_000_000 + row;
  await tables.clickhouse.command(
    `ALTER TABLE ${tables.clickhouse.database}.s${insideOf(big.place!).storeId}
     ADD COLUMN c${id}_f Nullable(Float64) ALIAS toFloat64(throwIf(_row = ${row}))`,
  );
  return { ...big, columns: [...big.columns, { ...big.columns[1]!, id, storageId: id, name: 'trap' }] };
};

const receive = (url: string): Promise<{ status: number; bytes: number; complete: boolean; tail: string }> =>
  new Promise((resolve, reject) => {
    request(url, (answer: IncomingMessage) => {
      let bytes = 0;
      let tail = '';
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        tail = (tail + chunk.subarray(-4_000).toString('latin1')).slice(-8_000);
      });
      answer.once('close', () =>
        resolve({ status: answer.statusCode ?? 0, bytes, complete: answer.complete, tail }),
      );
      answer.on('error', () => undefined);
    })
      .once('error', reject)
      .end();
  });

it('a query that fails midway aborts the connection, for a stream and for a file that is being exported', async () => {
  const failing = await failingAt(rows - 1_000);
  const link = await fetch(server.dataUrl(failing), { redirect: 'manual' });
  for (const url of [server.dataUrl(failing, '$skip=0'), link.headers.get('location') ?? '']) {
    const answer = await receive(url);
    expect(answer.status).toBe(200);
    expect(answer.bytes).toBeGreaterThan(0);
    expect(answer.complete).toBe(false);
    expect(answer.tail).not.toMatch(/__exception__|DB::Exception/);
  }
});

it('a query that fails before the first byte is answered with 500', async () => {
  const answer = await fetch(server.dataUrl(await failingAt(5), '$skip=0'));
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ code: 'query_failed' });
});

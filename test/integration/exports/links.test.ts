import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ReadableVersion } from '../../../src/model/version.js';
import { insideOf } from '../../../src/rows/place.js';
import { createDownloadServer, type DownloadServer } from '../query/download-server.js';
import { createStoredTables, type StoredTables } from '../query/stored-table.js';

let tables: StoredTables;
let server: DownloadServer;
let small: ReadableVersion;
let now = Date.now();

beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'));
  server = await createDownloadServer(tables.reader, { nowMs: () => now });
  small = await tables.add(
    [
      { name: 'Country', physical: 's' },
      { name: 'GDP', physical: 'f' },
    ],
    Array.from({ length: 1000 }, (_, index) => [`Land ${index}`, index / 8]),
  );
});

afterAll(async () => {
  await server.close();
  await tables.close();
});

const big = (rows: number) =>
  tables.addSelected(
    [
      { name: 'a', physical: 's' },
      { name: 'b', physical: 'f' },
    ],
    rows,
    () => `number, repeat('x', 100), number FROM numbers(${rows})`,
  );

const linkOf = async (url: string): Promise<string> => {
  const answer = await fetch(url, { redirect: 'manual' });
  expect(answer.status).toBe(302);
  return answer.headers.get('location')!;
};

describe('a link', () => {
  it('serves the whole file with its length, time and name', async () => {
    const link = await linkOf(server.dataUrl(small));
    // The first answer may be streamed while the file is written, without a length.
    await (await fetch(link)).text();
    const answer = await fetch(link);
    const body = await answer.text();
    expect(answer.status).toBe(200);
    expect(body.split('\r\n')).toHaveLength(1002);
    expect(answer.headers.get('content-length')).toBe(String(body.length));
    expect(answer.headers.get('accept-ranges')).toBe('bytes');
    expect(answer.headers.get('last-modified')).toBe('Tue, 03 Feb 2026 04:05:06 GMT');
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="Prices_${small.datasetId} _.csv"; filename*=UTF-8''Prices_${small.datasetId}%20%C3%A9.csv`,
    );
  });

  it('serves the same bytes as a query without a link', async () => {
    const file = await (await fetch(server.dataUrl(small))).text();
    const streamed = await fetch(`${server.url}/api/datasets/${small.datasetId}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(streamed.status).toBe(200);
    expect(await streamed.text()).toBe(file);
  });

  it('serves ranges, one or several, and resumes byte for byte', async () => {
    const link = await linkOf(server.dataUrl(small));
    const whole = await (await fetch(link)).text();
    const get = (range: string, headers = {}) => fetch(link, { headers: { range, ...headers } });
    const tail = await get('bytes=1000-');
    expect(tail.status).toBe(206);
    expect(tail.headers.get('content-range')).toBe(`bytes 1000-${whole.length - 1}/${whole.length}`);
    expect(await tail.text()).toBe(whole.slice(1000));
    expect(await (await get('bytes=-5')).text()).toBe(whole.slice(-5));
    const several = await get('bytes=0-3, 10-12');
    const type = several.headers.get('content-type')!;
    expect(type).toMatch(/^multipart\/byteranges; boundary=/);
    const body = await several.text();
    expect(body.length).toBe(Number(several.headers.get('content-length')));
    expect(body).toContain(`Content-Range: bytes 10-12/${whole.length}\r\n\r\n${whole.slice(10, 13)}\r\n--`);
    const beyond = await get(`bytes=${whole.length}-`);
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get('content-range')).toBe(`bytes */${whole.length}`);
    expect((await get('bytes=0-3', { 'if-range': '"other"' })).status).toBe(200);
    expect((await get('bytes=0-3', { 'if-range': tail.headers.get('etag')! })).status).toBe(206);
  });

  it('answers HEAD and conditional requests without content', async () => {
    const link = await linkOf(server.dataUrl(small));
    const head = await fetch(link, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(1000);
    const tag = head.headers.get('etag')!;
    expect((await fetch(link, { headers: { 'if-none-match': tag } })).status).toBe(304);
    const since = head.headers.get('last-modified')!;
    expect((await fetch(link, { headers: { 'if-modified-since': since } })).status).toBe(304);
    expect(
      (await fetch(server.dataUrl(small), { redirect: 'manual', headers: { 'if-none-match': tag } })).status,
    ).toBe(304);
  });

  it('expires, and is refused if its token or name was changed', async () => {
    const link = await linkOf(server.dataUrl(small));
    const altered = link.replace(/links\/./, 'links/X');
    expect((await fetch(altered)).status).toBe(403);
    expect((await fetch(link.replace(/[^/]+$/, 'other.csv'))).status).toBe(403);
    now += 61_000;
    const late = await fetch(link);
    expect(late.status).toBe(403);
    expect(await late.json()).toMatchObject({ code: 'link_expired' });
    now -= 61_000;
  });

  it('works after its file was removed', async () => {
    const link = await linkOf(server.dataUrl(small));
    const whole = await (await fetch(link)).text();
    expect(await server.exportFiles.sweep(async () => new Set())).toBeGreaterThan(0);
    expect(await (await fetch(link, { headers: { range: 'bytes=5-' } })).text()).toBe(whole.slice(5));
  });
});

describe('a file that is being exported', () => {
  it('is served to several callers, whole and in ranges, and stored once', async () => {
    const version = await big(300_000);
    const link = await linkOf(server.dataUrl(version));
    const [one, two, parts] = await Promise.all([
      fetch(link).then((answer) => answer.text()),
      fetch(link).then((answer) => answer.text()),
      fetch(link, { headers: { range: 'bytes=0-9' } }),
    ]);
    expect(one.length).toBeGreaterThan(30_000_000);
    expect(two).toBe(one);
    expect(parts.status).toBe(206);
    expect(await parts.text()).toBe(one.slice(0, 10));
    const files = await readdir(join(server.folder, 'files', `v${version.versionId}`));
    expect(files).toHaveLength(1);
    expect(await readdir(join(server.folder, 'spool'))).toEqual([]);
  });

  it('is answered with 503 and not stored if the export fails', async () => {
    const version = await big(1_000);
    const { database } = tables.clickhouse;
    await tables.clickhouse.command(
      `ALTER TABLE ${database}.s${insideOf(version.place!).storeId} DROP PARTITION 1`,
    );
    const link = await linkOf(server.dataUrl(version));
    const answer = await fetch(link);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: 'version_gone' });
    for await (const { key } of server.storage.list()) {
      expect(key.startsWith(`v${version.versionId}/`)).toBe(false);
    }
  });
});

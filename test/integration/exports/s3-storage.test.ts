import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ObjectStorage } from '../../../src/storage/objects/object-storage.js';
import { createS3Storage, parseS3Url, type S3Storage } from '../../../src/storage/objects/s3-storage.js';
import { type S3Server, startS3Server } from '../../support/s3-server.js';
import { createDownloadServer, type DownloadServer } from '../query/download-server.js';
import { createStoredTables } from '../query/stored-table.js';

let server: S3Server;
let storage: S3Storage;
let lenient: S3Storage;
let folder: string;
const prefix = `files/${randomUUID()}`;
const link = { expiresSeconds: 60, contentType: 'text/csv; charset=utf-8', disposition: 'attachment' };

beforeAll(async () => {
  server = await startS3Server();
  storage = createS3Storage({ ...server.options, prefix });
  lenient = createS3Storage({ ...server.lenient, prefix });
  folder = await mkdtemp(join(tmpdir(), 's3-spool-'));
});

afterAll(async () => {
  storage.close();
  lenient.close();
  await rm(folder, { recursive: true, force: true });
  await server.close();
});

const spooled = async (bytes: Buffer): Promise<string> => {
  const path = join(folder, randomUUID());
  await writeFile(path, bytes);
  return path;
};

const keysOf = async (target: ObjectStorage): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of target.list()) keys.push(key);
  return keys;
};

describe('object storage', () => {
  it('stores a file of several parts byte for byte, and removes the local file', async () => {
    const bytes = randomBytes(40 * 1024 * 1024 + 7);
    const path = await spooled(bytes);
    await storage.adopt('v1/big.csv', path);
    await expect(access(path)).rejects.toThrow('ENOENT');
    expect(await storage.stat('v1/big.csv')).toMatchObject({ size: bytes.length });
    expect((await buffer(await storage.read('v1/big.csv'))).equals(bytes)).toBe(true);
    const middle = await buffer(await storage.read('v1/big.csv', { start: 20_000_000, end: 20_000_009 }));
    expect(middle.equals(bytes.subarray(20_000_000, 20_000_010))).toBe(true);
  });

  it('reports missing objects, and deletes an object idempotently', async () => {
    expect(await storage.stat('v2/none.csv')).toBeUndefined();
    await storage.adopt('v2/gone.csv', await spooled(Buffer.from('a\r\n')));
    await storage.delete('v2/gone.csv');
    await storage.delete('v2/gone.csv');
    expect(await storage.stat('v2/gone.csv')).toBeUndefined();
  });

  it('lists keys without their prefix', async () => {
    await storage.adopt('v3/listed.csv', await spooled(Buffer.from('a\r\n')));
    const other = createS3Storage({ ...server.options, prefix: `${prefix}-other` });
    await other.adopt('v3/foreign.csv', await spooled(Buffer.from('b\r\n')));
    const keys = await keysOf(lenient);
    expect(keys).toContain('v3/listed.csv');
    expect(keys).not.toContain('v3/foreign.csv');
    await other.delete('v3/foreign.csv');
    other.close();
  });

  it('signs links with type and name that serve ranges and are valid for this object only', async () => {
    await storage.adopt('v4/linked.csv', await spooled(Buffer.from('0123456789')));
    const disposition = 'attachment; filename="a b.csv"';
    const url = (await storage.link('v4/linked.csv', { ...link, disposition }))!;
    const answer = await fetch(url, { headers: { range: 'bytes=2-4' } });
    expect(answer.status).toBe(206);
    expect(await answer.text()).toBe('234');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(disposition);
    expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('60');
    expect((await fetch(url.replace('linked', 'big'))).status).toBe(403);
    expect((await fetch(url.replace('X-Amz-Expires=60', 'X-Amz-Expires=6000'))).status).toBe(403);
  });

  it('signs links with names beyond ASCII', async () => {
    await lenient.adopt('v7/named.csv', await spooled(Buffer.from('a\r\n')));
    const disposition = `attachment; filename="_.csv"; filename*=UTF-8''%C3%A9.csv`;
    const answer = await fetch((await lenient.link('v7/named.csv', { ...link, disposition }))!);
    expect(await answer.text()).toBe('a\r\n');
    expect(answer.headers.get('content-disposition')).toBe(disposition);
  });

  it('refuses an expired link', async () => {
    await storage.adopt('v5/short.csv', await spooled(Buffer.from('a\r\n')));
    const url = (await storage.link('v5/short.csv', { ...link, expiresSeconds: 1 }))!;
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    expect((await fetch(url)).status).toBe(403);
  });

  it('signs links for the public endpoint', async () => {
    const outside = createS3Storage({
      ...server.options,
      prefix,
      publicEndpoint: 'https://files.example.org',
    });
    const url = new URL((await outside.link('v1/big.csv', link))!);
    expect(url.origin).toBe('https://files.example.org');
    expect(url.pathname).toBe(`/${server.options.bucket}/${prefix}/v1/big.csv`);
    outside.close();
  });

  it('stores a file even if another process replaces or removes the object before it is checked', async () => {
    const others = [
      async () => lenient.adopt('v8/shared.csv', await spooled(Buffer.from('longer\r\n'))),
      () => lenient.delete('v8/shared.csv'),
    ];
    const proxy = createServer(async (asked, answer) => {
      if (asked.method === 'HEAD') await others.shift()?.();
      const { method, headers } = asked;
      const forwarded = request(`${server.lenient.endpoint}${asked.url}`, { method, headers }, (received) => {
        answer.writeHead(received.statusCode ?? 0, received.headers);
        received.pipe(answer);
      });
      asked.pipe(forwarded);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const disturbed = createS3Storage({ ...server.lenient, prefix, endpoint: `http://127.0.0.1:${port}` });
    await disturbed.adopt('v8/shared.csv', await spooled(Buffer.from('a\r\n')));
    expect(others).toEqual([]);
    expect((await buffer(await storage.read('v8/shared.csv'))).toString()).toBe('a\r\n');
    disturbed.close();
    proxy.close();
  });

  it('stores nothing of a file that could not be read', async () => {
    await expect(storage.adopt('v6/none.csv', join(folder, 'missing'))).rejects.toThrow('ENOENT');
    expect(await storage.stat('v6/none.csv')).toBeUndefined();
  });

  it.each([
    ['s3://bucket', 'bucket', ''],
    ['s3://bucket/', 'bucket', ''],
    ['s3://my-bucket/a/b/', 'my-bucket', 'a/b'],
  ])('parses the address %s', (url, bucket, start) => {
    expect(parseS3Url(url)).toEqual({ bucket, prefix: start });
  });
});

describe('downloads with object storage', () => {
  const withDownloads = async (
    directSeconds: number,
    work: (link: string, downloads: DownloadServer) => Promise<void>,
  ): Promise<void> => {
    const tables = await createStoredTables(inject('clickhouseUrl'));
    const downloads = await createDownloadServer(tables.reader, { storage: lenient, directSeconds });
    try {
      const version = await tables.add(
        [{ name: 'Country', physical: 's' }],
        Array.from({ length: 500 }, (_, index) => [`Land ${index}`]),
      );
      const answer = await fetch(downloads.dataUrl(version), { redirect: 'manual' });
      const link = answer.headers.get('location') ?? '';
      expect(link.startsWith(`${downloads.url}/api/links/`)).toBe(true);
      await work(link, downloads);
    } finally {
      await downloads.close();
      await tables.close();
    }
  };

  it('are sent by the API, which counts their bytes', () =>
    withDownloads(0, async (link, { counted }) => {
      const whole = await (await fetch(link)).text();
      expect(whole.split('\r\n')).toHaveLength(502);
      const tail = await fetch(link, { headers: { range: 'bytes=1000-' }, redirect: 'manual' });
      expect([tail.status, await tail.text()]).toEqual([206, whole.slice(1000)]);
      await expect.poll(() => counted).toEqual([whole.length, whole.length - 1000]);
    }));

  it('are sent by the storage if that is allowed, through a redirect that expires in seconds', () =>
    withDownloads(7, async (link, { counted }) => {
      const whole = await (await fetch(link)).text();
      const part = { headers: { range: 'bytes=1000-' }, redirect: 'manual' } as const;
      await expect.poll(async () => (await fetch(link, part)).status).toBe(302);
      const direct = (await fetch(link, part)).headers.get('location') ?? '';
      expect(direct.startsWith(server.lenient.endpoint!)).toBe(true);
      expect(new URL(direct).searchParams.get('X-Amz-Expires')).toBe('7');
      expect(await (await fetch(direct)).text()).toBe(whole);
      const tail = await fetch(link, { headers: { range: 'bytes=1000-' } });
      expect([tail.status, await tail.text()]).toEqual([206, whole.slice(1000)]);
      await expect.poll(() => counted.at(-1)).toBe(whole.length - 1000);
      // The storage would send the whole file.
      const several = await fetch(link, { headers: { range: 'bytes=0-3, 10-12' }, redirect: 'manual' });
      expect(several.status).toBe(206);
      await several.text();
      const head = await fetch(link, { method: 'HEAD', redirect: 'manual' });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(whole.length)]);
    }));
});

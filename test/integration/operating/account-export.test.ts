/** Export of all data of an account, over HTTP and by an operator command. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import JsZip from 'jszip';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportAccount } from '../../../src/compose/accounts.js';
import { createLog, silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { authorization, type Client, call, json, upload } from '../../support/datasets.js';
import { readMetrics } from '../../support/metrics-text.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let folder: string;
let ada: Client;
let bob: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabulary-export-'));
  product = await startProduct({ poolMaxRows: '100' }, silentLog);
  ada = { baseUrl: product.baseUrl, key: (await product.createAccount('ada')).key };
  bob = { baseUrl: product.baseUrl, key: (await product.createAccount('bob')).key };
});
afterAll(async () => {
  await product?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Unpacks an archive with a third-party library that checks every CRC. */
const unpack = async (file: string): Promise<Map<string, Buffer>> => {
  const content = await readFile(file);
  const { files } = await JsZip.loadAsync(content, { checkCRC32: true, createFolders: false });
  const entries = await Promise.all(
    Object.entries(files).map(async ([name, entry]) => {
      expect(entry.unsafeOriginalName).toBe(name);
      return [name, await entry.async('nodebuffer')] as const;
    }),
  );
  // The central directory counts its entries; the map would merge equal names.
  expect(content.readUInt16LE(content.length - 12)).toBe(entries.length);
  return new Map(entries);
};

const get = async (client: Client, query = ''): Promise<Map<string, Buffer>> => {
  const answer = await fetch(`${client.baseUrl}/account/export${query}`, {
    headers: authorization(client.key),
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip']);
  const file = join(folder, `${Math.random()}.zip`);
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
  return unpack(file);
};

const parsed = (files: Map<string, Buffer>, name: string): unknown =>
  JSON.parse(files.get(name)?.toString() ?? `"no ${name}"`);

const named = async (owner: Client, repositoryId: number, name: string): Promise<number> =>
  (await json<{ id: number }>(await call(owner, 'POST', '/datasets', { name, repositoryId }), 201)).id;

const repository = async (owner: Client, name: string): Promise<number> =>
  (await json<{ id: number }>(await call(owner, 'POST', '/repositories', { name, privacy: 'Private' }), 201))
    .id;

const read = async (client: Client, path: string): Promise<unknown> => json(await call(client, 'GET', path));

it('an export has the answers of the API, for datasets of any name, and nothing of other accounts', async () => {
  const [first, second] = [await repository(ada, 'One/..'), await repository(ada, 'Two "2"')];
  const names = ['../../etc/passwd', 'a "quoted" \\ name', 'Größe 中文 😀', '...'];
  const datasets = [];
  for (const name of names) datasets.push(await named(ada, first, name));
  datasets.push(await named(ada, second, 'equal'), await named(ada, first, 'equal'));
  for (const id of datasets) await upload(ada, id, `a,b\n${id},"x ""${id}"""\n`);
  const [large = 0] = datasets;
  await upload(ada, large, `a,b\n${Array.from({ length: 500 }, (_, at) => `${at},y`).join('\n')}\n`);
  const empty = await named(ada, second, 'empty');
  const foreign = await repository(bob, 'of bob');
  const foreignDataset = await named(bob, foreign, 'of bob');
  await upload(bob, foreignDataset, 'a\nsecretofbob\n');
  await call(bob, 'PUT', `/repositories/${foreign}/permissions/ada`, { level: 'Read' });
  await call(ada, 'PUT', `/repositories/${first}/permissions/bob`, { level: 'Write' });

  const files = await get(ada);
  const folderOf = (id: number): string => {
    const own = [...files.keys()].filter((name) => name.startsWith(`datasets/${id}-`));
    const folders = new Set(own.map((name) => name.split('/').slice(0, -1).join('/')));
    expect(folders.size).toBe(1);
    return [...folders][0] ?? '';
  };
  for (const id of datasets) {
    const at = folderOf(id);
    const current = (await read(ada, `/datasets/${id}`)) as { columns: unknown; currentVersionId: string };
    const { columns, ...rest } = current;
    const permissions = await read(ada, `/datasets/${id}/permissions`);
    expect(parsed(files, `${at}/dataset.json`)).toEqual({ ...rest, permissions });
    expect(parsed(files, `${at}/columns.json`)).toEqual(columns);
    expect(parsed(files, `${at}/versions.json`)).toEqual(await read(ada, `/datasets/${id}/versions`));
    expect(parsed(files, `${at}/uploads.json`)).toEqual(await read(ada, `/datasets/${id}/processes`));
    const rows = await fetch(`${ada.baseUrl}/datasets/${id}/data`, { headers: authorization(ada.key) });
    expect(files.get(`${at}/version-${current.currentVersionId}.csv`)?.toString()).toBe(await rows.text());
  }
  expect(
    [...files.keys()].filter((name) => name.startsWith(folderOf(empty)) && name.endsWith('.csv')),
  ).toEqual([]);
  for (const id of [first, second])
    expect(parsed(files, `repositories/${id}.json`)).toEqual({
      ...((await read(ada, `/repositories/${id}`)) as object),
      permissions: await read(ada, `/repositories/${id}/permissions`),
    });
  expect(parsed(files, 'account.json')).toMatchObject({ name: 'ada' });
  expect(parsed(files, 'keys.json')).toHaveLength(1);
  expect(parsed(files, 'read-links.json')).toEqual([]);
  expect(parsed(files, 'provider-keys.json')).toEqual(await read(ada, '/user-keys'));
  expect(parsed(files, 'permissions.json')).toEqual([
    { kind: 'repository', id: foreign, name: 'of bob', level: 'Read' },
  ]);
  expect((parsed(files, 'audit.json') as { action: string }[]).map(({ action }) => action)).toContain(
    'repository.create',
  );
  const all = Buffer.concat([...files.values()]).toString();
  expect(all).not.toContain('secretofbob');
  expect(all).not.toContain(ada.key);

  const listed = parsed(files, 'files.json') as { name: string; bytes: number; sha256: string }[];
  expect(listed.map(({ name }) => name).concat('files.json', 'manifest.json')).toEqual([...files.keys()]);
  for (const { name, bytes, sha256 } of listed) {
    const content = files.get(name) ?? Buffer.alloc(0);
    expect([bytes, sha256]).toEqual([content.length, createHash('sha256').update(content).digest('hex')]);
  }
  expect(parsed(files, 'manifest.json')).toMatchObject({ account: 'ada', files: listed.length, gone: [] });
});

it('an export has every version on request', async () => {
  const id = await named(bob, await repository(bob, 'many'), 'many');
  for (const value of [1, 2, 3]) await upload(bob, id, `a\n${value}\n`);
  const files = await get(bob, '?versions=all');
  const rows = [...files]
    .filter(([name]) => name.startsWith(`datasets/${id}-many/version-`))
    .map(([, content]) => content.toString());
  expect(rows).toEqual(['"a"\r\n3\r\n', '"a"\r\n2\r\n', '"a"\r\n1\r\n']);
});

it('an export needs a full key of the account', async () => {
  expect((await fetch(`${ada.baseUrl}/account/export`)).status).toBe(401);
  const { key } = await json<{ key: string }>(
    await call(ada, 'POST', '/account/keys', { name: 'ro', readOnly: true }),
    201,
  );
  expect((await call({ ...ada, key }, 'GET', '/account/export')).status).toBe(403);
  expect((await call(ada, 'GET', '/account/export?versions=some')).status).toBe(400);
});

it('an export is aborted when rows cannot be read, and releases its permit', async () => {
  const broken: Client = {
    baseUrl: product.baseUrl,
    key: (await product.createAccount('broken')).key,
  };
  const home = (await read(broken, '/repositories/home')) as { id: number };
  const id = await named(broken, home.id, 'lost');
  await upload(broken, id, `a\n${Array.from({ length: 500 }, (_, at) => at).join('\n')}\n`);
  const [row] = await product.sql.query<{ store: number }>(
    'SELECT store_id AS store FROM datasets WHERE id = $1',
    [id],
  );
  await product.clickhouse(`TRUNCATE TABLE ${product.config.clickhouseDatabase}.s${row?.store}`);
  const attempt = async (): Promise<number> => {
    const answer = await fetch(`${broken.baseUrl}/account/export`, { headers: authorization(broken.key) });
    return (await answer.arrayBuffer()).byteLength;
  };
  for (let times = 0; times < 3; times += 1) await expect(attempt()).rejects.toThrow();
  expect((await get(bob)).size).toBeGreaterThan(5);
});

it('an export ends when its client disconnects, and releases its permit', async () => {
  const leaver: Client = { baseUrl: product.baseUrl, key: (await product.createAccount('leaver')).key };
  const home = (await read(leaver, '/repositories/home')) as { id: number };
  const lines = Array.from({ length: 60_000 }, () => randomBytes(48).toString('base64'));
  await upload(leaver, await named(leaver, home.id, 'large'), `a\n${lines.join('\n')}\n`);
  for (let times = 0; times < 4; times += 1) {
    const disconnect = new AbortController();
    const answer = await fetch(`${leaver.baseUrl}/account/export`, {
      headers: authorization(leaver.key),
      signal: disconnect.signal,
    });
    await answer.body?.getReader().read();
    disconnect.abort();
  }
  const api = product.baseUrl.replace(/\/api$/, '');
  const usedPermits = async (): Promise<number> => {
    const { samples } = await readMetrics(api);
    return samples
      .filter(
        ({ name, labels }) => name === 'tabulary_permits' && ['files', 'queries'].includes(labels.kind ?? ''),
      )
      .reduce((sum, { value }) => sum + value, 0);
  };
  await expect.poll(usedPermits).toBe(0);
});

it('an export by an operator writes the whole file or none', async () => {
  const scope = createScope(silentLog);
  const parts = { config: product.config, log: createLog('test', 'silent'), scope, sql: product.sql };
  const to = join(folder, 'bob.zip');
  const report = await exportAccount(parts, 'BOB', { to, versions: 'all' });
  expect(report).toMatchObject({ account: 'bob', file: to });
  const [byCommand, overHttp] = [await unpack(to), await get(bob, '?versions=all')];
  const names = (files: Map<string, Buffer>) => [...files.keys()];
  expect(names(byCommand)).toEqual(names(overHttp));
  await expect(
    exportAccount(parts, 'broken', { to: join(folder, 'broken.zip'), versions: 'current' }),
  ).rejects.toThrow();
  expect(existsSync(join(folder, 'broken.zip')) || existsSync(join(folder, 'broken.zip.part'))).toBe(false);
  await expect(exportAccount(parts, 'nobody', { to, versions: 'all' })).rejects.toMatchObject({
    code: 'account_not_found',
  });
  await scope.close();
});

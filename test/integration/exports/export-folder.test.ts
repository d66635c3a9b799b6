/** Disk space of exported files is limited, and clones share the file of their source. */
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPlans } from '../../../src/catalog/plans.js';
import { keptVersions } from '../../../src/exports/file-sweep.js';
import {
  type Client,
  call,
  createDataset,
  download,
  json,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { startFurther } from '../../support/further-process.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
const maxBytes = 8_000_000;

beforeAll(async () => {
  product = await startProduct({
    exportsMaxBytes: String(maxBytes),
    exportsIntervalMs: '200',
  });
  const plans = createPlans({ sql: product.sql });
  await plans.put({ ...(await plans.read('unlimited')), name: 'one-megabyte', maxStoredBytes: 1_000_000 });
});

afterAll(() => product?.close());

const files = async (): Promise<string[]> => {
  const all = await readdir(join(product.config.dataDir, 'exports'), { recursive: true });
  return all.filter((name) => /^v\d+\/./.test(name)).sort();
};
const folders = async (): Promise<string[]> => (await files()).map((name) => name.split('/')[0] ?? '').sort();
const listed = async (): Promise<string[]> =>
  (await product.sql.query<{ key: string }>('SELECT key FROM export_files ORDER BY key')).map(
    ({ key }) => key,
  );

// The files of a dataset are deleted with it.
const made: { owner: Client; dataset: number }[] = [];
beforeEach(async () => {
  for (const { owner, dataset } of made.splice(0)) await call(owner, 'DELETE', `/datasets/${dataset}`);
  await expect.poll(files).toEqual([]);
  await expect.poll(listed).toEqual([]);
});

let accounts = 0;
const newOwner = async (plan?: string): Promise<Client & { id: number }> =>
  product.createAccount(`owner${++accounts}`, plan);

/** Creates a dataset whose CSV file has about this size. */
const newTable = async (owner: Client, bytes: number): Promise<number> => {
  const dataset = await createDataset(owner);
  made.push({ owner, dataset });
  const rows = Array.from({ length: bytes / 100 }, (_, row) => `${row},${String(row).padEnd(93, 'x')}`);
  await upload(owner, dataset, `k,v\n${rows.join('\n')}\n`);
  return dataset;
};

const folderOf = async (owner: Client, dataset: number): Promise<string> =>
  `v${(await readDataset(owner, dataset)).currentVersionId}`;

const linkOf = async (client: Client, dataset: number): Promise<string> => {
  const answer = await call(client, 'GET', `/datasets/${dataset}/data`);
  expect(answer.status).toBe(302);
  return answer.headers.get('location') ?? '';
};

const clone = async (owner: Client, dataset: number, name: string): Promise<number> => {
  const home = await json<{ id: number }>(await call(owner, 'GET', '/repositories/home'));
  const body = { repositoryId: home.id, name };
  const { id } = await json<{ id: number }>(
    await call(owner, 'POST', `/datasets/${dataset}/clone`, body),
    201,
  );
  made.push({ owner, dataset: id });
  return id;
};

describe('shared files:', () => {
  it('clones share the file of their dataset until the last of them is deleted', async () => {
    const owner = await newOwner();
    const source = await newTable(owner, 100_000);
    const text = await download(owner, source);
    const folder = await folderOf(owner, source);
    const clones: number[] = [];
    for (let turn = 0; turn < 5; turn += 1) clones.push(await clone(owner, source, `clone ${turn}`));
    const ofClone = await clone(owner, clones[0] ?? 0, 'clone of a clone');
    for (const dataset of [...clones, ofClone]) expect(await download(owner, dataset)).toBe(text);
    expect(await folders()).toEqual([folder]);
    await call(owner, 'DELETE', `/datasets/${source}`);
    const version = Number(folder.slice(1));
    expect(await keptVersions(product.sql)([version])).toEqual(new Set([version]));
    expect(await download(owner, ofClone)).toBe(text);
    expect(await folders()).toEqual([folder]);
    for (const dataset of [...clones, ofClone]) await call(owner, 'DELETE', `/datasets/${dataset}`);
    await expect.poll(files).toEqual([]);
  });

  it('a clone has a file of its own once a column is renamed', async () => {
    const owner = await newOwner();
    const source = await newTable(owner, 10_000);
    const copy = await clone(owner, source, 'renamed');
    const { columns } = await json<{ columns: { id: number }[] }>(
      await call(owner, 'GET', `/datasets/${copy}`),
    );
    const renamed = await call(owner, 'PATCH', `/datasets/${copy}/columns/${columns[0]?.id}`, { name: 'n' });
    expect(renamed.status).toBe(200);
    const text = await download(owner, source);
    expect(await download(owner, copy)).toBe(text.replace('"k","v"', '"n","v"'));
    expect(await download(owner, source)).toBe(text);
    expect(await files()).toHaveLength(2);
  });

  it('a restored version shares the file of the version that it restores', async () => {
    const owner = await newOwner();
    const dataset = await newTable(owner, 10_000);
    const text = await download(owner, dataset);
    const folder = await folderOf(owner, dataset);
    await upload(owner, dataset, 'k,v\n1,y\n');
    await json(await call(owner, 'POST', `/datasets/${dataset}/versions/${folder.slice(1)}/restore`), 201);
    expect(await download(owner, dataset)).toBe(text);
    expect(await folders()).toEqual([folder]);
  });
});

describe('limits', () => {
  it('evict the least recently used files of all accounts, which are exported again on request', async () => {
    const tables: { owner: Client; dataset: number; folder: string }[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const owner = await newOwner();
      const dataset = await newTable(owner, 1_700_000);
      tables.push({ owner, dataset, folder: await folderOf(owner, dataset) });
    }
    const [first, second, third, fourth, fifth] = tables as [
      (typeof tables)[0],
      ...{ owner: Client; dataset: number; folder: string }[],
    ];
    const read = (table: typeof first | undefined) => download(table!.owner, table!.dataset);
    const texts: string[] = [];
    for (const table of [first, second, third, fourth]) texts.push(await read(table));
    await expect.poll(listed).toHaveLength(4);
    await read(first);
    await read(fifth);
    const left = [first, third, fourth, fifth].map((table) => table?.folder).sort();
    await expect.poll(folders).toEqual(left);
    expect(await read(second)).toBe(texts[1]);
    await expect.poll(folders).toEqual([first, second, fourth, fifth].map((table) => table?.folder).sort());
  });

  it('give an account a quarter of the total, and at most the stored bytes of its plan', async () => {
    const owner = await newOwner();
    const tables: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) tables.push(await newTable(owner, 900_000));
    const other = await newOwner();
    const bystander = await newTable(other, 900_000);
    await download(other, bystander);
    for (const table of tables) await download(owner, table);
    const foldersWith = (tablesLeft: number[]) =>
      Promise.all([folderOf(other, bystander), ...tablesLeft.map((table) => folderOf(owner, table))]);
    await expect.poll(folders).toEqual((await foldersWith(tables.slice(1))).sort());
    await product.sql.query("UPDATE accounts SET plan = 'one-megabyte' WHERE id = $1", [owner.id]);
    await expect.poll(folders).toEqual((await foldersWith(tables.slice(2))).sort());
  });

  it('do not truncate a download whose file is evicted meanwhile', async () => {
    const owner = await newOwner();
    const large = await newTable(owner, 30_000_000);
    const whole = (await download(owner, large)).length;
    await expect.poll(listed).toHaveLength(1);
    const [answer] = (await once(get(await linkOf(owner, large)), 'response')) as [IncomingMessage];
    const size = Number(answer.headers['content-length']);
    const other = await newOwner();
    const small = await newTable(other, 500_000);
    await download(other, small);
    await expect.poll(folders).toEqual([await folderOf(other, small)]);
    let text = '';
    for await (const piece of answer) text += String(piece);
    expect([answer.complete, text.length, text.replaceAll('\r\n', '\n').length]).toEqual([true, size, whole]);
  });
});

describe('several processes', () => {
  it('that export a file at the same time store and list it once', async () => {
    const owner = await newOwner();
    const dataset = await newTable(owner, 1_000_000);
    const further = await startFurther(product, 'api');
    try {
      const clients = [owner, { ...owner, baseUrl: further.baseUrl }];
      const [one, other] = await Promise.all(clients.map((client) => download(client, dataset)));
      expect(one).toBe(other);
      const { rowCount } = await readDataset(owner, dataset);
      expect(one?.trimEnd().split('\n')).toHaveLength(rowCount + 1);
      await expect.poll(listed).toEqual(await files());
      expect(await files()).toHaveLength(1);
    } finally {
      await further.stop();
    }
  });

  it('limit files that were exported before they started, and show size and free space in metrics', async () => {
    const tables: number[] = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const owner = await newOwner();
      const dataset = await newTable(owner, 500_000);
      tables.push(dataset);
      await download(owner, dataset);
    }
    await expect.poll(listed).toHaveLength(2);
    // As an earlier release left them.
    await product.sql.query('DELETE FROM export_files');
    const further = await startFurther(product, 'api', { changes: { exportsMaxBytes: 600_000 } });
    try {
      await expect.poll(files).toHaveLength(1);
      await expect.poll(listed).toEqual(await files());
      const metric = async (name: string): Promise<number> => {
        const text = await (await fetch(`${further.root}/metrics`)).text();
        return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
      };
      await expect.poll(() => metric('tabulary_export_files')).toBe(1);
      await expect.poll(() => metric('tabulary_export_files_bytes')).toBeGreaterThan(490_000);
      expect(await metric('tabulary_export_files_bytes')).toBeLessThanOrEqual(600_000);
      expect(await metric('tabulary_export_disk_free_bytes')).toBeGreaterThan(0);
      expect(await metric('tabulary_export_disk_bytes')).toBeGreaterThan(
        await metric('tabulary_export_disk_free_bytes'),
      );
    } finally {
      await further.stop();
    }
  });
});

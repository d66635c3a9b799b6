/** Files that add no rows: only a header, or only rejected records. Their versions can be read. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVerifyCommands } from '../../../src/admin/verify.js';
import { openVerification } from '../../../src/compose/verification.js';
import type { VerificationReport } from '../../../src/versions/verify/verification.js';
import { runAdmin } from '../../support/admin.js';
import {
  type Client,
  call,
  createDataset,
  download,
  json,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { type Options, uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({
    poolMaxRows: '40',
    firstChunkBytes: '2000',
    chunkBytes: '2000',
    segmentHashIntervalMs: '86400000',
  });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

const rows = (count: number): string =>
  `K,V\n${Array.from({ length: count }, (_, at) => `k${at},${at}.5\n`).join('')}`;

/** Creates a dataset in a pool or in its own table. */
const datasetOf = async (count: number): Promise<number> => {
  const dataset = await createDataset(owner);
  await upload(owner, dataset, rows(count));
  return dataset;
};

const verify = async (options = ''): Promise<VerificationReport & { exitCode: number }> => {
  const ran = await runAdmin(product, [createVerifyCommands(openVerification)], `verify --json${options}`);
  return { ...(JSON.parse(ran.output) as VerificationReport), exitCode: ran.exitCode };
};

/** File whose records all have too many fields. */
const rejected = (header: string, count: number): string => `${header}\n${'a,b,c,d,e\n'.repeat(count)}`;

const quarantine = { onBadRow: 'quarantine' };

const numbersOf = (download: string): string[] => download.split('\n').slice(1, -1);

const files: [string, string, Options][] = [
  ['a header alone', 'K,V,New\n', {}],
  [
    'a header alone, with a manifest',
    'K,V,New\n',
    { manifest: { columns: [{ name: 'New', dataType: 'Date' }] } },
  ],
  ['one chunk of rejected records', rejected('K,V,New', 5), quarantine],
  ['many chunks of rejected records', rejected('K,V,New', 900), quarantine],
];

describe.each([
  ['a pool', 20],
  ['a table of its own', 60],
])('a dataset in %s', (_place, count) => {
  it.each(files)('can be read after an append and an upsert of %s', async (_name, content, options) => {
    const dataset = await datasetOf(count);
    for (const mode of ['append', 'upsert']) {
      expect((await uploadWith(owner, dataset, content, { ...options, mode })).error).toBeNull();
      const text = await download(owner, dataset, '?$orderby=V');
      expect(text.split('\n')[0]).toBe('"K","V","New"');
      expect(numbersOf(text)).toEqual(Array.from({ length: count }, (_, at) => `"k${at}",${at}.5,`));
    }
    expect((await readDataset(owner, dataset)).rowCount).toBe(count);
    await uploadWith(owner, dataset, 'K,V,New\nlast,900,2024-05-01\n', { mode: 'append' });
    expect(await download(owner, dataset, '?$filter=V eq 900')).toBe(
      '"K","V","New"\n"last",900,"2024-05-01"\n',
    );
  });

  it.each(files)('is empty after a sync or a replace of %s', async (_name, content, options) => {
    for (const mode of ['sync', 'replace']) {
      const dataset = await datasetOf(count);
      expect((await uploadWith(owner, dataset, content, { ...options, mode })).error).toBeNull();
      expect(await download(owner, dataset)).toBe('"K","V","New"\n');
      await uploadWith(owner, dataset, rows(count), { mode: 'append' });
      expect(numbersOf(await download(owner, dataset, '?$orderby=V'))).toHaveLength(count);
    }
  });

  it('keeps its rows after a delete with a header alone', async () => {
    const dataset = await datasetOf(count);
    expect((await uploadWith(owner, dataset, 'K,V,New\n', { mode: 'delete' })).error).toBeNull();
    expect(numbersOf(await download(owner, dataset, '?$orderby=V'))).toHaveLength(count);
  });
});

describe('a new dataset', () => {
  it.each(files)('accepts %s in every mode, and then rows with a key', async (_name, content, options) => {
    const dataset = await createDataset(owner);
    for (const mode of ['upsert', 'sync', 'append', 'replace', 'delete', 'upsert']) {
      expect([mode, (await uploadWith(owner, dataset, content, { ...options, mode })).error]).toEqual([
        mode,
        null,
      ]);
      expect(await download(owner, dataset)).toBe('"K","V","New"\n');
    }
    const last = 'K,V,New\na,1,2024-05-01\nb,2,2024-05-01\n';
    for (const mode of ['upsert', 'sync'])
      expect((await uploadWith(owner, dataset, last, { mode })).error).toBeNull();
    expect(await download(owner, dataset)).toBe('"K","V","New"\n"a",1,"2024-05-01"\n"b",2,"2024-05-01"\n');
    await uploadWith(owner, dataset, 'K,New\nb,2024-05-01\n', { mode: 'delete' });
    expect((await readDataset(owner, dataset)).rowCount).toBe(1);
  });

  it('refuses rows without a key', async () => {
    const dataset = await createDataset(owner);
    const process = await uploadWith(owner, dataset, 'K,V\n,\n', { mode: 'upsert' });
    expect(process.error?.code).toBe('no_key');
  });
});

describe('verify', () => {
  it('accepts versions that add no rows, and repairs a column that their table lacks', async () => {
    expect((await verify()).faults).toEqual([]);
    const dataset = await datasetOf(60);
    await uploadWith(owner, dataset, 'K,V,New\n', { mode: 'append' });
    const { columns, currentVersionId } = await readDataset(owner, dataset);
    const [store] = await product.sql.query<{ id: number }>(
      'SELECT store_id AS id FROM datasets WHERE id = $1',
      [dataset],
    );
    const table = `${product.config.clickhouseDatabase}.s${store?.id}`;
    await product.clickhouse(
      `ALTER TABLE ${table} DROP INDEX i_c${columns[2]?.id}_s, DROP COLUMN c${columns[2]?.id}_s`,
    );
    expect((await call(owner, 'GET', `/datasets/${dataset}/data?$top=1`)).status).toBe(500);

    const found = await verify();
    expect(found).toMatchObject({ exitCode: 1, left: 1 });
    expect(found.faults).toMatchObject([
      { dataset, versions: Number(currentVersionId), fault: 'columns_missing', expected: 60, repair: null },
    ]);
    const repaired = await verify(' --repair');
    expect(repaired).toMatchObject({ exitCode: 0, left: 0, repaired: 1 });
    expect(await download(owner, dataset, '?$top=1')).toBe('"K","V","New"\n"k0",0.5,\n');
    expect(await json(await call(owner, 'GET', `/datasets/${dataset}/versions`))).toHaveLength(2);
  });
});

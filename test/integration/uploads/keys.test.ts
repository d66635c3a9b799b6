/** Keyed uploads: refusals, changes and reported counts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  call,
  createDataset,
  download,
  json,
  type ProcessAnswer,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { type Options, putWith, refusal, uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({ firstChunkBytes: '256', chunkBytes: '1024' });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

const gdp =
  'Country,Year,Gdp\nNorway,1960,1\nNorway,1961,2\nChile,1960,3\nChile,1961,4\nPeru,1960,5\nPeru,1960,6\n';
const awaited = { query: '?async=false&wait=50' };

const datasetOf = async (file: string): Promise<number> => {
  const dataset = await createDataset(owner);
  await upload(owner, dataset, file);
  return dataset;
};

const send = (dataset: number, file: string, options: Options): Promise<ProcessAnswer & Counts> =>
  uploadWith(owner, dataset, file, options) as Promise<ProcessAnswer & Counts>;

interface Counts {
  readonly inserted: number | null;
}

const rowsOf = async (dataset: number): Promise<string[]> =>
  (await download(owner, dataset)).replaceAll('"', '').trimEnd().split('\n').slice(1);

const read = async (path: string): Promise<string> => (await call(owner, 'GET', path)).text();

describe('a key with duplicates', () => {
  it('among the stored rows is refused with three examples', async () => {
    const dataset = await datasetOf(gdp);
    const refused = await refusal(
      putWith(
        owner,
        dataset,
        'Country,Year,Gdp\nNorway,1962,9\n',
        { mode: 'upsert', key: 'Country' },
        awaited,
      ),
      409,
    );
    expect(refused).toMatchObject({
      code: 'key_not_unique',
      details: {
        examples: [
          { in: 'dataset', key: { Country: 'Norway' }, rows: 2 },
          { in: 'dataset', key: { Country: 'Chile' }, rows: 2 },
          { in: 'dataset', key: { Country: 'Peru' }, rows: 2 },
        ],
      },
    });
    expect(JSON.stringify(refused.error)).not.toContain('Norway');
    expect(await rowsOf(dataset)).toHaveLength(6);
  });

  it('in the file is refused, also with nulls and numbers among the values', async () => {
    const dataset = await datasetOf('k,n,v\na,1,1\n');
    const done = await send(dataset, 'k,n,v\n,1.50,1\n,1.5,2\nb,,3\n', { mode: 'upsert', key: 'k,n' });
    expect(done.error).toMatchObject({
      code: 'key_not_unique',
      examples: [{ in: 'file', key: { k: null, n: '1.5' }, rows: 2 }],
    });
  });

  it('is accepted when onDuplicateKey says which rows count', async () => {
    const dataset = await datasetOf('k,v\na,1\na,2\nb,3\n');
    const done = await send(dataset, 'k,v\na,8\na,9\n', { mode: 'upsert', onDuplicateKey: 'first' });
    expect(done).toMatchObject({ status: 'completed', inserted: 0, replaced: 2, unchanged: 0, removed: 0 });
    expect(await rowsOf(dataset)).toEqual(['a,8', 'a,8', 'b,3']);
  });
});

describe('the columns of a key', () => {
  it('are the requested ones, numbers included', async () => {
    const dataset = await datasetOf('Country,Year,Gdp\nNorway,1960,1\nNorway,1961,2\n');
    const done = await send(dataset, 'Country,Year,Gdp\nNorway,1961,2\nNorway,1960,7\nNorway,1962,9\n', {
      mode: 'upsert',
      key: 'Country,Year',
    });
    expect(done).toMatchObject({ status: 'completed', inserted: 1, replaced: 1, unchanged: 1, removed: 0 });
    expect(await rowsOf(dataset)).toEqual(['Norway,1960,7', 'Norway,1961,2', 'Norway,1962,9']);
  });

  it.each([
    ['the file lacks', 'k,v\na,1\n', { mode: 'upsert', key: 'k,x' }, 'missing_key'],
    ['the dataset lacks', 'k,v,x\na,1,2\n', { mode: 'sync', key: 'x' }, 'unknown_key'],
  ])('that %s are refused', async (_name, file, options, code) => {
    const dataset = await datasetOf('k,v\na,1\n');
    expect(await refusal(putWith(owner, dataset, file, options), 400)).toMatchObject({ code });
  });

  it('that do not exist at the turn of the upload fail it', async () => {
    const dataset = await datasetOf('k,v\na,1\n');
    await product.stopWorker();
    await json(await putWith(owner, dataset, 'v\n1\n', {}), 201);
    const late = await json<ProcessAnswer>(
      await putWith(owner, dataset, 'k,v\na,2\n', { mode: 'upsert', key: 'k' }),
      201,
    );
    await product.startWorker();
    await expect
      .poll(() => read(`/datasets/${dataset}/processes/${late.id}`))
      .toContain('"code":"missing_key"');
    expect(await rowsOf(dataset)).toEqual(['1']);
  });
});

describe('an upsert into a table of many columns', () => {
  const names = Array.from({ length: 40 }, (_, at) => `v${at}`);
  const header = ['k', ...names].join(',');
  /** One line: a key and `value` in every column, but other values in some of them. */
  const line = (key: string, value: string, others: Readonly<Record<string, string>> = {}): string =>
    [key, ...names.map((name) => others[name] ?? value)].join(',');
  const upsert = async (...lines: string[]): Promise<[ProcessAnswer & Counts, string[]]> => {
    const before = ['a', 'b', 'c'].map((key) => line(key, '1'));
    const dataset = await datasetOf([header, ...before, ''].join('\n'));
    const done = await send(dataset, [header, ...lines, ''].join('\n'), { mode: 'upsert', key: 'k' });
    return [done, await rowsOf(dataset)];
  };

  it('replaces rows that differ in the first columns, in the last one, or in all', async () => {
    const files = [line('a', '2'), line('b', '1', { v0: '3' }), line('c', '1', { v39: '4' })];
    const [done, rows] = await upsert(...files);
    expect(done).toMatchObject({ inserted: 0, replaced: 3, unchanged: 0, removed: 0 });
    expect(rows).toEqual(files);
  });

  it('replaces every row if all of them differ in the first columns', async () => {
    const files = [line('a', '2'), line('b', '1', { v3: '' })];
    const [done, rows] = await upsert(...files, line('d', '5'));
    expect(done).toMatchObject({ inserted: 1, replaced: 2, unchanged: 0, removed: 0 });
    expect(rows).toEqual([...files, line('c', '1'), line('d', '5')]);
  });

  it('counts equal rows as unchanged, next to changed ones', async () => {
    const changed = line('b', '1', { v39: '' });
    const [done, rows] = await upsert(line('a', '1'), changed);
    expect(done).toMatchObject({ inserted: 0, replaced: 1, unchanged: 1, removed: 0 });
    expect(rows).toEqual([line('a', '1'), changed, line('c', '1')]);
  });
});

describe('delete and sync', () => {
  it('delete removes the keys in the file and nothing else', async () => {
    const dataset = await datasetOf('k,y,v\na,1,1\na,2,2\nb,1,3\n,1,4\n');
    const done = await send(dataset, 'y,k,note\n2,a,x\n1,,y\n9,z,z\n', { mode: 'delete', key: 'k,y' });
    expect(done).toMatchObject({ status: 'completed', inserted: 0, replaced: 0, unchanged: 0, removed: 2 });
    expect(await rowsOf(dataset)).toEqual(['a,1,1', 'b,1,3']);
    expect((await readDataset(owner, dataset)).columns.map(({ name }) => name)).toEqual(['k', 'y', 'v']);
    await send(dataset, 'k,y\na,1\nb,1\n', { mode: 'delete', key: 'k,y' });
    expect(await readDataset(owner, dataset)).toMatchObject({ rowCount: 0 });
  });

  it('delete of unknown keys leaves all rows, and is refused for a dataset without data', async () => {
    const dataset = await datasetOf('k,v\na,1\nb,2\n');
    const done = await send(dataset, 'k\nc\n', { mode: 'delete' });
    expect(done).toMatchObject({ status: 'completed', removed: 0 });
    expect(await rowsOf(dataset)).toEqual(['a,1', 'b,2']);
    const empty = await createDataset(owner);
    expect(await refusal(putWith(owner, empty, 'k\nc\n', { mode: 'delete' }), 409)).toMatchObject({
      code: 'no_version',
    });
  });

  it('sync leaves exactly the keys of the file', async () => {
    const dataset = await datasetOf('k,v\na,1\nb,2\nc,3\n');
    const done = await send(dataset, 'k,v\nc,3\nd,4\na,9\n', { mode: 'sync' });
    expect(done).toMatchObject({ status: 'completed', inserted: 1, replaced: 1, unchanged: 1, removed: 1 });
    expect(await rowsOf(dataset)).toEqual(['a,9', 'c,3', 'd,4']);
    const other = await send(dataset, 'k,v\nx,1\n', { mode: 'sync' });
    expect(other).toMatchObject({ inserted: 1, replaced: 0, unchanged: 0, removed: 3 });
    expect(await rowsOf(dataset)).toEqual(['x,1']);
    await send(dataset, 'k,v\n', { mode: 'sync' });
    expect(await rowsOf(dataset)).toEqual([]);
  });

  it('sync and delete of hundreds of rows have the right counts and rows', async () => {
    const lines = Array.from({ length: 400 }, (_, at) => `key ${at},${at}`);
    const dataset = await datasetOf(`k,v\n${lines.join('\n')}\n`);
    const changed = lines.slice(100).map((line, at) => (at % 2 === 0 ? line : `${line}.5`));
    const done = await send(dataset, `k,v\n${changed.join('\n')}\nnew,1\n`, { mode: 'sync' });
    expect(done).toMatchObject({ inserted: 1, replaced: 150, unchanged: 150, removed: 100, error: null });
    expect(await rowsOf(dataset)).toEqual([...changed, 'new,1']);
    const gone = await send(
      dataset,
      `k\n${lines
        .slice(0, 399)
        .map((line) => line.split(',')[0])
        .join('\n')}\n`,
      { mode: 'delete' },
    );
    expect(gone).toMatchObject({ removed: 299, error: null });
    expect(await rowsOf(dataset)).toEqual([changed.at(-1), 'new,1']);
  });
});

describe('a dry run', () => {
  it.each([
    ['replace', {}, { inserted: null }, { added: 1, removed: 1, changed: 1 }],
    ['append', {}, { inserted: 3, removed: 0 }, { added: 3, removed: 0, changed: 0 }],
    [
      'upsert',
      {},
      { inserted: 1, replaced: 1, unchanged: 1, removed: 0 },
      { added: 1, removed: 0, changed: 1 },
    ],
    [
      'sync',
      {},
      { inserted: 1, replaced: 1, unchanged: 1, removed: 1 },
      { added: 1, removed: 1, changed: 1 },
    ],
    ['delete', {}, { removed: 2 }, { added: 0, removed: 2, changed: 0 }],
  ])('of mode %s counts and publishes nothing', async (mode, options, counts, diff) => {
    const dataset = await datasetOf('k,v\na,1\nb,2\nc,3\n');
    const before = await readDataset(owner, dataset);
    const done = await send(dataset, 'k,v\na,1\nb,5\nd,4\n', { mode, dryRun: 'true', ...options });
    expect(done).toMatchObject({
      status: 'completed',
      versionId: null,
      dryRun: true,
      error: null,
      ...counts,
    });
    expect(await readDataset(owner, dataset)).toEqual(before);
    expect(await json(await call(owner, 'GET', `/datasets/${dataset}/versions`))).toHaveLength(1);
    const path = `/datasets/${dataset}/processes/${done.id}/diff`;
    expect(JSON.parse(await read(path))).toEqual({ from: before.currentVersionId, keys: ['k'], ...diff });
    const rows = (await read(`${path}/rows`)).replaceAll('"', '').trimEnd().split('\n');
    expect(rows).toHaveLength(1 + diff.added + diff.removed + 2 * diff.changed);
  });

  it('identifies rows by its key, and can be read until its rows are deleted', async () => {
    const dataset = await datasetOf('k,y,v\na,1,1\na,2,2\n');
    const done = await send(dataset, 'k,y,v\na,2,9\n', { mode: 'upsert', key: 'k,y', dryRun: 'true' });
    const path = `/datasets/${dataset}/processes/${done.id}/diff/rows`;
    expect((await read(path)).replaceAll(/["\r]/g, '')).toBe('change,k,y,v\nbefore,a,2,2\nafter,a,2,9\n');
    await product.sql.query('UPDATE processes SET kept_until = now() WHERE id = $1', [done.id]);
    expect(await json(await call(owner, 'GET', path), 409)).toMatchObject({ code: 'dry_run_gone' });
  });

  it('fails as the upload would, and counts every row as new for an empty dataset', async () => {
    const dataset = await createDataset(owner);
    const done = await send(dataset, 'k,v\na,1\n', { mode: 'upsert', dryRun: 'true' });
    const path = `/datasets/${dataset}/processes/${done.id}/diff`;
    expect(JSON.parse(await read(path))).toEqual({ from: null, keys: [], added: 1, removed: 0, changed: 0 });
    expect((await read(`${path}/rows`)).replaceAll(/["\r]/g, '')).toBe('change,k,v\nadded,a,1\n');
    expect((await readDataset(owner, dataset)).currentVersionId).toBeNull();
    const options = { mode: 'upsert', dryRun: 'true' };
    expect(await refusal(putWith(owner, dataset, 'k,v\na,1\na,2\n', options, awaited), 409)).toMatchObject({
      code: 'key_not_unique',
    });
  });
});

describe('a key that was found to be unique', () => {
  /** Recorded key columns of each version, newest last. */
  const recordedKeys = (dataset: number) =>
    product.sql.query<{ versionId: string; names: string[] }>(
      `SELECT v.id::text AS "versionId", ARRAY(SELECT c ->> 'name' FROM jsonb_array_elements(l.columns) AS c
         WHERE (c ->> 'storageId')::bigint = ANY (k.storage_ids)) AS names
       FROM version_keys k JOIN versions v ON v.id = k.version_id JOIN column_lists l ON l.id = v.column_list_id
       WHERE v.dataset_id = $1 ORDER BY v.id`,
      [dataset],
    );

  const table = 'k,v\na,1\nb,2\nc,3\n';

  it('is recorded for the checked version and for later ones that are changed by this key', async () => {
    const dataset = await datasetOf(table);
    const { currentVersionId: first } = await readDataset(owner, dataset);
    const steps: [string, Options][] = [
      ['k,v\nb,9\nd,4\n', { mode: 'upsert' }],
      ['k,v\na,1\nb,9\nd,5\n', { mode: 'sync', onDuplicateKey: 'last' }],
      ['k\na\n', { mode: 'delete', onDuplicateKey: 'last' }],
    ];
    const versions = [first];
    for (const [file, options] of steps)
      versions.push((await send(dataset, file, { key: 'k', ...options })).versionId);
    expect(await recordedKeys(dataset)).toEqual(versions.map((versionId) => ({ versionId, names: ['k'] })));
    const { versionId } = await send(dataset, 'k,v\nb,7\n', { mode: 'upsert', key: 'k,v' });
    expect((await recordedKeys(dataset)).at(-1)).toEqual({ versionId, names: ['k', 'v'] });
  });

  it('is not recorded for rows that are added without a key, which are checked again', async () => {
    const dataset = await datasetOf(table);
    await send(dataset, 'k,v\nb,9\n', { mode: 'upsert', key: 'k' });
    const before = await recordedKeys(dataset);
    await send(dataset, 'k,v\na,5\n', { mode: 'append' });
    expect(await recordedKeys(dataset)).toEqual(before);
    const refused = await refusal(
      putWith(owner, dataset, 'k,v\nb,1\n', { mode: 'upsert', key: 'k' }, awaited),
      409,
    );
    expect(refused).toMatchObject({ code: 'key_not_unique' });
    const taken = await send(dataset, 'k,v\nb,1\n', { mode: 'upsert', key: 'k', onDuplicateKey: 'last' });
    expect(taken.status).toBe('completed');
    expect(await recordedKeys(dataset)).toEqual(before);
  });

  it('is trusted by comparisons, which check rows without a recorded key', async () => {
    const options = { mode: 'upsert', key: 'k', onDuplicateKey: 'last' };
    const changes = async (isRecorded: boolean): Promise<string> => {
      const dataset = await datasetOf('k,v\na,1\na,2\nb,3\n');
      const { currentVersionId: from } = await readDataset(owner, dataset);
      const { versionId: to } = await send(dataset, 'k,v\nb,4\n', options);
      if (isRecorded)
        await product.sql.query(
          `INSERT INTO version_keys SELECT v.id, ARRAY[(l.columns -> 0 ->> 'storageId')::bigint]
           FROM versions v JOIN column_lists l ON l.id = v.column_list_id WHERE v.dataset_id = $1`,
          [dataset],
        );
      return (await read(`/datasets/${dataset}/versions/${from}/diff/${to}/rows`)).replaceAll(/["\r]/g, '');
    };
    expect(await changes(false)).toContain('removed,b,3\nadded,b,4\n');
    expect(await changes(true)).toContain('before,b,3\nafter,b,4\n');
  });
});

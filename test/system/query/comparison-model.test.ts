/** Comparisons of all pairs of versions, checked against a model. Each is requested twice, to check the cache. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readMergeChanges } from '../../../src/storage/postgres/merge-changes.js';
import { compared, type Expected, shown } from '../../support/changes/comparison.js';
import { emptyTable, type Row, type Table, type TableColumn } from '../../support/changes/table.js';
import { type Client, call, createDataset, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;
let bob: Client;

beforeAll(async () => {
  product = await startProduct();
  owner = await product.createAccount('owner');
  bob = await product.createAccount('bob');
});
afterAll(() => product?.close());

const parse = (text: string): Row[] => {
  const [header = '', ...lines] = text.trimEnd().split('\r\n');
  const cells = (line: string): string[] => line.split(',').map((cell) => cell.replaceAll('"', ''));
  const names = cells(header);
  return lines.map((line) =>
    Object.fromEntries(
      cells(line)
        .map((cell, at) => [names[at], cell])
        .filter(([, cell]) => cell !== ''),
    ),
  );
};

const columns = ['Country', 'Date', 'Value', 'Extra'].map(
  (name): TableColumn => ({
    name,
    dataType: name === 'Country' ? 'String' : name === 'Date' ? 'Date' : 'Decimal',
    isEntity: name === 'Country' || name === 'Date',
  }),
);

const tableOf = async (dataset: number, version: string): Promise<Table> => {
  const answer = await call(owner, 'GET', `/datasets/${dataset}/data?$skip=0&versionId=${version}`);
  expect(answer.status).toBe(200);
  return { columns, rows: parse(await answer.text()) };
};

const ask = async (path: string): Promise<{ counts: Record<string, unknown>; rows: string[] }> => {
  const rows = await call(owner, 'GET', `${path}/rows`);
  expect(rows.status).toBe(200);
  return {
    counts: await json(await call(owner, 'GET', path)),
    rows: parse(await rows.text()).map(({ change = '', ...row }) => shown(change, row)),
  };
};

/** Compares counts; keys only if rows changed, since they do not affect the counts otherwise. */
const expectCounts = (counts: Record<string, unknown>, expected: Expected): void => {
  const { keys, ambiguousKeys: _, from: __, to: ___, ...numbers } = counts;
  expect(numbers).toEqual(expected.counts);
  if (numbers.changed !== 0) expect(keys).toEqual(expected.keys);
};

const header = 'Country,Date,Value\n';
const file = (...rows: readonly string[]): string => `${header}${rows.join('\n')}\n`;

const steps: Readonly<Record<string, readonly (readonly [mode: string, content: string])[]>> = {
  'a unique key': [
    ['replace', file('France,2020-01-01,1', 'Spain,2020-01-01,', ',2020-01-01,0', 'Kenya,2020-02-01,-0')],
    ['append', file('Malta,2020-01-01,5', 'Italy,2020-01-01,6')],
    ['upsert', file('France,2020-01-01,2', 'Peru,2020-01-01,7')],
    ['append', 'Country,Date,Value,Extra\nChad,2020-01-01,8,9\n'],
    ['upsert', file('Kenya,2020-02-01,0', 'Cuba,2020-03-01,0')],
    ['delete', 'Country,Date\nMalta,2020-01-01\n'],
    ['replace', file('Kenya,2020-02-01,0', 'France,2020-01-01,1.25', 'Spain,2020-01-01,')],
    ['append', file('Cuba,2020-01-01,12345678901234567.5')],
  ],
  'an ambiguous key': [
    ['replace', file('France,2020-01-01,1', 'France,2020-01-01,2', 'Spain,2020-01-01,3')],
    ['append', file('Spain,2020-01-01,4', 'France,2020-01-01,1')],
    ['replace', file('France,2020-01-01,1', 'France,2020-01-01,1', 'Spain,2020-01-01,9')],
    ['append', file('Spain,2020-01-01,3', 'Spain,2020-01-01,3')],
    ['replace', file('Spain,2020-01-01,9')],
  ],
};

describe('the differences of every pair of versions', () => {
  it.each(Object.entries(steps))('match the model, also when they are cached: %s', async (_, all) => {
    const dataset = await createDataset(owner);
    const ids: string[] = [];
    for (const [mode, content] of all)
      ids.push((await uploadWith(owner, dataset, content, { mode })).versionId ?? '');
    const restored = await json<{ versionId: string }>(
      await call(owner, 'POST', `/datasets/${dataset}/versions/${ids[1]}/restore`),
      201,
    );
    ids.push(restored.versionId);
    const contents = new Map<string, Table>();
    for (const id of ids) contents.set(id, await tableOf(dataset, id));
    for (const from of ids)
      for (const to of ids) {
        const expected = compared(contents.get(from) ?? emptyTable, contents.get(to) ?? emptyTable);
        const path = `/datasets/${dataset}/versions/${from}/diff/${to}`;
        const [first, second] = [await ask(path), await ask(path)];
        expect(second).toEqual(first);
        expectCounts(first.counts, expected);
        expect([...first.rows].sort(), `${from} and ${to}`).toEqual(expected.rows);
      }
  });
});

describe('a version created by a keyed merge', () => {
  const start = async () => {
    const dataset = await createDataset(owner);
    const content = file(
      'France,2020-01-01,1',
      'Spain,2020-01-01,-0e0',
      'Kenya,2020-02-01,3',
      'Peru,2020-02-01,0',
    );
    return { dataset, before: (await upload(owner, dataset, content)).versionId };
  };
  const change = async (dataset: number, mode: string, content: string, options = {}) =>
    (await uploadWith(owner, dataset, content, { mode, ...options })).versionId;
  const changed = file(
    'France,2020-01-01,2',
    'Spain,2020-01-01,0',
    'Kenya,2020-02-01,3',
    'Cuba,2020-03-01,4',
  );

  it.each([
    ['upsert', { added: 1, removed: 0, changed: 1 }, { inserted: 1, removed: 0, replaced: 1 }],
    ['sync', { added: 1, removed: 1, changed: 1 }, { inserted: 1, removed: 1, replaced: 1 }],
  ])('is compared by the recorded counts of the merge: %s', async (mode, counts, merged) => {
    const { dataset, before } = await start();
    const after = await change(dataset, mode, changed);
    expect(await readMergeChanges(product.sql, Number(before), Number(after))).toMatchObject(merged);
    expect(
      await json(await call(owner, 'GET', `/datasets/${dataset}/versions/${before}/diff/${after}`)),
    ).toMatchObject({ ...counts, keys: ['Country', 'Date'] });
    expect(
      await json(await call(owner, 'GET', `/datasets/${dataset}/versions/${after}/diff/${before}`)),
    ).toMatchObject({ added: counts.removed, removed: counts.added, changed: counts.changed });
  });

  it('is compared by its key columns if the merge had a different key', async () => {
    const { dataset, before } = await start();
    const after = await change(dataset, 'upsert', file('France,2020-01-09,2'), { key: 'Country' });
    expect(await readMergeChanges(product.sql, Number(before), Number(after))).toMatchObject({ replaced: 1 });
    expect(
      await json(await call(owner, 'GET', `/datasets/${dataset}/versions/${before}/diff/${after}`)),
    ).toMatchObject({ added: 1, removed: 1, changed: 0 });
  });
});

describe('cached differences of two versions', () => {
  const two = async (repositoryId?: number) => {
    const dataset =
      repositoryId === undefined
        ? await createDataset(owner)
        : (
            await json<{ id: number }>(
              await call(owner, 'POST', '/datasets', { name: `d${Math.random()}`, repositoryId }),
              201,
            )
          ).id;
    const from = (await upload(owner, dataset, file('France,2020-01-01,1', 'Spain,2020-01-01,2'))).versionId;
    const to = (await upload(owner, dataset, file('France,2020-01-01,3'))).versionId;
    return { dataset, from, to, path: `/datasets/${dataset}/versions/${from}/diff/${to}` };
  };

  it('are the same for concurrent callers', async () => {
    const { path } = await two();
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(path)));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]?.counts).toMatchObject({ added: 0, removed: 1, changed: 1 });
  });

  it('stay the same when later versions are published', async () => {
    const { dataset, path } = await two();
    const first = await ask(path);
    await uploadWith(owner, dataset, file('France,2020-01-01,4', 'Peru,2020-01-01,1'), { mode: 'upsert' });
    expect(await ask(path)).toEqual(first);
  });

  it('are not returned after one of the versions was deleted', async () => {
    const { dataset, from, path } = await two();
    await ask(path);
    expect((await call(owner, 'DELETE', `/datasets/${dataset}/versions/${from}`)).status).toBe(204);
    for (const suffix of ['', '/rows'])
      expect((await call(owner, 'GET', `${path}${suffix}`)).status).toBe(404);
  });

  it('are not returned after access was revoked', async () => {
    const repository = await json<{ id: number }>(
      await call(owner, 'POST', '/repositories', { name: `r${Math.random()}`, privacy: 'Private' }),
      201,
    );
    const { path } = await two(repository.id);
    const grant = `/repositories/${repository.id}/permissions/bob`;
    await json(await call(owner, 'PUT', grant, { level: 'Read' }));
    const answer = await call(bob, 'GET', `${path}/rows`);
    expect(await answer.text()).toContain('"before"');
    expect((await call(owner, 'DELETE', grant)).status).toBeLessThan(300);
    for (const suffix of ['', '/rows']) expect((await call(bob, 'GET', `${path}${suffix}`)).status).toBe(403);
  });

  it('are not affected by a request for some of the rows', async () => {
    const { path } = await two();
    const all = await ask(path);
    const one = await call(owner, 'GET', `${path}/rows?$top=1`);
    expect(parse(await one.text())).toHaveLength(1);
    expect(await ask(path)).toEqual(all);
  });
});

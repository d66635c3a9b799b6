import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, call, createDataset, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct();
  owner = await product.createAccount('owner');
});
afterAll(() => product?.close());

interface Compared {
  readonly counts: object;
  readonly rows: string[];
  readonly header: string | null;
  readonly ambiguous: string | null;
}

const versionsOf = async (dataset: number, ...files: readonly string[]): Promise<string[]> => {
  const ids: string[] = [];
  for (const file of files) ids.push((await upload(owner, dataset, file)).versionId ?? '');
  return ids;
};

const compare = async (...files: readonly [string, string]): Promise<Compared> => {
  const dataset = await createDataset(owner);
  const [from, to] = await versionsOf(dataset, ...files);
  const path = `/datasets/${dataset}/versions/${from}/diff/${to}`;
  const rows = await call(owner, 'GET', `${path}/rows`);
  return {
    counts: await json(await call(owner, 'GET', path)),
    header: rows.headers.get('row-key'),
    ambiguous: rows.headers.get('ambiguous-row-key'),
    rows: (await rows.text()).trim().split('\r\n').slice(1),
  };
};

/** Item is a number, so the country alone is not a key. */
const gdp = (rows: readonly string[]): string => `Country,Item,Value\n${rows.join('\n')}\n`;

describe('two versions whose entity columns are not unique', () => {
  it('are compared by whole rows, and the answer says so', async () => {
    const before = ['France,1,10', 'France,2,20', 'Spain,1,30'];
    const after = ['France,2,20', 'France,1,11', 'Spain,1,30'];
    expect(await compare(gdp(before), gdp(after))).toEqual({
      counts: expect.objectContaining({
        keys: [],
        ambiguousKeys: ['Country'],
        added: 1,
        removed: 1,
        changed: 0,
      }),
      header: '[]',
      ambiguous: '["Country"]',
      rows: ['"removed","France",1,10', '"added","France",1,11'],
    });
  });

  it.each([
    ['first', ['France,1,10', 'France,2,20'], ['France,1,11']],
    ['second', ['France,1,11'], ['France,1,10', 'France,2,20']],
  ])('are compared by whole rows if only the %s repeats a key', async (_, before, after) => {
    const { counts, rows } = await compare(gdp(before), gdp(after));
    expect(counts).toMatchObject({ keys: [], added: after.length, removed: before.length, changed: 0 });
    expect(rows.map((row) => row.slice(0, 4)).sort()).toEqual(
      [...before.map(() => '"rem'), ...after.map(() => '"add')].sort(),
    );
  });

  it('match equal rows in pairs', async () => {
    const { counts } = await compare(gdp(['France,1,10', 'France,1,10']), gdp(['France,1,10']));
    expect(counts).toMatchObject({ keys: ['Country'], added: 0, removed: 1, changed: 0 });
  });
});

describe('two versions whose entity columns are unique', () => {
  it('are compared by these, nulls included', async () => {
    expect(
      await compare('Pays é,Value\nFrance,1\n,2\nSpain,3\n', 'Pays é,Value\n,5\nFrance,1\nItaly,4\n'),
    ).toEqual({
      counts: expect.objectContaining({
        keys: ['Pays é'],
        added: 1,
        removed: 1,
        changed: 1,
      }),
      header: '["Pays \\u00e9"]',
      ambiguous: null,
      rows: ['"removed","Spain",3', '"before",,2', '"after",,5', '"added","Italy",4'],
    });
  });

  it('compare numbers regardless of their stored types', async () => {
    // The long number makes the column of the second version a decimal.
    const { counts } = await compare(
      'Country,Value\nFrance,1e21\nSpain,1.50\nItaly,0.0000001\nMalta,-0\nKenya,7\n',
      'Country,Value\nFrance,1000000000000000000000\nSpain,1.5\nItaly,1e-7\nMalta,0\nKenya,12345678901234567.5\n',
    );
    expect(counts).toMatchObject({ keys: ['Country'], added: 0, removed: 0, changed: 1 });
  });
});

it.each([
  ['taken from the merge that made the second version', 0, 7],
  ['counted again after the first version was repaired', 1, 1],
] as const)('changes are %s', async (_, repairs, changed) => {
  const dataset = await createDataset(owner);
  const [from] = await versionsOf(dataset, 'Country,Value\nFrance,1\nSpain,2\n');
  const merged = await uploadWith(owner, dataset, 'Country,Value\nFrance,3\n', { mode: 'upsert' });
  // A count that only the record has.
  await product.sql.query(
    "UPDATE processes SET merge = jsonb_set(merge, '{changes,replaced}', '7') WHERE version_id = $1",
    [merged.versionId],
  );
  await product.sql.query('UPDATE versions SET repairs = repairs + $2 WHERE id = $1', [from, repairs]);
  const path = `/datasets/${dataset}/versions/${from}/diff/${merged.versionId}`;
  expect(await json(await call(owner, 'GET', path))).toMatchObject({ added: 0, removed: 0, changed });
});

it('a dry run compares by its key, or by whole rows if that is not unique', async () => {
  const dataset = await createDataset(owner);
  await upload(owner, dataset, gdp(['France,1,10', 'France,2,20']));
  const dryRun = async (key: string[]): Promise<object> => {
    const { id } = await uploadWith(owner, dataset, gdp(['France,1,11']), {
      mode: 'upsert',
      dryRun: 'true',
      key,
      onDuplicateKey: 'last',
    });
    return json(await call(owner, 'GET', `/datasets/${dataset}/processes/${id}/diff`));
  };
  expect(await dryRun(['Country', 'Item'])).toMatchObject({
    keys: ['Country', 'Item'],
    changed: 1,
    added: 0,
  });
  expect(await dryRun(['Country'])).toMatchObject({ keys: [], ambiguousKeys: ['Country'], changed: 0 });
});

describe('revisions', () => {
  const read = async (dataset: number, query = '') => {
    const answer = await call(owner, 'GET', `/datasets/${dataset}/revisions?${query}`);
    return {
      key: answer.headers.get('row-key'),
      ambiguous: answer.headers.get('ambiguous-row-key'),
      rows: (await json<Record<string, unknown>[]>(answer)).map(
        ({ publishedAt: _, versionId: __, ...row }) => row,
      ),
    };
  };

  it('compare whole rows if several rows share the entity columns', async () => {
    const dataset = await createDataset(owner);
    await versionsOf(dataset, gdp(['France,1,10', 'France,2,20']), gdp(['France,2,20', 'France,1,11']));
    const { key, ambiguous, rows } = await read(dataset);
    expect([key, ambiguous]).toEqual(['[]', '["Country"]']);
    expect(rows).toHaveLength(4);
    expect(rows).toEqual(
      expect.arrayContaining([
        { Country: 'France', Item: 1, Value: 10, change: 'added' },
        { Country: 'France', Item: 1, Value: 10, change: 'removed' },
        { Country: 'France', Item: 1, Value: 11, change: 'added' },
        { Country: 'France', Item: 2, Value: 20, change: 'added' },
      ]),
    );
    // Within an item, the country is the key.
    expect(await read(dataset, '$filter=Item eq 1')).toEqual({
      key: '["Country"]',
      ambiguous: null,
      rows: [
        { Country: 'France', Item: 1, Value: 10, change: 'added' },
        { Country: 'France', Item: 1, Value: 11, change: 'changed' },
      ],
    });
  });

  it('keep numbers as numbers when only their storage differs', async () => {
    const dataset = await createDataset(owner);
    await versionsOf(
      dataset,
      'Country,Value\nFrance,1.5\nSpain,-0\nItaly,1e-7\n',
      'Country,Value\nFrance,1.50\nSpain,12345678901234567.25\nItaly,0.0000001\n',
      'Country,Value\nFrance,3\nSpain,0\nItaly,0.0000001\n',
    );
    const answer = await call(owner, 'GET', `/datasets/${dataset}/revisions?$select=Value`);
    const text = await answer.text();
    expect(text.match(/"Value":[^,]*/g)).toEqual([
      '"Value":1.5',
      '"Value":3',
      '"Value":0.0000001',
      '"Value":0',
      '"Value":12345678901234567.25',
      '"Value":0',
    ]);
    expect((await read(dataset, '$filter=Value gt 3')).rows).toMatchObject([
      { Country: 'Spain', change: 'added' },
      { Country: 'Spain', change: 'removed' },
    ]);
  });
});

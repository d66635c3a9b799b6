/** Year columns are entities and the time axis of a dataset without dates. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
  product = await startProduct({ poolMaxRows: '200', firstChunkBytes: '2000', chunkBytes: '2000' });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

const datasetOf = async (content: string, options: Options = {}): Promise<number> => {
  const dataset = await createDataset(owner);
  expect((await uploadWith(owner, dataset, content, options)).error).toBeNull();
  return dataset;
};

const factsOf = async (dataset: number) => {
  const { columns, minDate, maxDate, frequency } = await readDataset(owner, dataset);
  const entities = columns.filter(({ isEntity }) => isEntity).map(({ name }) => name);
  return { entities, minDate, maxDate, frequency };
};

const noDates = { minDate: null, maxDate: null, frequency: null };

/** @param years years of each country. */
const table = (years: readonly number[], header = 'Country,Year,GDP'): string =>
  `${header}\n${years.flatMap((year) => ['NO', 'SE'].map((country) => `${country},${year},${year / 10}\n`)).join('')}`;

const range = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => first + at);

describe.each([
  ['in one chunk', 20],
  ['in many chunks', 90],
  ['in a table of its own', 300],
])('a table of countries and years, %s', (_size, count) => {
  const first = 1_850;
  const last = first + count - 1;

  it('has years as entities, a date range and a frequency', async () => {
    const dataset = await datasetOf(table(range(first, count)));
    const facts = { entities: ['Country', 'Year'], minDate: `${first}-01-01`, frequency: 'Annual' };
    expect(await factsOf(dataset)).toEqual({ ...facts, maxDate: `${last}-01-01` });
    expect((await readDataset(owner, dataset)).columns[1]?.dataType).toBe('Decimal');
    expect(await download(owner, dataset, '?$last=1&$select=GDP')).toBe(
      `"Country","Year","GDP"\n"NO",${last},${last / 10}\n"SE",${last},${last / 10}\n`,
    );

    const changed = `Country,Year,GDP\nNO,${last},7\nNO,${last + 1},8\n`;
    expect((await uploadWith(owner, dataset, changed, { mode: 'upsert' })).error).toBeNull();
    expect((await readDataset(owner, dataset)).rowCount).toBe(2 * count + 1);
    expect(await factsOf(dataset)).toEqual({ ...facts, maxDate: `${last + 1}-01-01` });
    expect(await download(owner, dataset, '?$last=2&$filter=Country eq %27NO%27')).toBe(
      `"Country","Year","GDP"\n"NO",${last},7\n"NO",${last + 1},8\n`,
    );
  });

  it('is not a table of years if one number is not a year', async () => {
    const dataset = await datasetOf(`${table(range(first, count))}NO,9999,1\n`);
    expect(await factsOf(dataset)).toEqual({ entities: ['Country'], ...noDates });
    expect((await readDataset(owner, dataset)).rowCount).toBe(2 * count + 1);
  });
});

describe('a column of years', () => {
  it('stays one when other numbers are appended, which belong to no period', async () => {
    const dataset = await datasetOf(table([2001, 2003]));
    const more = 'Country,Year,GDP\nNO,9999,1\nNO,2004.5,2\nNO,,3\nNO,2002,4\n';
    expect((await uploadWith(owner, dataset, more, { mode: 'append' })).error).toBeNull();
    expect(await factsOf(dataset)).toEqual({
      entities: ['Country', 'Year'],
      minDate: '2001-01-01',
      maxDate: '2003-01-01',
      frequency: 'Annual',
    });
    expect(await download(owner, dataset, '?$last=2&$filter=Country eq %27NO%27')).toBe(
      '"Country","Year","GDP"\n"NO",2003,200.3\n"NO",2002,4\n',
    );
    await uploadWith(owner, dataset, 'Country,Year,GDP\nNO,12345678901234567890.5,5\nNO,2005,6\n', {
      mode: 'append',
    });
    expect((await factsOf(dataset)).maxDate).toBe('2005-01-01');
    expect(await download(owner, dataset, '?$last=1')).toBe('"Country","Year","GDP"\n"NO",2005,6\n');
  });

  it('becomes the header of a transposed table', async () => {
    const dataset = await datasetOf(table([2001, 2002]));
    const text = '"Country","Column","2001","2002"\n"NO","GDP",200.1,200.2\n"SE","GDP",200.1,200.2\n';
    expect(await download(owner, dataset, '?transpose=true')).toBe(text);
    const rows = await download(owner, dataset, '?transpose=true&$format=json&$last=1');
    expect(JSON.parse(rows)).toEqual([
      { Country: 'NO', Column: 'GDP', 2002: 200.2 },
      { Country: 'SE', Column: 'GDP', 2002: 200.2 },
    ]);
    const apply = encodeURIComponent('groupby((Year),aggregate(GDP with sum as Total))');
    expect(await download(owner, dataset, `?$last=1&$apply=${apply}`)).toBe('"Year","Total"\n2002,400.4\n');
  });

  it.each([
    'year',
    'YR',
    'Fiscal year',
    'ref_year',
    'FiscalYear',
    'Jahr',
    'Berichtsjahr',
    'Année',
    'año',
    'Anno',
    ' Year',
  ])('can be named %j', async (name) => {
    const dataset = await datasetOf(table([2001], `Country,${name},GDP`));
    expect(await factsOf(dataset)).toMatchObject({ entities: ['Country', name], minDate: '2001-01-01' });
  });

  it.each([
    ['a code', 'Country,Code,V\nNO,2001,1\n', ['Country']],
    ['another number', 'Country,Year,V\nNO,12,1\n', ['Country']],
    ['a year of text', 'Country,Year,V\nNO,2020/21,1\n', ['Country', 'Year']],
    ['a name that only contains the word', 'Country,Yearly,V\nNO,2001,1\n', ['Country']],
    ['no value at all', 'Country,Year,V\nNO,,1\n', ['Country']],
  ])('cannot be %s', async (_what, content, entities) => {
    expect(await factsOf(await datasetOf(content))).toEqual({ entities, ...noDates });
  });

  it('yields to a date column and to a manifest', async () => {
    const dated = await datasetOf('Day,Year,V\n2024-05-01,2023,1\n');
    expect(await factsOf(dated)).toMatchObject({ entities: ['Day', 'Year'], minDate: '2024-05-01' });
    const value = { manifest: { columns: [{ name: 'Year', isEntity: false }] } };
    expect(await factsOf(await datasetOf(table([2001, 2002]), value))).toEqual({
      entities: ['Country'],
      ...noDates,
    });
    const typed = { manifest: { columns: [{ name: 'Year', dataType: 'Decimal' }] } };
    expect(await factsOf(await datasetOf(table([2001, 2002]), typed))).toMatchObject({
      entities: ['Country', 'Year'],
    });
  });

  it('is the first of several, and the next one when that is deleted', async () => {
    const dataset = await datasetOf('Fiscal year,Year,V\n2001,2000,1\n2002,2001,2\n');
    expect(await factsOf(dataset)).toMatchObject({
      entities: ['Fiscal year', 'Year'],
      maxDate: '2002-01-01',
    });
    const [column] = (await readDataset(owner, dataset)).columns;
    await call(owner, 'DELETE', `/datasets/${dataset}/columns/${column?.id}`);
    expect(await factsOf(dataset)).toMatchObject({
      entities: ['Year'],
      minDate: '2000-01-01',
      maxDate: '2001-01-01',
    });
  });

  it('is decided by its first values, and keeps a role that a PATCH has set', async () => {
    const dataset = await datasetOf('Country,Year,V\nNO,,1\n');
    await uploadWith(owner, dataset, 'Country,Year,V\nNO,2001,2\n', { mode: 'append' });
    expect(await factsOf(dataset)).toMatchObject({ entities: ['Country', 'Year'], maxDate: '2001-01-01' });
    const year = (await readDataset(owner, dataset)).columns[1]?.id;
    await json(await call(owner, 'PATCH', `/datasets/${dataset}/columns/${year}`, { isEntity: false }));
    await uploadWith(owner, dataset, 'Country,Year,V\nNO,2002,3\n', { mode: 'append' });
    expect(await factsOf(dataset)).toEqual({ entities: ['Country'], ...noDates });
  });

  it('can have a decimal point and empty cells', async () => {
    const dataset = await datasetOf('Year,V\n2001.0,1\n,2\nNA,3\n2003.0,4\n');
    expect(await factsOf(dataset)).toMatchObject({
      entities: ['Year'],
      minDate: '2001-01-01',
      maxDate: '2003-01-01',
    });
    await upload(owner, dataset, 'Year,V\n1,1\n');
    expect(await factsOf(dataset)).toEqual({ entities: [], ...noDates });
  });
});

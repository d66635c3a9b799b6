/** Options name columns exactly, or without leading and trailing spaces if that is unambiguous. */
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
import { type Options, putWith, refusal, uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct();
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

const blank = 'Code, Country, Value\n1,NO,1\n2,SE,2\n';

const datasetOf = async (content: string): Promise<number> => {
  const dataset = await createDataset(owner);
  await upload(owner, dataset, content);
  return dataset;
};

const upsert = (dataset: number, key: string | string[], content: string) =>
  uploadWith(owner, dataset, content, { mode: 'upsert', key });

describe('a header with blanks after its commas', () => {
  it.each([
    [['Code', ' Country']],
    [['Code', 'Country']],
    ['Code, Country'],
    ['Code,Country'],
    ['[" Code ","Country"]'],
  ])('accepts the key %j', async (key) => {
    const dataset = await datasetOf(blank);
    expect((await upsert(dataset, key, 'Code, Country, Value\n1,NO,7\n2,NO,3\n')).error).toBeNull();
    expect(await download(owner, dataset)).toBe('"Code"," Country"," Value"\n1,"NO",7\n2,"SE",2\n2,"NO",3\n');
  });

  it('is selected and sorted with and without them', async () => {
    const dataset = await datasetOf(blank);
    for (const query of ['Code, Value', 'Code,Value', '"Code","Value"', 'Code,[ Value]'])
      expect(
        await download(owner, dataset, `?$select=${encodeURIComponent(query)}&$orderby=Value desc`),
      ).toBe('" Country","Code"," Value"\n"SE",2,2\n"NO",1,1\n');
  });

  it('is listed by a manifest without them, which sets and checks types', async () => {
    const manifest = {
      columns: [{ name: 'Value', dataType: 'String', description: 'as text' }],
      unlisted: 'infer',
    };
    const dataset = await createDataset(owner);
    expect((await uploadWith(owner, dataset, blank, { manifest })).error).toBeNull();
    const { columns } = await readDataset(owner, dataset);
    expect(columns).toMatchObject([
      { name: 'Code' },
      { name: ' Country' },
      { name: ' Value', dataType: 'String', description: 'as text' },
    ]);
    const other = { columns: [{ name: 'Value', dataType: 'Decimal' }] };
    const refused = await refusal(putWith(owner, dataset, blank, { mode: 'append', manifest: other }), 409);
    expect(refused.code).toBe('type_conflict');
  });

  it('is the target of a merge without them', async () => {
    const dataset = await datasetOf(' Country,Land\nNO,\n,SE\n');
    const [kept, gone] = (await readDataset(owner, dataset)).columns;
    const path = `/datasets/${dataset}/columns/${gone?.id}`;
    const column = await json<{ id: number }>(
      await call(owner, 'PATCH', path, { name: 'Country', merge: true }),
    );
    expect(column.id).toBe(kept?.id);
    expect(await download(owner, dataset)).toBe('" Country"\n"NO"\n"SE"\n');
  });
});

describe('names that differ only in blanks', () => {
  const both = 'Code, Code,V\n1,a,1\n1,b,2\n';

  it('are distinguished if they are written exactly', async () => {
    const dataset = await datasetOf(both);
    expect((await upsert(dataset, ['Code', ' Code'], 'Code, Code,V\n1,b,3\n')).error).toBeNull();
    expect(await download(owner, dataset, `?$select=${encodeURIComponent('[Code],V')}`)).toBe(
      '" Code","Code","V"\n"a",1,1\n"b",1,3\n',
    );
  });

  it.each<[string, Options, string]>([
    ['a key', { mode: 'upsert', key: ['Code  '] }, 'missing_key'],
    ['a key that names one column twice', { mode: 'upsert', key: ['V', ' V'] }, 'invalid_option'],
    ['a manifest', { manifest: { columns: [{ name: 'Code  ' }] } }, 'invalid_manifest'],
    [
      'a manifest that lists one column twice',
      { manifest: { columns: [{ name: 'V' }, { name: ' V' }] } },
      'invalid_manifest',
    ],
  ])('are refused in %s', async (_what, options, code) => {
    const dataset = await datasetOf(both);
    expect((await refusal(putWith(owner, dataset, both, options), 400)).code).toBe(code);
  });

  it('are refused in $select if they are ambiguous', async () => {
    const dataset = await datasetOf(both);
    const select = encodeURIComponent('[Code  ]');
    const answer = await call(owner, 'GET', `/datasets/${dataset}/data?$select=${select}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'unknown_column' });
  });
});

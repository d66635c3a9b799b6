/** The type and role of a column without values are decided by its first value, in any upload. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { type Options, putWith, uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct();
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

/** Name, type and role of each column, as the API shows them. */
const shown = async (dataset: number): Promise<string[]> =>
  (await readDataset(owner, dataset)).columns.map(
    ({ name, dataType, isEntity }) => `${name} ${dataType}${isEntity ? ' entity' : ''}`,
  );

const send = async (dataset: number, content: string, options: Options): Promise<ProcessAnswer> => {
  const process = await uploadWith(owner, dataset, content, options);
  expect(process.error).toBeNull();
  return process;
};

const append = { mode: 'append' };
const upsert = { mode: 'upsert' };

const header = 'Country,Month,Price\n';

describe('a column without values', () => {
  it('is a value column, and stays one when numbers are added', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, `${header}NO,2024-01,\n`);
    expect(await shown(dataset)).toEqual(['Country String entity', 'Month Date entity', 'Price String']);
    await send(dataset, `${header}NO,2024-02,1.5\n`, append);
    expect(await shown(dataset)).toEqual(['Country String entity', 'Month Date entity', 'Price Decimal']);
    await send(dataset, `${header}NO,2024-02,1.7\nNO,2024-01,1.1\n`, upsert);
    expect(await download(owner, dataset)).toBe(
      '"Country","Month","Price"\n"NO","2024-01-01",1.1\n"NO","2024-02-01",1.7\n',
    );
  });

  it('becomes an entity with its first text; earlier versions stay as they were', async () => {
    const dataset = await createDataset(owner);
    const first = await upload(owner, dataset, 'Year,Note,V\n1,,1\n');
    const old = `?versionId=${first.versionId}&$select=V`;
    expect(await download(owner, dataset, old)).toBe('"V"\n1\n');
    await send(dataset, 'Year,Note,V\n2,word,2\n', append);
    expect(await shown(dataset)).toEqual(['Year Decimal', 'Note String entity', 'V Decimal']);
    expect(await download(owner, dataset, '?$select=V')).toBe('"Note","V"\n,1\n"word",2\n');
    expect(await download(owner, dataset, old)).toBe('"V"\n1\n');
  });

  it('is not part of the key before it has values', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'Country,Note,V\nNO,,1\nSE,,2\n');
    await send(dataset, 'Country,Note,V\nNO,word,3\n', upsert);
    expect(await download(owner, dataset)).toBe('"Country","Note","V"\n"NO","word",3\n"SE",,2\n');
    await send(dataset, 'Country,Note,V\nNO,other,4\n', upsert);
    expect(await download(owner, dataset)).toBe(
      '"Country","Note","V"\n"NO","word",3\n"SE",,2\n"NO","other",4\n',
    );
  });

  it('is part of the key if the dataset has no rows and the file has values', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, header);
    expect(await shown(dataset)).toEqual(['Country String', 'Month String', 'Price String']);
    await send(dataset, `${header}NO,2024-01,1\nSE,2024-01,2\n`, upsert);
    await send(dataset, `${header}NO,2024-01,3\n`, upsert);
    expect(await shown(dataset)).toEqual(['Country String entity', 'Month Date entity', 'Price Decimal']);
    expect(await download(owner, dataset)).toBe(
      '"Country","Month","Price"\n"NO","2024-01-01",3\n"SE","2024-01-01",2\n',
    );
  });

  it('keeps the role that a manifest or a PATCH has set, and its id through a rename', async () => {
    const dataset = await createDataset(owner);
    const manifest = { columns: [{ name: 'Price', isEntity: true }] };
    await send(dataset, 'Country,Price,Note\nNO,,\n', { manifest });
    expect(await shown(dataset)).toEqual(['Country String entity', 'Price String entity', 'Note String']);
    const { columns } = await readDataset(owner, dataset);
    const change = { isEntity: false, name: 'Remark' };
    await json(await call(owner, 'PATCH', `/datasets/${dataset}/columns/${columns[2]?.id}`, change));
    await send(dataset, 'Country,Price,Remark\nNO,1.5,text\n', append);
    expect(await shown(dataset)).toEqual(['Country String entity', 'Price Decimal entity', 'Remark String']);
    expect((await readDataset(owner, dataset)).columns.map(({ id }) => id)).toEqual(
      columns.map(({ id }) => id),
    );
  });

  it('has type and role of the column that is merged into it', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'Country,Area,Region\nNO,,North\n');
    const { columns } = await readDataset(owner, dataset);
    const body = { name: 'Area', merge: true };
    await json(await call(owner, 'PATCH', `/datasets/${dataset}/columns/${columns[2]?.id}`, body));
    expect(await shown(dataset)).toEqual(['Country String entity', 'Area String entity']);
  });

  it('keeps the strings of an upload that is published before a file without values', async () => {
    const dataset = await createDataset(owner);
    await product.stopWorker();
    const sent: ProcessAnswer[] = [];
    for (const row of ['a,x', 'b,'])
      sent.push(await json<ProcessAnswer>(await putWith(owner, dataset, `A,B\n${row}\n`, append), 201));
    await product.startWorker();
    for (const process of sent) expect((await ended(owner, process)).error).toBeNull();
    await send(dataset, 'A,B\nc,5\n', append);
    expect(await download(owner, dataset)).toBe('"A","B"\n"a","x"\n"b",\n"c","5"\n');
    expect(await shown(dataset)).toEqual(['A String entity', 'B String entity']);
  });
});

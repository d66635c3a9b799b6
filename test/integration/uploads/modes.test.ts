import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { putWith, refusal, uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({ firstChunkBytes: '256', chunkBytes: '1024' });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

const append = { mode: 'append' };
const upsert = { mode: 'upsert' };
const failed = (code: string, more: object = {}) => ({ status: 'failed', error: { code, ...more } });

describe('append', () => {
  it('appends new rows after the old ones, with columns matched by name', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a,b\n1,x\n2,y\n');
    const done = await uploadWith(owner, dataset, 'b,a\nz,3\n', append);
    expect(done).toMatchObject({ status: 'completed', mode: 'append', error: null });
    expect(await download(owner, dataset)).toBe('"a","b"\n1,"x"\n2,"y"\n3,"z"\n');
    expect((await readDataset(owner, dataset)).rowCount).toBe(3);
  });

  it('of a first file creates the first version of the dataset', async () => {
    const dataset = await createDataset(owner);
    expect(await uploadWith(owner, dataset, 'a\n1\n', append)).toMatchObject({ status: 'completed' });
    expect(await download(owner, dataset)).toBe('"a"\n1\n');
  });

  it('leaves null in columns that rows lack, old and new', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a,b\n1,x\n');
    await uploadWith(owner, dataset, 'a,c\n2,5\n', append);
    expect(await download(owner, dataset)).toBe('"a","b","c"\n1,"x",\n2,,5\n');
  });

  it('fails for a value of another type, with its line, and leaves the dataset as it was', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a,b\n1,2020-01-01\n');
    const done = await uploadWith(owner, dataset, 'a,b\n2,2020-02-01\nmany,2020-03-01\n', append);
    expect(done).toMatchObject(failed('value', { line: 3, column: 'a', value: 'many' }));
    expect(await download(owner, dataset)).toBe('"a","b"\n1,"2020-01-01"\n');
  });

  it('keeps numbers exact when a longer one is added, in old rows too', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a,b\n1.5,x\n0.000125,y\n1e22,z\n');
    const long = '12345678901234567890.123';
    expect(await uploadWith(owner, dataset, `a,b\n${long},w\n`, append)).toMatchObject({
      status: 'completed',
    });
    expect((await readDataset(owner, dataset)).columns[0]?.dataType).toBe('Decimal');
    expect(await download(owner, dataset)).toBe(
      `"a","b"\n1.5,"x"\n0.000125,"y"\n10000000000000000000000,"z"\n${long},"w"\n`,
    );
  });

  it('widens a column when requested; earlier versions keep their types', async () => {
    const dataset = await createDataset(owner);
    const first = await upload(owner, dataset, 'a,b\n1,x\n');
    await uploadWith(owner, dataset, 'a,b\nmany,y\n', { mode: 'append', onTypeConflict: 'widen' });
    expect(await download(owner, dataset)).toBe('"a","b"\n"1","x"\n"many","y"\n');
    expect(await download(owner, dataset, `?versionId=${first.versionId}`)).toBe('"a","b"\n1,"x"\n');
  });

  it('keeps the text of values that look like numbers in a String column', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a,b\nx,1\n');
    await uploadWith(owner, dataset, 'a,b\n2020Q1,2\n1.50,3\nNA,4\n', append);
    expect(await download(owner, dataset)).toBe('"a","b"\n"x",1\n"2020Q1",2\n"1.50",3\n"NA",4\n');
  });

  it('of several concurrent files adds them in the order in which they were accepted', async () => {
    const dataset = await createDataset(owner);
    const files = Array.from(
      { length: 6 },
      (_, turn) => `n,t\n${`${turn},x\n`.repeat(turn % 2 === 0 ? 700 : 1)}`,
    );
    const done = await Promise.all(files.map((file) => uploadWith(owner, dataset, file, append)));
    expect(done.map(({ status }) => status)).toEqual(done.map(() => 'completed'));
    const order = done
      .map((process, turn) => ({ id: process.id, turn }))
      .sort((a, b) => a.id - b.id)
      .map(({ turn }) => turn);
    const wanted = order.flatMap((turn) => new Array<string>(turn % 2 === 0 ? 700 : 1).fill(`${turn},"x"`));
    expect((await download(owner, dataset)).trimEnd().split('\n').slice(1)).toEqual(wanted);
  });

  it('adds to the version that was published in the meantime', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a,b\n1,x\n');
    await product.stopWorker();
    const first = await json<ProcessAnswer>(await putWith(owner, dataset, 'a,b\nword,y\n', {}), 201);
    const second = await json<ProcessAnswer>(await putWith(owner, dataset, 'a,b\n2,z\n', append), 201);
    await product.startWorker();
    expect((await ended(owner, first)).status).toBe('completed');
    expect((await ended(owner, second)).status).toBe('completed');
    expect(await download(owner, dataset)).toBe('"a","b"\n"word","y"\n"2","z"\n');
  });
});

describe('upsert', () => {
  it('replaces rows in place and appends new keys in file order', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,d,v\na,2020-01-01,1\nb,2020-01-01,2\n,2020-01-01,3\nc,2020-01-01,4\n');
    const done = await uploadWith(
      owner,
      dataset,
      'd,k,v\n2020-02-01,z,9\n2020-01-01,b,20\n2020-01-01,,30\n2020-02-01,a,8\n',
      upsert,
    );
    expect(done).toMatchObject({ status: 'completed', error: null });
    expect(await download(owner, dataset)).toBe(
      '"k","d","v"\n"a","2020-01-01",1\n"b","2020-01-01",20\n,"2020-01-01",30\n"c","2020-01-01",4\n' +
        '"z","2020-02-01",9\n"a","2020-02-01",8\n',
    );
  });

  it.each([
    ['last', 'x,3'],
    ['first', 'x,1'],
  ])('uses the %s of equal keys of one file', async (onDuplicateKey, row) => {
    const dataset = await createDataset(owner);
    await uploadWith(owner, dataset, 'k,v\nx,1\ny,2\nx,3\n', { ...upsert, onDuplicateKey });
    const rows = (await download(owner, dataset)).replaceAll('"', '').trimEnd().split('\n').slice(1);
    expect(rows.sort()).toEqual([row, 'y,2'].sort());
    await uploadWith(owner, dataset, 'k,v\ny,1\ny,5\n', { ...upsert, onDuplicateKey });
    expect(await download(owner, dataset)).toContain(onDuplicateKey === 'last' ? '"y",5' : '"y",1');
  });

  it('fails for equal keys when requested', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,v\nx,1\n');
    const done = await uploadWith(owner, dataset, 'k,v\nx,1\nx,2\n', { ...upsert, onDuplicateKey: 'fail' });
    expect(done).toMatchObject(failed('key_not_unique'));
    expect(await download(owner, dataset)).toBe('"k","v"\n"x",1\n');
  });

  it('needs an entity column in the dataset and in the file', async () => {
    const dataset = await createDataset(owner);
    expect(await refusal(putWith(owner, dataset, 'a,b\n1,2\n', upsert), 400)).toMatchObject({
      code: 'no_key',
    });
    await upload(owner, dataset, 'k,v\nx,1\n');
    expect(await refusal(putWith(owner, dataset, 'v\n1\n', upsert), 400)).toMatchObject({
      code: 'missing_key',
    });
  });

  it('leaves older versions as they were', async () => {
    const dataset = await createDataset(owner);
    const first = await upload(owner, dataset, 'k,v\nx,1\ny,2\n');
    await uploadWith(owner, dataset, 'k,v\nx,12345678901234567890.5\n', upsert);
    expect(await download(owner, dataset)).toBe('"k","v"\n"x",12345678901234567890.5\n"y",2\n');
    expect(await download(owner, dataset, `?versionId=${first.versionId}`)).toBe('"k","v"\n"x",1\n"y",2\n');
  });
});

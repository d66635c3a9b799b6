/** Types that are kept from one file to the next, and columns and values in the report of a process. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  call,
  createDataset,
  download,
  json,
  type ProcessAnswer,
  readDataset,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { type Options, putWith, refusal, uploadWith } from '../../support/upload-options.js';

interface Notice {
  readonly code: string;
  readonly message: string;
}

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  // Files of a few hundred lines have several chunks.
  product = await startProduct({ firstChunkBytes: '512', chunkBytes: '1024' });
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('owner')).key };
});

afterAll(() => product?.close());

const send = async (
  dataset: number,
  content: string,
  options: Options = {},
): Promise<ProcessAnswer & { notices: Notice[] }> => {
  const done = (await uploadWith(owner, dataset, content, options)) as ProcessAnswer & { notices: Notice[] };
  if (done.status !== 'completed') throw new Error(`not completed: ${JSON.stringify(done)}`);
  return done;
};

const typesOf = async (dataset: number): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await readDataset(owner, dataset)).columns.map(({ name, dataType }) => [name, dataType]),
  );

const numbers = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at));

describe('the type of a column', () => {
  it('stays a date in later files once a manifest made it one: as a year, in its format and in a built-in one', async () => {
    const dataset = await createDataset(owner);
    const manifest = {
      columns: [
        { name: 'Year', dataType: 'Date' },
        { name: 'Day', dateFormat: '%d.%m.%Y' },
      ],
    };
    await send(dataset, 'Year,Day\n1960,31.12.2020\n', { manifest });
    await send(dataset, 'Year,Day\n1961,30.12.2020\n1962,29.12.2020\n');
    expect(await typesOf(dataset)).toEqual({ Year: 'Date', Day: 'Date' });
    await send(dataset, 'Year,Day\n1963,28.12.2020\n', { mode: 'append' });
    await send(dataset, 'Year,Day\n1964-01-01,2020-12-27\n', { mode: 'append' });
    expect(await download(owner, dataset)).toBe(
      '"Year","Day"\n"1961-01-01","2020-12-30"\n"1962-01-01","2020-12-29"\n"1963-01-01","2020-12-28"\n"1964-01-01","2020-12-27"\n',
    );
    await send(dataset, 'Year,Day\n2001-01-01,2020-12-01\n');
    await send(dataset, 'Year,Day\n2002,02.12.2020\n');
    expect(await typesOf(dataset)).toEqual({ Year: 'Date', Day: 'Date' });
  });

  it('stays if all values of the file fit it', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, 'code,n\nA1,1.5\n');
    const { notices } = await send(dataset, `code,n\n${numbers(400).join(',\n')},\n`);
    expect(await typesOf(dataset)).toEqual({ code: 'String', n: 'Decimal' });
    expect(notices).toEqual([]);
  });

  it('changes to that of the values if they do not fit, with a notice', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, 'n,d\n1,2020-01-01\n');
    const rows = numbers(400).map((n) => `${n},${n}`);
    const { notices } = await send(dataset, `n,d\n${rows.join('\n')}\nmany,7\n`);
    expect(await typesOf(dataset)).toEqual({ n: 'String', d: 'Decimal' });
    expect(notices).toHaveLength(2);
    expect(notices).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          code: 'type_changed',
          column: 'd',
          from: 'Date',
          to: 'Decimal',
          line: 2,
          value: '0',
        }),
        expect.objectContaining({
          code: 'type_changed',
          column: 'n',
          from: 'Decimal',
          to: 'String',
          line: 402,
          value: 'many',
        }),
      ]),
    );
  });

  it('stays with onTypeConflict=fail: other values are 409 with their line, in any chunk of the file', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, 'n\n1\n');
    const failOnConflict = { onTypeConflict: 'fail', async: 'false' };
    const first = await refusal(putWith(owner, dataset, 'n\n2\nmany\n', failOnConflict), 409);
    expect(first).toMatchObject({ code: 'type_conflict', details: { column: 'n', line: 3, value: 'many' } });
    const late = `n\n${numbers(600).join('\n')}\nmany\n`;
    expect(await refusal(putWith(owner, dataset, late, failOnConflict), 409)).toMatchObject({
      code: 'type_conflict',
      details: { column: 'n', line: 602, value: 'many' },
    });
    expect(await download(owner, dataset)).toBe('"n"\n1\n');
  });

  it('causes 409 for other values in append and upsert unless these may widen it', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, 'k,v\na,1\n');
    for (const mode of ['append', 'upsert'])
      expect(
        await refusal(putWith(owner, dataset, 'k,v\nb,word\n', { mode, async: 'false' }), 409),
      ).toMatchObject({ details: { line: 2, column: 'v', value: 'word', existingType: 'Decimal' } });
    const widened = await send(dataset, 'k,v\nb,word\n', { mode: 'append', onTypeConflict: 'widen' });
    expect(widened.notices).toEqual([
      expect.objectContaining({ code: 'became_text', column: 'v', line: 2, value: 'word' }),
    ]);
    expect(await download(owner, dataset)).toBe('"k","v"\n"a","1"\n"b","word"\n');
  });

  it('comes from later values if the column had none, and missing values keep it', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, 'k,v,w\na,,1\n');
    await send(dataset, 'k,v,w\nb,2.5,\n', { mode: 'append' });
    expect(await typesOf(dataset)).toEqual({ k: 'String', v: 'Decimal', w: 'Decimal' });
    expect(await download(owner, dataset)).toBe('"k","v","w"\n"a",,1\n"b",2.5,\n');
    await send(dataset, 'k,v,w\nc,,\n');
    expect(await typesOf(dataset)).toEqual({ k: 'String', v: 'Decimal', w: 'Decimal' });
    await send(dataset, 'k,v,w,x\nc,,3,\n');
    await send(dataset, 'k,v,w,x\nc,,3,2020-01-01\n');
    expect(await typesOf(dataset)).toEqual({ k: 'String', v: 'Decimal', w: 'Decimal', x: 'Date' });
  });
});

describe('the notices of a process', () => {
  it('name the value that made a column text, in the first chunk of a file and later', async () => {
    const dataset = await createDataset(owner);
    const rows = numbers(400).map((n) => `${n},${n}`);
    const { notices } = await send(dataset, `early,late\n0,0\n"n/k\nsoon",0\n${rows.join('\n')}\n1,few\n`);
    expect(notices).toHaveLength(2);
    expect(notices).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: 'became_text', column: 'early', line: 3, value: 'n/k\nsoon' }),
        expect.objectContaining({ code: 'became_text', column: 'late', line: 405, value: 'few' }),
      ]),
    );
  });

  it('name columns that were added or removed, and names that are easily confused', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, 'Country,Café,Old\nNorway,1,1\n');
    const { notices } = await send(dataset, 'country,Cafe\u0301,New,New \nNorway,1,1,1\n');
    expect(notices.map(({ code }) => code)).toEqual([
      'similar_names',
      'similar_names',
      'similar_names',
      'columns_added',
      'columns_missing',
    ]);
    expect(notices).toMatchObject([
      { column: 'country', similarTo: 'Country', message: expect.stringContaining('in case') },
      { column: 'Cafe\u0301', similarTo: 'Café', message: expect.stringContaining('accents') },
      { column: 'New ', similarTo: 'New', message: expect.stringContaining('blanks') },
      { columns: ['country', 'Cafe\u0301', 'New', 'New '] },
      { columns: ['Country', 'Café', 'Old'] },
    ]);
  });

  it('suggest the manifest that turns years into dates', async () => {
    const dataset = await createDataset(owner);
    const file = 'Country,Fiscal Year,Yearly\nNorway,1960,1961\nChile,,1962\n';
    const { notices } = await send(dataset, file);
    expect(notices).toMatchObject([{ code: 'numbers_like_years', column: 'Fiscal Year' }]);
    const [{ options }] = notices as [Notice & { options: Options }];
    const again = await send(await createDataset(owner), file, options);
    expect(again.notices).toEqual([]);
    const replaced = await send(dataset, file);
    const [known] = replaced.notices as [Notice & { options: Options }];
    const { notices: changed } = await send(dataset, file, known.options);
    expect(changed).toMatchObject([{ code: 'type_changed', from: 'Decimal', to: 'Date' }]);
    expect((await send(dataset, file)).notices).toEqual([]);
    expect((await typesOf(dataset))['Fiscal Year']).toBe('Date');
  });

  it('report that an append repeats the file of the last one, whether of one chunk or several', async () => {
    const dataset = await createDataset(owner);
    const long = `a\n${numbers(600).join('\n')}\n`;
    for (const file of ['a\n1\n', long]) {
      const first = await send(dataset, file, { mode: 'append' });
      expect(first.notices).toEqual([]);
      const { notices } = await send(dataset, file, { mode: 'append' });
      expect(notices).toMatchObject([{ code: 'same_file', processId: first.id }]);
    }
    expect((await send(dataset, 'a\n1\n', { mode: 'append' })).notices).toEqual([]);
  });

  it('are bounded in number and size, and part of the events', async () => {
    const dataset = await createDataset(owner);
    const names = numbers(300).map((n) => `c${n}`);
    const row = (value: string) => names.map(() => value).join(',');
    const { id, notices } = await send(
      dataset,
      `${names.join(',')}\n${row('1')}\n${row('2')}\n${row('x'.repeat(1000))}\n`,
    );
    expect(notices.length).toBeGreaterThan(5);
    expect(notices.length).toBeLessThanOrEqual(20);
    expect(JSON.stringify(notices).length).toBeLessThan(20_000);
    const events = await (await call(owner, 'GET', `/datasets/${dataset}/processes/${id}/events`)).text();
    expect(JSON.parse(events.replace(/^.*\ndata: /, ''))).toMatchObject({ notices });
    const listed = await json<{ notices: Notice[] }[]>(
      await call(owner, 'GET', `/datasets/${dataset}/processes`),
    );
    expect(listed[0]?.notices).toEqual(notices);
  });
});

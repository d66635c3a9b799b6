import { createHash } from 'node:crypto';
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
import { putWith, refusal, uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({ firstChunkBytes: '256', chunkBytes: '1024' });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

describe('an option', () => {
  it.each<[string, Record<string, string>, string, string]>([
    ['that is unknown', { onBadRows: 'fail' }, '', 'unknown_option'],
    ['that is given as a field and in the address', { mode: 'append' }, '?mode=append', 'repeated_option'],
    ['with an invalid value', { mode: 'merge' }, '', 'invalid_option'],
    ['that the mode does not have', { onDuplicateKey: 'last' }, '', 'invalid_option'],
    ['for bad rows without quarantine', { maxBadRows: '5' }, '', 'invalid_option'],
    ['with a wait that is too long', { async: 'false', wait: '56' }, '', 'invalid_option'],
    ['of an unknown encoding', { encoding: 'latin-9' }, '', 'invalid_option'],
    ['with a manifest that is not JSON', { manifest: '{' }, '', 'invalid_manifest'],
  ])('%s is refused', async (_name, options, query, code) => {
    const dataset = await createDataset(owner);
    expect(await refusal(putWith(owner, dataset, 'a\n1\n', options, { query }), 400)).toMatchObject({ code });
    expect((await readDataset(owner, dataset)).currentVersionId).toBeNull();
  });

  it('async=false answers with the process once it has ended', async () => {
    const dataset = await createDataset(owner);
    const answer = await putWith(owner, dataset, 'a\n1\n', {}, { query: '?async=false&wait=20' });
    expect(await json<ProcessAnswer>(answer, 201)).toMatchObject({ status: 'completed', rows: 1 });
  });

  it('async=false answers a failed upload with the status of its error', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,v\na,1\n');
    const query = '?async=false';
    const put = (file: string, options = {}) => putWith(owner, dataset, file, options, { query });
    const manifest = { columns: [{ name: 'v', dataType: 'Decimal' }] };
    const value = await refusal(put('k,v\na,word\n', { mode: 'append', manifest }), 422);
    expect(value).toMatchObject({ code: 'value', details: { line: 2, column: 'v', value: 'word' } });
    const path = `/datasets/${dataset}/processes/${value.details?.processId}`;
    expect(await json(await call(owner, 'GET', path))).toMatchObject({
      status: 'failed',
      error: { line: 2 },
    });
    expect(await refusal(put('k,v\na\n'), 422)).toMatchObject({ code: 'field_count', details: { line: 2 } });
    expect(await download(owner, dataset)).toBe('"k","v"\n"a",1\n');
  });

  it('can set windows-1252, another delimiter, decimal commas and null strings', async () => {
    const dataset = await createDataset(owner);
    const file = Buffer.from('Größe;Preis\nklein €;1,5\nn.v.;2\ngroß;n.v.\n', 'latin1');
    file[file.indexOf(0xac)] = 0x80;
    const done = await uploadWith(owner, dataset, file, {
      encoding: 'windows-1252',
      delimiter: ';',
      decimal: ',',
      nullValues: '["n.v."]',
    });
    expect(done).toMatchObject({ status: 'completed', error: null });
    expect(await download(owner, dataset)).toBe('"Größe","Preis"\n"klein €",1.5\n,2\n"groß",\n');
  });

  it('quote=none reads quotes as text', async () => {
    const dataset = await createDataset(owner);
    await uploadWith(owner, dataset, 'a|b\n5"|"x\n', { delimiter: '|', quote: 'none' });
    expect(await download(owner, dataset)).toBe('"a","b"\n"5""","""x"\n');
  });
});

describe('a checksum', () => {
  const file = 'a,b\n1,2\n';
  const sum = (algorithm: string) => createHash(algorithm).update(file).digest('base64');

  it.each<[string, () => Record<string, string>]>([
    ['Content-MD5', () => ({ 'content-md5': sum('md5') })],
    ['Digest', () => ({ digest: `SHA-256=${sum('sha256')}` })],
    ['Repr-Digest', () => ({ 'repr-digest': `sha-512=:${sum('sha512')}:` })],
  ])('%s of the file is accepted, of another one refused', async (_name, headers) => {
    const dataset = await createDataset(owner);
    const wrong = putWith(owner, dataset, 'a,b\n1,3\n', {}, { headers: headers() });
    expect(await refusal(wrong, 400)).toMatchObject({ code: 'digest_mismatch' });
    expect((await readDataset(owner, dataset)).currentVersionId).toBeNull();
    expect((await putWith(owner, dataset, file, {}, { headers: headers() })).status).toBe(201);
  });
});

describe('If-Match', () => {
  it('accepts an upload for the current version only', async () => {
    const dataset = await createDataset(owner);
    const first = await upload(owner, dataset, 'a\n1\n');
    const headers = { 'if-match': `"${first.versionId}"` };
    const done = await putWith(owner, dataset, 'a\n2\n', {}, { headers, query: '?async=false' });
    expect(await json<ProcessAnswer>(done, 201)).toMatchObject({ status: 'completed' });
    expect(await refusal(putWith(owner, dataset, 'a\n3\n', {}, { headers }), 412)).toMatchObject({
      code: 'other_version',
    });
    expect(await download(owner, dataset)).toBe('"a"\n2\n');
  });
});

describe('a manifest', () => {
  it('sets types, roles and date formats', async () => {
    const dataset = await createDataset(owner);
    const manifest = {
      columns: [
        { name: 'day', dataType: 'Date', dateFormat: '%d.%m.%Y' },
        { name: 'code', dataType: 'String', isEntity: false, description: 'As printed.' },
        { name: 'year', dataType: 'Date' },
      ],
    };
    const done = await uploadWith(owner, dataset, 'day,code,year,v\n31.12.2020,12,1999,1\n', { manifest });
    expect(done).toMatchObject({ status: 'completed', error: null });
    expect(await download(owner, dataset)).toBe(
      '"day","code","year","v"\n"2020-12-31","12","1999-01-01",1\n',
    );
    const { columns } = await readDataset(owner, dataset);
    expect(columns.map(({ dataType, isEntity }) => [dataType, isEntity])).toEqual([
      ['Date', true],
      ['String', false],
      ['Date', true],
      ['Decimal', false],
    ]);
  });

  it('with errors is refused, and the answer names all of them', async () => {
    const dataset = await createDataset(owner);
    const manifest = {
      columns: [{ name: 'a', datatype: 'Date' }, { name: 'a' }, { name: 'b', isEntity: 1 }],
      also: 1,
    };
    const { error } = await refusal(putWith(owner, dataset, 'a,b\n1,2\n', { manifest }), 400);
    for (const part of ['datatype', 'dataType?', 'listed twice', 'isEntity must be', '"also"'])
      expect(error).toContain(part);
    const missing = { columns: [{ name: 'x' }, { name: 'y' }] };
    const answer = await refusal(putWith(owner, dataset, 'a,b\n1,2\n', { manifest: missing }), 400);
    expect(answer.error).toMatch(/"x".*"y"/);
  });

  it('renames a column by its id', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a,b\n1,x\n');
    const [before] = (await readDataset(owner, dataset)).columns;
    const manifest = { columns: [{ name: 'amount', id: before?.id }] };
    await uploadWith(owner, dataset, 'amount,b\n2,y\n', { mode: 'append', manifest });
    expect((await readDataset(owner, dataset)).columns[0]).toMatchObject({ id: before?.id, name: 'amount' });
    expect(await download(owner, dataset)).toBe('"amount","b"\n1,"x"\n2,"y"\n');
    const unknown = { columns: [{ name: 'b', id: 999_999 }] };
    expect((await putWith(owner, dataset, 'b\nx\n', { manifest: unknown })).status).toBe(400);
  });

  it('whose type conflicts is 409 with both types, unless the type may be replaced', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a,b\n1,x\n');
    const manifest = { columns: [{ name: 'a', dataType: 'String' }] };
    const { code, error } = await refusal(putWith(owner, dataset, 'a,b\n2,y\n', { manifest }), 409);
    expect([code, error]).toEqual(['type_conflict', expect.stringMatching(/"a" is Decimal.*String/)]);
    await uploadWith(owner, dataset, 'a,b\n2,y\n', { manifest, onTypeConflict: 'replace' });
    expect(await download(owner, dataset)).toBe('"a","b"\n"2","y"\n');
  });

  it('rejects or ignores columns that it does not list', async () => {
    const dataset = await createDataset(owner);
    const columns = [{ name: 'a' }];
    const reject = putWith(owner, dataset, 'a,b\n1,2\n', { manifest: { columns, unlisted: 'reject' } });
    expect(await refusal(reject, 400)).toMatchObject({ code: 'unlisted_columns' });
    await uploadWith(owner, dataset, 'a,b\n1,2\n', { manifest: { columns, unlisted: 'ignore' } });
    expect(await download(owner, dataset)).toBe('"a"\n1\n');
  });

  it('and options reject or ignore new and missing columns', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a,b\n1,x\n');
    const fresh = putWith(owner, dataset, 'a,b,c\n2,y,3\n', { mode: 'append', onNewColumn: 'fail' });
    expect(await refusal(fresh, 409)).toMatchObject({ code: 'new_columns' });
    const missing = putWith(owner, dataset, 'a\n2\n', { mode: 'append', onMissingColumn: 'fail' });
    expect(await refusal(missing, 409)).toMatchObject({ code: 'missing_columns' });
    await uploadWith(owner, dataset, 'a,b,c\n2,y,3\n', { mode: 'append', onNewColumn: 'ignore' });
    expect(await download(owner, dataset)).toBe('"a","b"\n1,"x"\n2,"y"\n');
  });
});

describe('quarantine', () => {
  const rows = Array.from({ length: 400 }, (_, row) => `${row},t${row}`);
  const file = `n,t\n${[...rows.slice(0, 200), 'many,x', '1,2,3', ...rows.slice(200)].join('\n')}\n`;
  const manifest = { columns: [{ name: 'n', dataType: 'Decimal' }] };

  it('removes bad rows and keeps the others in order', async () => {
    const dataset = await createDataset(owner);
    const done = await uploadWith(owner, dataset, file, { manifest, onBadRow: 'quarantine' });
    expect(done).toMatchObject({ status: 'completed', rows: 400, rejectedRows: 2 });
    const back = (await download(owner, dataset)).trimEnd().split('\n').slice(1);
    expect(back).toEqual(rows.map((row) => row.replace(/,(.*)$/, ',"$1"')));
    const rejects = await call(
      owner,
      'GET',
      `/datasets/${dataset}/processes/${done.id}/rejects?$format=json`,
    );
    expect(await json<object[]>(rejects)).toMatchObject([
      { line: 202, column: 'n', reason: 'value', raw: 'many,x' },
      { line: 203, column: null, reason: 'field_count', raw: '1,2,3' },
    ]);
    const csv = await call(owner, 'GET', `/datasets/${dataset}/processes/${done.id}/rejects`);
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect((await csv.text()).split('\r\n')[2]).toMatch(/^203,,"?field_count"?,.*,"1,2,3"$/);
  });

  it('lists the first bad rows of a file with too many of them', async () => {
    const dataset = await createDataset(owner);
    const bad = `n,t\n${'1,a\nx,b\n'.repeat(20)}`;
    const options = { manifest, onBadRow: 'quarantine', maxBadRows: '3' };
    const failed = await uploadWith(owner, dataset, bad, options);
    expect(failed).toMatchObject({
      status: 'failed',
      error: { code: 'too_many_bad_rows', message: expect.stringContaining('4 bad rows so far; at most 3') },
      rejectedRows: 4,
    });
    const rejects = await call(
      owner,
      'GET',
      `/datasets/${dataset}/processes/${failed.id}/rejects?$format=json`,
    );
    expect((await json<{ line: number }[]>(rejects)).map(({ line }) => line)).toEqual([3, 5, 7, 9]);
  });

  it('takes types from the records that are stored alone', async () => {
    const dataset = await createDataset(owner);
    const text = 'n,price,text\n1,2.5,a\n2,3.5,5\nSource: ECB,provisional,6\n';
    const done = await uploadWith(owner, dataset, text, {
      manifest,
      onBadRow: 'quarantine',
    });
    expect(done).toMatchObject({ status: 'completed', rows: 2, rejectedRows: 1 });
    const { columns } = await json<{ columns: { name: string; dataType: string }[] }>(
      await call(owner, 'GET', `/datasets/${dataset}`),
    );
    expect(columns.map(({ dataType }) => dataType)).toEqual(['Decimal', 'Decimal', 'String']);
    expect(await download(owner, dataset)).toBe('"n","price","text"\n1,2.5,"a"\n2,3.5,"5"\n');
  });

  it.each([
    ['1', 'failed'],
    ['2', 'completed'],
    ['0.4%', 'failed'],
    ['1%', 'completed'],
  ])('with at most %s bad rows is %s', async (maxBadRows, status) => {
    const dataset = await createDataset(owner);
    const options = { manifest, onBadRow: 'quarantine', maxBadRows };
    expect(await uploadWith(owner, dataset, file, options)).toMatchObject({ status });
  });
});

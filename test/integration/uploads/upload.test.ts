import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  authorization,
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  putFile,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  // Small chunks, so that small files have several.
  product = await startProduct({ poolMaxRows: '0', firstChunkBytes: '256', chunkBytes: '1024' });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

const table = [
  'Date,Region,Value,Code',
  '2020-01,North,1.5,007',
  '2020-02,"South, West",NA,008',
  '2020-03,,82544000000000707.52,009',
  '2020-04,"He said ""no""",-0.25,010',
].join('\n');

describe('an upload', () => {
  it('is pending at first, then completed, and is read back value by value', async () => {
    const dataset = await createDataset(owner);
    const answer = await putFile(owner, dataset, table);
    const started = await json<ProcessAnswer>(answer, 201);
    expect(started).toMatchObject({ datasetId: dataset, status: expect.stringMatching(/pending|completed/) });
    expect(started.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);

    const done = await upload(owner, dataset, table);
    expect(done).toMatchObject({ status: 'completed', rows: 4, error: null });
    expect(await download(owner, dataset)).toBe(
      '"Date","Region","Value","Code"\n' +
        '"2020-01-01","North",1.5,"007"\n"2020-02-01","South, West",,"008"\n' +
        '"2020-03-01",,82544000000000707.52,"009"\n"2020-04-01","He said ""no""",-0.25,"010"\n',
    );
  });

  it('has columns with stable ids, types and roles, and the dates of the dataset', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, table);
    const first = await readDataset(owner, dataset);
    expect(first).toMatchObject({
      rowCount: 4,
      minDate: '2020-01-01',
      maxDate: '2020-04-01',
      frequency: 'Monthly',
    });
    expect(first.columns.map(({ name, dataType, isEntity }) => [name, dataType, isEntity])).toEqual([
      ['Date', 'Date', true],
      ['Region', 'String', true],
      ['Value', 'Decimal', false],
      ['Code', 'String', true],
    ]);

    await upload(owner, dataset, 'Value,New,Date\n1,x,2021-01-01\n');
    const second = await readDataset(owner, dataset);
    const idOf = (columns: typeof first.columns, name: string) =>
      columns.find((column) => column.name === name)?.id;
    expect(idOf(second.columns, 'Value')).toBe(idOf(first.columns, 'Value'));
    expect(idOf(second.columns, 'Date')).toBe(idOf(first.columns, 'Date'));
    expect(second.columns).toHaveLength(3);
    expect(second.currentVersionId).not.toBe(first.currentVersionId);
  });

  it('leaves every version readable by its id', async () => {
    const dataset = await createDataset(owner);
    const old = await upload(owner, dataset, 'a,b\n1,x\n');
    await upload(owner, dataset, 'a,c\n2,y\n');
    expect(await download(owner, dataset, `?versionId=${old.versionId}`)).toBe('"a","b"\n1,"x"\n');
    expect(await download(owner, dataset)).toBe('"a","c"\n2,"y"\n');
    expect((await call(owner, 'GET', `/datasets/${dataset}/data?versionId=999999`)).status).toBe(404);
  });

  it('can be gzip, also of several members, and have a byte order mark', async () => {
    const dataset = await createDataset(owner);
    const members = Buffer.concat([gzipSync('\ufeffa,b\n1,2\n'), gzipSync('3,4\n')]);
    expect(await upload(owner, dataset, members)).toMatchObject({ status: 'completed', rows: 2 });
    expect(await download(owner, dataset)).toBe('"a","b"\n1,2\n3,4\n');
  });

  it('can lack a file name, as text and as gzip', async () => {
    const dataset = await createDataset(owner);
    const put = (type: string, content: Buffer): Promise<Response> =>
      fetch(`${owner.baseUrl}/datasets/${dataset}/data`, {
        method: 'PUT',
        headers: { ...authorization(owner.key), 'content-type': 'multipart/form-data; boundary=B' },
        body: Buffer.concat([
          Buffer.from('--B\r\nContent-Disposition: form-data; name="mode"\r\n\r\nreplace\r\n'),
          Buffer.from(`--B\r\nContent-Disposition: form-data; name="data"\r\n${type}\r\n`),
          content,
          Buffer.from('\r\n--B--\r\n'),
        ]),
      });
    const parts = [
      ['', Buffer.from('A,B\nx,1\n')],
      ['Content-Type: text/plain\r\n', Buffer.from('A,B\ny,2\n')],
      ['', gzipSync('A,B\nz,3\n')],
    ] as const;
    const seen: string[] = [];
    for (const [type, content] of parts) {
      const process = await json<ProcessAnswer>(await put(type, content), 201);
      expect(await ended(owner, process)).toMatchObject({ status: 'completed', rows: 1 });
      seen.push(await download(owner, dataset));
    }
    expect(seen).toEqual(['"A","B"\n"x",1\n', '"A","B"\n"y",2\n', '"A","B"\n"z",3\n']);
  });

  it('has no version with an id beyond all ids, and the 404 quotes it', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'A\n1\n');
    const id = '123456789012345678901234567890';
    for (const path of [`data?versionId=${id}`, `versions/${id}`, `versions/${id}/diff/1`]) {
      const answer = await call(owner, 'GET', `/datasets/${dataset}/${path}`);
      expect({ status: answer.status, text: await answer.text() }).toEqual({
        status: 404,
        text: expect.stringContaining(id),
      });
    }
  });

  it('without rows leaves an empty dataset with the columns of the header', async () => {
    const dataset = await createDataset(owner);
    expect(await upload(owner, dataset, 'a,b\n')).toMatchObject({ status: 'completed', rows: 0 });
    expect((await readDataset(owner, dataset)).columns.map((column) => column.name)).toEqual(['a', 'b']);
    expect(await download(owner, dataset)).toBe('"a","b"\n');
  });

  it('keeps the order of records over many chunks', async () => {
    const dataset = await createDataset(owner);
    const rows = Array.from({ length: 3000 }, (_, row) => `${(row * 7919) % 3001},text ${row}`);
    const done = await upload(owner, dataset, `n,t\n${rows.join('\n')}\n`);
    expect(done.progress.chunks).toBeGreaterThan(20);
    const back = (await download(owner, dataset)).trimEnd().split('\n').slice(1);
    expect(back).toEqual(rows.map((row) => row.replace(/,(.*)$/, ',"$1"')));
  });
});

describe('a value that does not fit the type its column began with', () => {
  const numbers = Array.from({ length: 500 }, (_, row) => `${row},${row / 4}`);

  it('widens the column over all rows: text after numbers', async () => {
    const dataset = await createDataset(owner);
    const rows = [...numbers.slice(0, 450), '450,n.b.', ...numbers.slice(451)];
    const done = await upload(owner, dataset, `a,b\n${rows.join('\n')}\n`);
    expect(done).toMatchObject({ status: 'completed', rows: 500, progress: { attempt: 2 } });
    const { columns } = await readDataset(owner, dataset);
    expect(columns.map((column) => column.dataType)).toEqual(['Decimal', 'String']);
    const back = (await download(owner, dataset)).trimEnd().split('\n').slice(1);
    expect(back).toEqual(rows.map((row) => row.replace(/,(.*)$/, ',"$1"')));
  });

  it('widens to exact decimals and alters no digit', async () => {
    const dataset = await createDataset(owner);
    const long = '12345678901234567890123456789.0123456789';
    const done = await upload(owner, dataset, `a,b\n${numbers.join('\n')}\n500,${long}\n`);
    expect(done).toMatchObject({ status: 'completed', progress: { attempt: 2 } });
    const back = (await download(owner, dataset)).trimEnd().split('\n').slice(1);
    expect(back.at(-1)).toBe(`500,${long}`);
    expect(back[3]).toBe('3,0.75');
  });

  it('keeps null markers as text in a column that becomes text', async () => {
    const dataset = await createDataset(owner);
    const rows = [...Array.from({ length: 300 }, () => 'x,NA'), 'x,word'];
    await upload(owner, dataset, `a,b\n${rows.join('\n')}\n`);
    const back = (await download(owner, dataset)).trimEnd().split('\n').slice(1);
    expect(back).toEqual(rows.map((row) => row.replace(/(.*),(.*)/, '"$1","$2"')));
  });

  it('leaves no rows of the first attempt behind', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, `a,b\n${numbers.join('\n')}\n500,text\n`);
    const [row] = await product.sql.query<{ storeId: number }>(
      'SELECT store_id AS "storeId" FROM datasets WHERE id = $1',
      [dataset],
    );
    const { clickhouseDatabase } = product.config;
    const segments = () =>
      product.clickhouse(`SELECT uniqExact(_seg) FROM ${clickhouseDatabase}.s${row?.storeId}`);
    await expect.poll(segments).toBe('1\n');
  });
});

describe('a bad file', () => {
  const refused: [name: string, content: string | Uint8Array, code: string][] = [
    ['of zero bytes', '', 'empty_file'],
    ['with a repeated column name', 'a,b,a\n1,2,3\n', 'duplicate_column_name'],
    ['with an empty column name', 'a,,c\n1,2,3\n', 'empty_column_name'],
    ['with a NUL character', 'a,b\n1,x\u0000y\n', 'nul_character'],
    ['with invalid UTF-8', Buffer.from([0x61, 0x0a, 0xff, 0x0a]), 'invalid_utf8'],
    ['with a quote that never ends', 'a,b\n1,"x\n2,y\n', 'unterminated_quote'],
    ['of damaged gzip', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8]), 'gzip_damaged'],
    ['of truncated gzip', gzipSync('a,b\n1,2\n').subarray(0, 20), 'gzip_truncated'],
    [
      'of gzip followed by other bytes',
      Buffer.concat([gzipSync('a\n1\n'), Buffer.from('xyz')]),
      'gzip_damaged',
    ],
  ];

  it.each(refused)('%s is refused and nothing is stored', async (_name, content, code) => {
    const dataset = await createDataset(owner);
    const answer = await json<{ code: string; error: string }>(await putFile(owner, dataset, content), 400);
    expect(answer.code).toBe(code);
    expect(await readDataset(owner, dataset)).toMatchObject({ columns: [], currentVersionId: null });
  });

  it('with a wrong number of fields fails with its line and leaves the dataset as it was', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a,b\n1,2\n');
    const done = await upload(owner, dataset, 'a,b\n1,2\n3\n4,5\n');
    expect(done).toMatchObject({
      status: 'failed',
      versionId: null,
      error: { code: 'field_count', line: 3 },
    });
    expect(await download(owner, dataset)).toBe('"a","b"\n1,2\n');
  });

  it('does not block the uploads after it', async () => {
    const dataset = await createDataset(owner);
    const [bad, good] = await Promise.all([
      upload(owner, dataset, 'a,b\n1,2\n3\n'),
      upload(owner, dataset, 'a,b\n9,9\n'),
    ]);
    expect([bad.status, good.status]).toEqual(['failed', 'completed']);
    expect(await download(owner, dataset)).toBe('"a","b"\n9,9\n');
  });
});

describe('a request', () => {
  const put = (
    dataset: number | string,
    body: NonNullable<RequestInit['body']>,
    headers: Record<string, string> = {},
  ) =>
    fetch(`${owner.baseUrl}/datasets/${dataset}/data`, {
      method: 'PUT',
      headers: { ...authorization(owner.key), ...headers },
      body,
    });
  const form = (...parts: [name: string, content: Blob | string][]): FormData => {
    const data = new FormData();
    for (const [name, content] of parts) data.append(name, content as Blob);
    return data;
  };
  const file = new Blob(['a\n1\n']);
  const option = 'Content-Disposition: form-data; name="mode"';
  const filePart = (content: string): string =>
    `--x\r\nContent-Disposition: form-data; name="data"; filename="f.csv"\r\n\r\n${content}\r\n`;

  it.each<[string, () => NonNullable<RequestInit['body']>, Record<string, string>, number]>([
    ['that is not a form', () => 'a\n1\n', { 'content-type': 'text/csv' }, 415],
    ['without the part "data"', () => form(['file', file]), {}, 400],
    ['with two parts "data"', () => form(['data', file], ['data', file]), {}, 400],
    ['with a field after the file', () => form(['data', file], ['mode', 'replace']), {}, 400],
    ['with an unknown option', () => form(['colour', 'red'], ['data', file]), {}, 400],
    [
      'whose form is truncated',
      () => '--x\r\nContent-Disposition: form-data; name="data"; filename="f"\r\n\r\na\n1',
      { 'content-type': 'multipart/form-data; boundary=x' },
      400,
    ],
    [
      'whose file is encoded in base64',
      () =>
        '--x\r\nContent-Disposition: form-data; name="data"; filename="f"\r\nContent-Transfer-Encoding: base64\r\n\r\nYQoxCg==\r\n--x--\r\n',
      { 'content-type': 'multipart/form-data; boundary=x' },
      400,
    ],
    ['without a boundary', () => 'a', { 'content-type': 'multipart/form-data' }, 400],
    ...(
      [
        ['has a blank after its boundary', `--x \r\n${option}\r\n\r\nappend`],
        ['has no empty line after its header', `--x\r\n${option}\r\nappend`],
        ['has a content type only', '--x\r\nContent-Type: text/plain\r\n\r\nappend'],
        ['is an attachment', `--x\r\n${option.replace('form-data', 'attachment')}\r\n\r\nappend`],
        ['has a line feed in its name', `--x\r\n${option.replace('mode', 'mo\nde')}\r\n\r\nappend`],
        ['has a long header before its name', `--x\r\nX: ${'y'.repeat(9_000)}\r\n${option}\r\n\r\nappend`],
        ['has a line without a colon', `--x\r\ngarbage\r\n${option}\r\n\r\nappend`],
        ['is not UTF-8', Buffer.from(`--x\r\n${option}\r\n\r\nappend\xe9`, 'latin1')],
      ] as const
    ).map(([what, field]): [string, () => Buffer, Record<string, string>, number] => [
      `with an option that ${what}`,
      () => Buffer.concat([Buffer.from(field), Buffer.from(`\r\n${filePart('a\n1\n')}--x--\r\n`)]),
      { 'content-type': 'multipart/form-data; boundary=x' },
      400,
    ]),
    ...['--xd,4\nzz,5', '--x-d,4', '--x\nzz,5', '--x\r\nContent-Type: text/csv\r\n\r\nzz'].map(
      (line): [string, () => string, Record<string, string>, number] => [
        `whose file has a line like its boundary (${JSON.stringify(line)})`,
        () => `${filePart(`a,b\nc,3\r\n${line}\n`)}--x--\r\n`,
        { 'content-type': 'multipart/form-data; boundary=x' },
        400,
      ],
    ),
  ])('%s is refused and nothing is stored', async (_name, body, headers, status) => {
    const dataset = await createDataset(owner);
    const answer = await put(dataset, body(), headers);
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status,
      body: { error: expect.any(String) },
    });
    expect(await readDataset(owner, dataset)).toMatchObject({ currentVersionId: null, columns: [] });
  });

  it.each(['1e9', '-1', '99999999999999999999', 'abc', '0x1', '%00'])(
    'for dataset %s is a 4xx',
    async (id) => {
      const { status } = await put(id, form(['data', file]));
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    },
  );

  it('of an account without access is refused', async () => {
    const dataset = await createDataset(owner);
    const { key } = await product.createAccount('stranger');
    const answer = await putFile({ ...owner, key }, dataset, table);
    expect([403, 404]).toContain(answer.status);
  });

  it('for a process of another dataset is 404', async () => {
    const [one, other] = [await createDataset(owner), await createDataset(owner)];
    const done = await upload(owner, one, 'a\n1\n');
    expect((await call(owner, 'GET', `/datasets/${other}/processes/${done.id}`)).status).toBe(404);
  });
});

describe('uploads of one dataset', () => {
  it('are published in the order in which they were accepted', async () => {
    const dataset = await createDataset(owner);
    const many = Array.from(
      { length: 8 },
      (_, turn) => `n\n${`${turn}\n`.repeat(turn % 2 === 0 ? 2000 : 1)}`,
    );
    const ended: ProcessAnswer[] = [];
    for (const batch of [many.slice(0, 4), many.slice(4)]) {
      ended.push(...(await Promise.all(batch.map((content) => upload(owner, dataset, content)))));
    }
    expect(ended.map((process) => process.status)).toEqual(ended.map(() => 'completed'));
    const byProcess = [...ended].sort((a, b) => a.id - b.id).map((process) => Number(process.versionId));
    expect(byProcess).toEqual([...byProcess].sort((a, b) => a - b));
  });
});

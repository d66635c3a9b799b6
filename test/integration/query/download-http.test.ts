import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ReadableVersion } from '../../../src/model/version.js';
import { createRandom } from '../../harness/random.js';
import { createDownloadServer, type DownloadServer } from './download-server.js';
import { createStoredTables, type StoredTables } from './stored-table.js';

let tables: StoredTables;
let server: DownloadServer;
let panel: ReadableVersion;

beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'));
  server = await createDownloadServer(tables.reader);
  panel = await tables.add(
    [
      { name: 'Country', physical: 's' },
      { name: 'Date', physical: 'd' },
      { name: 'GDP', physical: 'f' },
    ],
    [
      ['A', '2020-01-01', 1],
      ['A', '2020-01-02', null],
      ['B', '2020-01-01', 3],
    ],
  );
});

afterAll(async () => {
  await server.close();
  await tables.close();
});

const get = (query: string, init: RequestInit = {}) => fetch(server.dataUrl(panel, query), init);

describe('columns named like values', () => {
  const names = [
    '1',
    '-1',
    '1.5',
    '1e3',
    '2020Q1',
    '2024-01',
    '2024-01-01',
    'null',
    'true',
    'false',
    'not',
    'in',
  ];
  const rowsOf = async (version: ReadableVersion, query: Record<string, string>) => {
    const params = new URLSearchParams({ $format: 'json', ...query });
    const answer = await fetch(server.dataUrl(version, params.toString()));
    expect(await answer.clone().text()).not.toContain('"error"');
    return (await answer.json()) as Record<string, number>[];
  };

  it.each(names)('%s can be filtered, selected and sorted by, alone and with other columns', async (name) => {
    const alone = await tables.add([{ name, physical: 'f' }], [[40], [60], [70]]);
    expect(await rowsOf(alone, { $filter: `${name} gt 50` })).toEqual([{ [name]: 60 }, { [name]: 70 }]);
    expect(await rowsOf(alone, { $filter: `50 gt ${name}` })).toEqual([{ [name]: 40 }]);
    expect(await rowsOf(alone, { $select: name, $top: '1' })).toEqual([{ [name]: 40 }]);
    expect(await rowsOf(alone, { $orderby: `${name} desc`, $top: '1' })).toEqual([{ [name]: 70 }]);
    const others = await tables.add(
      [
        { name: 'Country', physical: 's' },
        { name: 'Value', physical: 'f' },
        { name, physical: 'f' },
      ],
      [
        ['A', 5, 40],
        ['B', 65, 60],
        ['C', 1, 70],
      ],
    );
    const countries = async (query: Record<string, string>) =>
      (await rowsOf(others, query)).map(({ Country }) => Country).join('');
    expect(await countries({ $filter: `${name} gt 50 and Country ne 'C'` })).toBe('B');
    expect(await countries({ $filter: `Value gt ${name}` })).toBe('B');
    expect(await countries({ $orderby: `${name} desc,Country` })).toBe('CBA');
    expect(await rowsOf(others, { $select: name, $top: '1' })).toEqual([{ Country: 'A', [name]: 40 }]);
  });

  it('a comparison of two values is refused with a hint to use brackets', async () => {
    const answer = await get('$filter=2020 gt 50');
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 'filter_type',
      error: expect.stringContaining('[2020]'),
    });
  });
});

describe('Accept', () => {
  it.each([
    ['application/json, text/plain, */*', 302],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 302],
    ['application/json, text/*', 302],
    ['*/*', 302],
    ['application/json', 200],
    ['application/json, text/html', 200],
  ])('%s is answered with %i', async (accept, status) => {
    const answer = await get('', { headers: { accept }, redirect: 'manual' });
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.headers.get('content-type')).toBe('application/json');
    const shaped = await get('$top=1', { headers: { accept } });
    expect(shaped.headers.get('content-type')).toContain(status === 200 ? 'application/json' : 'text/csv');
  });

  it('never overrides $format, which is case-insensitive', async () => {
    const answer = await get('$format=JSON', { headers: { accept: 'text/csv' } });
    expect(answer.headers.get('content-type')).toBe('application/json');
  });
});

describe('Row-Count', () => {
  it.each([
    ['$top=1', '3'],
    ["$top=1&$filter=Country eq 'A'", '2'],
    ["$top=1&$filter=Country eq 'A'&dropNA=true", '2'],
    ['$top=1&dropNA=true&$select=GDP', '3'],
    ['$top=1&$last=1', '3'],
    ["$top=1&$last=1&$filter=Country eq 'A'&dropNA=1", '2'],
    ['$top=0&$skip=2', '3'],
    ['$top=1&$skip=1&$orderby=GDP', '3'],
    ['$top=1&transpose=true', '3'],
    ['$top=1&combineEntities=true&includeIds=true', '3'],
    ['$top=1&$distinct=true&$select=Country', '2'],
    ["$last=1&$filter=Country eq 'A'&dropNA=true", '3'],
    ['$skip=1', null],
    ["$filter=Country eq 'A'", null],
  ])('of %s', async (query, count) => {
    const answer = await get(query);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('row-count')).toBe(count);
    expect(answer.headers.get('access-control-expose-headers')?.includes('Row-Count') ?? false).toBe(true);
  });
});

/** Number of random option combinations; `npm run test:long` has more. */
const combinations = Number(process.env.OPTION_COMBINATIONS ?? 60);

describe('options in any combination', () => {
  const values: Readonly<Record<string, readonly string[]>> = {
    $format: ['csv', 'json', 'tsv', 'xlsx', 'parquet', 'arrow'],
    $select: ['Country', 'GDP', 'Date,GDP', 'Country,Country', 'Nope'],
    $filter: ["Country eq 'A'", 'GDP gt 0', "Date ge 2020-01-02 or Country eq 'B'", 'Nope eq 1', 'false'],
    $orderby: ['GDP desc', 'Country,Date desc', 'Nope'],
    $top: ['0', '1', '2', '99999999999999999999'],
    $skip: ['0', '1', '5', '99999999999999999999'],
    $last: ['0', '1', '9'],
    $count: ['true', 'false'],
    $distinct: ['true', 'false'],
    $decimals: ['string', 'number'],
    $quote: ['minimal', 'all'],
    combineEntities: ['true', '1'],
    includeIds: ['true', '0'],
    dropNA: ['true', 'False'],
    transpose: ['true', 'false'],
  };

  it('are answered, or refused with a reason', async () => {
    const random = createRandom(7);
    const faults: string[] = [];
    for (let round = 0; round < combinations; round += 1) {
      const query = new URLSearchParams();
      for (const [name, choices] of Object.entries(values)) {
        if (random.chance(0.3)) query.set(name, random.pick(choices));
      }
      const answer = await get(query.toString(), { redirect: 'manual' });
      const body = await answer.text();
      const isFine = [200, 302].includes(answer.status) || (answer.status === 400 && body.includes('"code"'));
      if (!isFine) faults.push(`${answer.status} ${query} ${body.slice(0, 200)}`);
    }
    expect(faults).toEqual([]);
  });

  it.each(['csv', 'json', 'xlsx', 'parquet'])('a $skip of distinct rows without $top: %s', async (format) => {
    const answer = await get(`$distinct=true&$select=Country&$skip=1&$format=${format}`);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    if (format === 'csv') expect(text).toBe('"Country"\r\n"B"\r\n');
  });
});

describe('$quote=minimal', () => {
  it('quotes only what a reader would misread', async () => {
    const version = await tables.add(
      [
        { name: 'Date', physical: 'd' },
        { name: 'a, "b"', physical: 's' },
        { name: 'n', physical: 'f' },
        { name: 'e', physical: 'n38_4' },
      ],
      [
        ['2020-01-01', 'plain', 1.5, '2.5'],
        [null, 'a,b', null, null],
        ['2020-01-02', 'say "x"', -0.25, '-7'],
        ['2020-01-03', 'two\nlines', 1e22, '0.0001'],
        ['2020-01-04', 'tab\there', 0, '10'],
        ['2020-01-05', '\\N \\t', 0, '10'],
      ],
    );
    const csv = await (await fetch(server.dataUrl(version, '$quote=minimal'))).text();
    expect(csv.split('\r\n')).toEqual([
      'Date,"a, ""b""",n,e',
      '2020-01-01,plain,1.5,2.5',
      ',"a,b",,',
      '2020-01-02,"say ""x""",-0.25,-7',
      '2020-01-03,"two\nlines",1e22,0.0001',
      '2020-01-04,tab\there,0,10',
      '2020-01-05,\\N \\t,0,10',
      '',
    ]);
    const tsv = await (await fetch(server.dataUrl(version, '$format=tsv&$quote=minimal'))).text();
    expect(tsv.split('\r\n').slice(0, 3)).toEqual([
      'Date\t"a, ""b"""\tn\te',
      '2020-01-01\tplain\t1.5\t2.5',
      '\ta,b\t\t',
    ]);
    expect(tsv).toContain('2020-01-04\t"tab\there"\t0\t10');
  });

  it('writes a single null as "", and is refused for JSON', async () => {
    const version = await tables.add([{ name: 'x', physical: 's' }], [['a'], [null]]);
    const sole = await fetch(server.dataUrl(version, '$quote=minimal'));
    expect(await sole.text()).toBe('x\r\na\r\n""\r\n');
    expect((await get('$quote=minimal&$format=json')).status).toBe(400);
    expect((await get('$quote=some')).status).toBe(400);
  });

  it('applies to transposed tables', async () => {
    const answer = await get('$quote=minimal&transpose=true');
    expect((await answer.text()).split('\r\n')[0]).toBe('Country,Column,2020-01-01,2020-01-02');
  });
});

describe('parameters', () => {
  it.each(['combineEntities=true', 'includeIds=true', 'dropNA=true', 'transpose=true&$top=2'])(
    'are the same with and without a dollar: %s',
    async (query) => {
      const [plain, dollar] = await Promise.all([get(query), get(`$${query}`)]);
      expect(plain.status).toBe(200);
      expect(await dollar.text()).toBe(await plain.text());
      expect(dollar.headers.get('etag')).toBe(plain.headers.get('etag'));
    },
  );

  it('are refused when they are given in both spellings', async () => {
    expect((await get('transpose=true&$transpose=true')).status).toBe(400);
  });

  it('refuse $decimals unless the answer is JSON', async () => {
    const refused = await get('$decimals=string');
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: expect.stringContaining('$decimals is for $format=json'),
    });
    expect((await get('$decimals=string&transpose=true')).status).toBe(400);
    expect((await get('$decimals=string', { headers: { accept: 'text/csv' } })).status).toBe(400);
    const json = await get('$decimals=string', { headers: { accept: 'application/json' } });
    expect(await json.json()).toMatchObject([{ GDP: '1' }, { GDP: null }, { GDP: '3' }]);
  });
});

describe('dropNA with $last', () => {
  it('drops rows of the last dates, even all of them', async () => {
    const answer = await get('dropNA=true&$last=1&$orderby=Date');
    expect(await answer.text()).toBe('"Country","Date","GDP"\r\n');
    expect(answer.headers.get('row-count')).toBe('3');
    const two = await get('dropNA=true&$last=2&$count=true');
    expect(await two.text()).toBe('2');
  });
});

describe('HEAD', () => {
  it('is refused like GET if the format cannot represent the rows', async () => {
    const notes = await tables.add(
      [
        { name: 'Note', physical: 's' },
        { name: 'Date', physical: 'd' },
        { name: 'N', physical: 'f' },
      ],
      [['x'.repeat(32_768), '2020-01-01', 1]],
    );
    const dates = await tables.addSelected(
      [
        { name: 'Date', physical: 'd' },
        { name: 'N', physical: 'f' },
      ],
      10_001,
      () => `number, toDate32('1970-01-01') + number, number FROM numbers(10001)`,
    );
    const statuses = (version: ReadableVersion, query: string): Promise<number[]> =>
      Promise.all(
        ['GET', 'HEAD'].map(async (method) => {
          const answer = await fetch(server.dataUrl(version, query), { method });
          await answer.arrayBuffer();
          return answer.status;
        }),
      );
    expect(await statuses(notes, '$format=xlsx')).toEqual([400, 400]);
    expect(await statuses(notes, '$format=xlsx&transpose=true')).toEqual([400, 400]);
    expect(await statuses(notes, '$format=xlsx&$skip=1')).toEqual([200, 200]);
    expect(await statuses(dates, '$format=json&transpose=true')).toEqual([400, 400]);
    expect(await statuses(dates, '$format=json&transpose=true&$top=10000')).toEqual([200, 200]);
  });

  it('of a whole file is not counted as an export', async () => {
    const before = server.counted.length;
    const head = await get('', { method: 'HEAD', redirect: 'manual' });
    expect(head.status).toBe(302);
    expect(server.counted).toHaveLength(before);
    expect((await get('')).status).toBe(200);
    await expect.poll(() => server.counted).toHaveLength(before + 1);
  });
});

describe('conditional and compressed answers', () => {
  const query = '$format=json&$filter=GDP gt 0&$top=1';

  it('are 304 and not counted, for any form of the ETag', async () => {
    const own = await createDownloadServer(tables.reader);
    const url = own.dataUrl(panel, query);
    const first = await fetch(url);
    const tag = first.headers.get('etag')!;
    await first.text();
    await expect.poll(() => own.counted).toHaveLength(1);
    for (const sent of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const answer = await fetch(url, { headers: { 'if-none-match': sent } });
      expect([sent, answer.status, answer.headers.get('etag')]).toEqual([sent, 304, tag]);
      expect(await answer.text()).toBe('');
    }
    expect(own.counted).toHaveLength(1);
    const other = await fetch(own.dataUrl(panel, '$format=json&$top=2'), {
      headers: { 'if-none-match': tag },
    });
    expect(other.status).toBe(200);
    await other.text();
    await own.close();
  });

  it('are 412 if If-Match does not match', async () => {
    const tag = (await get(query)).headers.get('etag')!;
    const required = async (sent: string, method = 'GET') => {
      const answer = await get(query, { method, headers: { 'if-match': sent } });
      await answer.text();
      return answer.status;
    };
    for (const sent of [tag, `"x", ${tag}`, '*']) expect([sent, await required(sent)]).toEqual([sent, 200]);
    for (const sent of ['"x"', `W/${tag}`]) expect([sent, await required(sent)]).toEqual([sent, 412]);
    expect(await required('"x"', 'HEAD')).toBe(412);
  });

  it('have an ETag for each content coding, with the coding as its suffix', async () => {
    const coded = (coding: string) => get(query, { headers: { 'accept-encoding': coding } });
    const [plain, gzip] = await Promise.all([coded('identity'), coded('gzip')]);
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(gzip.headers.get('content-encoding')).toBe('gzip');
    expect(gzip.headers.get('etag')).toBe(plain.headers.get('etag')!.replace(/"$/, '-gzip"'));
    expect(await gzip.json()).toEqual(await plain.json());
    const stale = { 'accept-encoding': 'gzip', 'if-none-match': plain.headers.get('etag')! };
    expect((await get(query, { headers: stale })).status).toBe(200);
  });

  it('have the same headers for HEAD: file name, type and number of rows among them', async () => {
    const [rows, head] = await Promise.all([get(query), get(query, { method: 'HEAD' })]);
    for (const name of [
      'row-count',
      'content-type',
      'content-disposition',
      'etag',
      'last-modified',
      'vary',
    ]) {
      expect([name, head.headers.get(name)]).toEqual([name, rows.headers.get(name)]);
    }
    expect(rows.headers.get('row-count')).toBe('2');
    expect(rows.headers.get('access-control-expose-headers')).toMatch(/Row-Count.*ETag.*X-Request-Id/);
    expect(rows.headers.get('content-disposition')).toMatch(
      /^attachment; filename="Prices_\d+ _\.json"; filename\*=/,
    );
    expect(await head.text()).toBe('');
  });
});

describe('an answer without rows', () => {
  it.each([
    ['csv', '"Country","Date","GDP"\r\n'],
    ['tsv', '"Country"\t"Date"\t"GDP"\r\n'],
  ])('has a header in %s', async (format, expected) => {
    expect(await (await get(`$format=${format}&$top=0`)).text()).toBe(expected);
    expect(await (await get(`$format=${format}&$filter=GDP gt 9`)).text()).toBe(expected);
  });

  it.each(['json', 'xlsx', 'parquet', 'arrow'])(
    'is a complete %s file, also when transposed',
    async (format) => {
      const empty = await tables.add(
        [
          { name: 'Date', physical: 'd' },
          { name: 'a', physical: 'n76_3' },
          { name: 'b', physical: 's', isEntity: false },
        ],
        [],
      );
      for (const url of [
        server.dataUrl(panel, `$format=${format}&$filter=false`),
        server.dataUrl(panel, `$format=${format}&$filter=false&transpose=true`),
        server.dataUrl(empty, `$format=${format}&$last=1&$orderby=a desc`),
        server.dataUrl(empty, `$format=${format}&transpose=true&dropNA=true`),
      ]) {
        const answer = await fetch(url);
        const bytes = Buffer.from(await answer.arrayBuffer());
        expect([url, answer.status]).toEqual([url, 200]);
        expect(bytes.length).toBeGreaterThan(0);
        if (format === 'json') expect(JSON.parse(bytes.toString())).toEqual([]);
        if (format === 'parquet') expect(bytes.subarray(-4).toString()).toBe('PAR1');
        if (format === 'xlsx') expect(bytes.subarray(0, 2).toString()).toBe('PK');
      }
    },
  );
});

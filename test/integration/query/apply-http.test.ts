/** `$apply` over HTTP: formats, options and errors. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ReadableVersion } from '../../../src/model/version.js';
import { formatNames } from '../../../src/query/formats/formats.js';
import { createDownloadServer, type DownloadServer } from './download-server.js';
import { createStoredTables, type StoredTables } from './stored-table.js';

let tables: StoredTables;
let server: DownloadServer;
let sales: ReadableVersion;

beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'), { maxMemoryBytes: 100_000_000 });
  server = await createDownloadServer(tables.reader);
  sales = await tables.add(
    [
      { name: 'Country', physical: 's' },
      { name: 'Date', physical: 'd' },
      { name: 'Amount', physical: 'f' },
      { name: 'Exact', physical: 'n38_20' },
    ],
    [
      ['Norway', '2020-01-15', 0.1, '0.00000000000000000001'],
      ['Norway', '2020-01-31', 0.2, '1'],
      ['Peru', '2020-02-01', 10.05, '2'],
    ],
    [
      ['Peru', '2020-02-03', null, '99999999999999999.5'],
      [null, null, 3, null],
    ],
  );
});

afterAll(async () => {
  await server.close();
  await tables.close();
});

const url = (options: Record<string, string>): string =>
  server.dataUrl(sales, new URLSearchParams(options).toString());

const text = async (options: Record<string, string>): Promise<string> => (await fetch(url(options))).text();

const byCountry = 'groupby((Country),aggregate(Amount with sum as Total,$count as N))';

describe('results', () => {
  it.each([
    ['csv', '"Country","Total","N"\r\n"Norway",0.3,2\r\n"Peru",10.05,2\r\n,3,1\r\n'],
    ['tsv', '"Country"\t"Total"\t"N"\r\n"Norway"\t0.3\t2\r\n"Peru"\t10.05\t2\r\n\t3\t1\r\n'],
  ])('are written as %s', async ($format, wanted) => {
    expect(await text({ $format, $apply: byCountry })).toBe(wanted);
  });

  it('have numbers with all of their digits as JSON', async () => {
    const answer = await text({ $format: 'json', $apply: 'aggregate(Exact with sum as S)' });
    expect(answer).toContain('{"S":100000000000000002.50000000000000000001}');
  });

  it('are whole numbers after the ceiling of long decimals', async () => {
    const apply = 'filter(Exact ne null)/compute(ceiling(Exact) as Up)/aggregate(Up with max as M)';
    expect(await text({ $format: 'csv', $apply: apply })).toMatch(/^"M"\r\n\d+\r\n$/);
  });

  it.each([
    ['parquet', 'PAR1'],
    ['xlsx', 'PK'],
  ])('are a %s file', async ($format, magic) => {
    const bytes = Buffer.from(await (await fetch(url({ $format, $apply: byCountry }))).arrayBuffer());
    expect(bytes.subarray(0, magic.length).toString('latin1')).toBe(magic);
  });

  it('are an arrow file', async () => {
    const answer = await fetch(url({ $format: 'arrow', $apply: byCountry }));
    expect(answer.status).toBe(200);
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(100);
  });

  it('group days by month', async () => {
    const $apply = 'groupby((Country,startofmonth(Date) as Month),aggregate(Amount with average as Mean))';
    expect(await text({ $apply })).toBe(
      '"Country","Month","Mean"\r\n"Norway","2020-01-01",0.15\r\n"Peru","2020-02-01",10.05\r\n,,3\r\n',
    );
  });

  it('of no rows are one row without groups, and no row with groups', async () => {
    expect(await text({ $apply: 'filter(false)/aggregate(Amount with sum as S,$count as N)' })).toBe(
      '"S","N"\r\n,0\r\n',
    );
    expect(await text({ $apply: 'filter(false)/groupby((Country),aggregate($count as N))' })).toBe(
      '"Country","N"\r\n',
    );
    const nested =
      "filter(false)/groupby((Country),aggregate($count as N))/aggregate(N with min as Least,N with sum as S,length('x') with max as L)";
    expect(await text({ $apply: nested })).toBe('"Least","S","L"\r\n,,\r\n');
  });
});

describe('other options apply to the result', () => {
  it.each([
    [{ $filter: 'Total gt 1' }, '"Country","Total","N"\r\n"Peru",10.05,2\r\n,3,1\r\n'],
    [{ $orderby: 'Total desc', $top: '1' }, '"Country","Total","N"\r\n"Peru",10.05,2\r\n'],
    [{ $skip: '2' }, '"Country","Total","N"\r\n,3,1\r\n'],
    [{ $select: 'N' }, '"Country","N"\r\n"Norway",2\r\n"Peru",2\r\n,1\r\n'],
    [{ $select: 'N', $distinct: 'true' }, '"N"\r\n2\r\n1\r\n'],
    [{ $count: 'true' }, '3'],
    [{ $count: 'true', $filter: 'N eq 2' }, '2'],
  ])('%j', async (options, wanted) => {
    expect(await text({ $apply: byCountry, ...options })).toBe(wanted);
  });

  it('includeIds shows ids of columns that have one', async () => {
    const [id] = sales.columns.map((column) => column.id);
    expect(await text({ $apply: byCountry, includeIds: 'true', $top: '0' })).toBe(
      `"Country [${id}]","Total","N"\r\n`,
    );
  });

  describe('a computed column with the name that includeIds gives to another one', () => {
    const amountId = (): number => sales.columns.find(({ name }) => name === 'Amount')!.id;
    const request = ($format: string): Record<string, string> => {
      const id = amountId();
      const $apply = `filter(Country eq 'Peru')/compute(Amount mul 2 as [Amount [${id}]]])`;
      return {
        $format,
        $apply,
        $select: `Amount,"Amount [${id}]"`,
        entities: 'selected',
        includeIds: 'true',
      };
    };

    it('gets a number behind its name', async () => {
      const id = amountId();
      expect(await text(request('csv'))).toBe(`"Amount [${id}]","Amount [${id}] 2"\r\n10.05,20.1\r\n,\r\n`);
    });

    it.each(formatNames)('can be read as %s', async (format) => {
      expect((await fetch(url(request(format)))).status).toBe(200);
    });

    it('names other rows of a transposed answer', async () => {
      const id = amountId();
      expect(await text({ ...request('csv'), transpose: 'true' })).toBe(
        [
          '"Column","2020-02-01","2020-02-03"',
          `"Amount [${id}]",10.05,`,
          `"Amount [${id}] 2",20.1,`,
          '',
        ].join('\r\n'),
      );
    });
  });

  it('$top does not change the number of groups in Row-Count', async () => {
    const answer = await fetch(url({ $apply: byCountry, $top: '1' }));
    expect(answer.headers.get('row-count')).toBe('3');
  });

  it('transpose has a column for each month', async () => {
    const $apply =
      'filter(Country ne null)/groupby((Country,startofmonth(Date) as Month),aggregate($count as N))';
    expect(await text({ $apply, transpose: 'true' })).toBe(
      '"Country","Column","2020-01-01","2020-02-01"\r\n"Norway","N",2,\r\n"Peru","N",,2\r\n',
    );
  });

  it('POST …/query accepts it as a member', async () => {
    const answer = await fetch(server.dataUrl(sales).replace(/data$/, 'query'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ $apply: byCountry, $format: 'json', $top: 1 }),
    });
    expect(await answer.json()).toEqual([{ Country: 'Norway', Total: 0.3, N: 2 }]);
  });

  it('a plain CSV of it is streamed, not redirected to a file', async () => {
    expect((await fetch(url({ $apply: 'identity' }), { redirect: 'manual' })).status).toBe(200);
  });
});

describe('entity tags', () => {
  it('differ by pipeline, and match with 304', async () => {
    const first = await fetch(url({ $apply: byCountry }));
    const tag = first.headers.get('etag') ?? '';
    const other = await fetch(url({ $apply: 'groupby((Country))' }));
    expect(other.headers.get('etag')).not.toBe(tag);
    const again = await fetch(url({ $apply: byCountry.replace(',aggregate', ' , Aggregate') }), {
      headers: { 'if-none-match': tag },
    });
    expect(again.status).toBe(304);
  });
});

describe('refuses', () => {
  it.each([
    ['groupby((Nowhere))', 'unknown_column'],
    ['aggregate(Amount with total as T)', 'apply_syntax'],
    ['aggregate(Country with sum as T)', 'apply_type'],
    ['topcount(2,Amount)', 'apply_unsupported'],
    [Array.from({ length: 40 }, () => 'top(1)').join('/'), 'too_complex'],
  ])('%s', async ($apply, code) => {
    const answer = await fetch(url({ $apply }));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code });
  });

  it('a sum beyond 76 digits', async () => {
    const large = await tables.add(
      [{ name: 'N', physical: 'n76_0' }],
      [['9'.repeat(76)], ['9'.repeat(76)], [`-${'9'.repeat(76)}`]],
    );
    const ask = (query: Record<string, string>) =>
      fetch(server.dataUrl(large, new URLSearchParams(query).toString()));
    const over = await ask({ $apply: 'top(2)/aggregate(N with sum as S)' });
    expect(over.status).toBe(400);
    expect(await over.json()).toMatchObject({ code: 'arithmetic_overflow' });
    const back = await ask({ $apply: 'skip(1)/aggregate(N with sum as S)', $format: 'json' });
    expect(await back.text()).toContain('{"S":0}');
  });

  it('more groups than memory holds', async () => {
    const many = await tables.addSelected(
      [{ name: 'N', physical: 'f' }],
      3_000_000,
      () => 'number, number FROM numbers(3000000)',
    );
    const $apply = 'groupby((N),aggregate(N with countdistinct as D))';
    const answer = await fetch(server.dataUrl(many, new URLSearchParams({ $apply }).toString()));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 'query_memory_limit',
      error: expect.stringContaining('with $apply group by fewer'),
    });
  });
});

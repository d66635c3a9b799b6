import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { recordsPerUpload } from '../../../src/model/position.js';
import type { ReadableVersion } from '../../../src/model/version.js';
import { createDownloads } from '../../../src/query/download.js';
import type { DownloadRequest } from '../../../src/query/download-request.js';
import { compileFilter } from '../../../src/query/filter/filter.js';
import { parseOptions } from '../../../src/query/options/options.js';
import { createPageTokens } from '../../../src/query/paging/page-token.js';
import { widePartColumns } from '../../../src/rows/engine.js';
import { insideOf } from '../../../src/rows/place.js';
import { querySemaphore } from '../../support/query-semaphore.js';
import { createStoredTables, type StoredTables } from './stored-table.js';

let tables: StoredTables;
let prices: ReadableVersion;

beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'));
  prices = await tables.add(
    [
      { name: 'Price', physical: 'f' },
      { name: 'Date', physical: 'd' },
      { name: 'Country, region', physical: 's' },
      { name: 'Exact', physical: 'n38_10' },
    ],
    [
      [1.5, '2020-01-01', 'France', '12345678901234567890.0000000001'],
      [null, '2020-01-01', 'Ger"many\nEast', null],
      [-0.25, '2020-02-01', null, '7'],
    ],
    [
      [1e22, '1999-12-31', 'a,b', '0.1'],
      [3, null, 'tab\there', '-1.50'],
    ],
  );
});

afterAll(() => tables.close());

const downloadsOf = (version: ReadableVersion, compile = compileFilter) =>
  createDownloads({
    pageTokens: createPageTokens('t'.repeat(32)),
    compile,
    versions: {
      find: async () => version,
      at: () => Promise.reject(new Error('no points in time here')),
      remembered: () => version,
      forget: () => undefined,
    },
    reader: tables.reader,
    semaphore: querySemaphore({ maxRunning: 4, queueLength: 4, maxWaitMs: 60_000 }),
  });

const requestFor = (version: ReadableVersion, query: Record<string, unknown>): DownloadRequest => {
  const options = parseOptions(query);
  return {
    dataset: { id: 1, currentVersionId: version.versionId, columnsRevision: 0 },
    options,
    format: options.format ?? 'csv',
    owner: 'me',
    signal: new AbortController().signal,
    requestId: `t${Math.random()}`,
  };
};

const planOf = (version: ReadableVersion, query: Record<string, unknown>) =>
  downloadsOf(version).plan(requestFor(version, query));

const ask = async (version: ReadableVersion, query: Record<string, unknown>) => {
  const downloads = downloadsOf(version);
  const request = requestFor(version, query);
  return downloads.open(await downloads.plan(request), request);
};

const countOf = async (version: ReadableVersion, query: Record<string, unknown>): Promise<number> => {
  const downloads = downloadsOf(version);
  const request = requestFor(version, query);
  return downloads.count(await downloads.plan(request), request);
};

const bodyOf = ({ body }: { body: Readable }): Promise<string> => text(body);

const read = async (query: Record<string, unknown>, version = prices): Promise<string> =>
  bodyOf(await ask(version, query));

describe('formats', () => {
  it('writes CSV according to RFC 4180, with empty fields for nulls', async () => {
    expect(await read({ $top: '9' })).toBe(
      [
        '"Price","Date","Country, region","Exact"',
        '1.5,"2020-01-01","France",12345678901234567890.0000000001',
        ',"2020-01-01","Ger""many\nEast",',
        '-0.25,"2020-02-01",,7',
        '1e22,"1999-12-31","a,b",0.1',
        '3,,"tab\there",-1.5',
        '',
      ].join('\r\n'),
    );
  });

  it('writes JSON as one object per line with all digits', async () => {
    const json = await read({ $format: 'json' });
    expect(json.split('\n')[1]).toBe(
      '{"Price":1.5,"Date":"2020-01-01","Country, region":"France","Exact":12345678901234567890.0000000001},',
    );
    expect(JSON.parse(json)).toHaveLength(5);
  });

  it('quotes decimals in JSON on request', async () => {
    const [first] = JSON.parse(await read({ $format: 'json', $decimals: 'string' }));
    expect(first).toEqual({
      Price: '1.5',
      Date: '2020-01-01',
      'Country, region': 'France',
      Exact: '12345678901234567890.0000000001',
    });
  });

  it('writes TSV with the quoting of CSV', async () => {
    const tsv = await read({ $format: 'tsv' });
    expect(tsv.split('\r\n')[0]).toBe('"Price"\t"Date"\t"Country, region"\t"Exact"');
    expect(tsv).toContain('3\t\t"tab\there"\t-1.5\r\n');
  });

  it('links to a file when the whole table is requested as CSV or Parquet', async () => {
    expect((await planOf(prices, {})).wholeFile).toBe('table');
    expect((await planOf(prices, { transpose: 'true' })).wholeFile).toBe('transposed');
    expect((await planOf(prices, { $format: 'parquet' })).wholeFile).toBe('table');
    expect((await planOf(prices, { $format: 'parquet', $top: '1' })).wholeFile).toBeUndefined();
    expect((await planOf(prices, { $format: 'json' })).wholeFile).toBeUndefined();
  });

  it('never writes an empty line for a null in a table of one column', async () => {
    const version = await tables.add([{ name: 'x', physical: 's' }], [['a'], [null], ['b']]);
    expect(await read({ $top: '3' }, version)).toBe('"x"\r\n"a"\r\n""\r\n"b"\r\n');
  });

  it('returns a header for a table without rows', async () => {
    const version = await tables.add(
      [
        { name: 'x', physical: 's' },
        { name: 'y', physical: 'f' },
      ],
      [],
    );
    expect(await read({ $top: '3' }, version)).toBe('"x","y"\r\n');
    expect(JSON.parse(await read({ $format: 'json' }, version))).toEqual([]);
  });

  it('keeps names that look like SQL or like internal columns', async () => {
    const names = ['c1_f', '_seg', 'a`b\\c', '{p0:String}', "x'; DROP TABLE t", 'new\nline', 'q.x', '*'];
    const version = await tables.add(
      names.map((name) => ({ name, physical: 'f' as const })),
      [names.map((_, index) => index)],
    );
    const [row] = JSON.parse(await read({ $format: 'json', $filter: '[c1_f] eq 0' }, version));
    expect(row).toEqual(Object.fromEntries(names.map((name, index) => [name, index])));
  });
});

describe('options', () => {
  const dates = (csv: string) => csv.split('\r\n').slice(1, -1);

  it('selects by name and id with entity columns first', async () => {
    const id = prices.columns[0]!.id;
    expect((await read({ $select: `Exact,${id},Exact` })).split('\r\n')[0]).toBe(
      '"Date","Country, region","Exact","Price"',
    );
    expect((await read({ select: '"Country, region"' })).split('\r\n')[0]).toBe('"Date","Country, region"');
  });

  it('lists every unknown column', async () => {
    await expect(ask(prices, { $select: 'Nope,Price,Neither' })).rejects.toThrow(/Nope, Neither/);
  });

  it('filters, limits and counts', async () => {
    const answer = await ask(prices, { $filter: 'Price gt 0', $top: '1' });
    expect(answer.rowCount).toBe(3);
    expect(dates(await bodyOf(answer))).toEqual([
      '1.5,"2020-01-01","France",12345678901234567890.0000000001',
    ]);
    expect(await countOf(prices, { $filter: 'Price gt 0', $count: 'true' })).toBe(3);
  });

  it('accepts 0 and numbers larger than every table as limits', async () => {
    expect(dates(await read({ $top: '0' }))).toEqual([]);
    expect(dates(await read({ $top: '99999999999999999999999' }))).toHaveLength(5);
    expect(dates(await read({ $skip: '99999999999999999999999' }))).toEqual([]);
    expect(dates(await read({ $last: '0' }))).toEqual([]);
  });

  it('keeps the rows of the last distinct dates in upload order', async () => {
    const answer = await ask(prices, { $last: '2', $select: 'Price' });
    expect(answer.rowCount).toBe(5);
    expect(dates(await bodyOf(answer))).toEqual([
      '"2020-01-01","France",1.5',
      '"2020-01-01","Ger""many\nEast",',
      '"2020-02-01",,-0.25',
    ]);
    const both = await ask(prices, { $last: '2', $top: '1', $select: 'Price' });
    expect(both.rowCount).toBe(5);
    expect(dates(await bodyOf(both))).toHaveLength(1);
  });

  it('sorts with nulls last and ties in upload order', async () => {
    const rows = async (orderBy: string) => dates(await read({ $orderby: orderBy, $select: 'Price' }));
    expect(await rows('Price desc')).toEqual([
      '"1999-12-31","a,b",1e22',
      ',"tab\there",3',
      '"2020-01-01","France",1.5',
      '"2020-02-01",,-0.25',
      '"2020-01-01","Ger""many\nEast",',
    ]);
    expect((await rows('Date,[Country, region] desc'))[1]).toBe('"2020-01-01","Ger""many\nEast",');
  });

  it('drops rows whose value columns are all null', async () => {
    expect(dates(await read({ dropNA: 'true' }))).toHaveLength(4);
    expect(dates(await read({ dropNA: 'true', $select: 'Date' }))).toHaveLength(5);
  });

  it('combines the entity columns into one', async () => {
    expect(await read({ combineEntities: 'true', $select: 'Price' })).toBe(
      [
        '"Date | Country, region","Price"',
        '"2020-01-01 | France",1.5',
        '"2020-01-01 | Ger""many\nEast",',
        '"2020-02-01 | ",-0.25',
        '"1999-12-31 | a,b",1e22',
        '" | tab\there",3',
        '',
      ].join('\r\n'),
    );
  });

  it('shows ids in the header', async () => {
    const [price, date] = prices.columns;
    expect((await read({ includeIds: 'true', $select: 'Price' })).split('\r\n')[0]).toContain(
      `"Date [${date!.id}]"`,
    );
    expect((await read({ includeIds: 'true', $select: 'Price' })).split('\r\n')[0]).toContain(
      `"Price [${price!.id}]"`,
    );
  });

  it('prepends entity columns, except with entities=selected', async () => {
    const version = await tables.add(
      [
        { name: 'a', physical: 's' },
        { name: 'b', physical: 's' },
        { name: 'n', physical: 'f' },
      ],
      [
        ['x', 'y', '1'],
        ['x', null, null],
      ],
    );
    expect(await read({ $select: 'n' }, version)).toBe('"a","b","n"\r\n"x","y",1\r\n"x",,\r\n');
    const only = { entities: 'selected' };
    expect(await read({ ...only, $select: 'n' }, version)).toBe('"n"\r\n1\r\n""\r\n');
    expect(await read({ ...only, $select: 'n,b' }, version)).toBe('"b","n"\r\n"y",1\r\n,\r\n');
    const [all, one] = await Promise.all([
      planOf(version, { $select: 'n' }),
      planOf(version, { ...only, $select: 'n' }),
    ]);
    expect(all.fingerprint).not.toBe(one.fingerprint);
    expect(all.question).not.toBe(one.question);
  });

  it('returns the distinct values of the selected columns in order of appearance', async () => {
    const version = await tables.add(
      [
        { name: 'd', physical: 'd' },
        { name: 'c', physical: 's' },
      ],
      [
        ['2020-01-01', 'b'],
        ['2020-01-02', null],
        ['2020-01-03', 'a'],
        ['2020-01-04', 'b'],
        ['2020-01-05', null],
      ],
    );
    const answer = await ask(version, { $select: 'c', $distinct: 'true', $top: '2' });
    expect(answer.rowCount).toBe(3);
    expect(await bodyOf(answer)).toBe('"c"\r\n"b"\r\n""\r\n');
  });
});

describe('an answer', () => {
  it('has a fingerprint that changes with the query', async () => {
    const { fingerprint } = await planOf(prices, { $format: 'json', $top: '1' });
    expect((await planOf(prices, { $format: 'json', top: 1 })).fingerprint).toBe(fingerprint);
    expect((await planOf(prices, { $format: 'json', top: 2 })).fingerprint).not.toBe(fingerprint);
  });

  it('is found in the cache only while its version is cached', async () => {
    const query = { $format: 'json', $filter: 'Price gt 1' };
    const { fingerprint } = await planOf(prices, query);
    const recall = (options: Record<string, unknown>) =>
      downloadsOf(prices).recall(requestFor(prices, options));
    expect(recall(query)?.fingerprint).toBe(fingerprint);
    expect(recall({ ...query, $top: '1' })?.fingerprint).not.toBe(fingerprint);
    const uncached = createDownloads({
      pageTokens: createPageTokens('t'.repeat(32)),
      versions: {
        find: () => Promise.reject(new Error('not called here')),
        at: () => Promise.reject(new Error('no points in time here')),
        remembered: () => undefined,
        forget: () => undefined,
      },
      reader: tables.reader,
      semaphore: querySemaphore({ maxRunning: 1, queueLength: 0, maxWaitMs: 1 }),
    });
    expect(uncached.recall(requestFor(prices, query))).toBeUndefined();
    // A version requested by id may have been dropped, so the database is queried.
    expect(recall({ ...query, versionId: String(prices.versionId) })).toBeUndefined();
    expect(recall({ ...query, asOf: '2099-12-31' })).toBeUndefined();
  });

  it.each([
    { $filter: 'Price gt 1' },
    { $filter: 'Price gt 1', $top: '1', transpose: 'true' },
    { $filter: 'Price gt 1', $count: 'true' },
    { $filter: 'N gt 0', $apply: 'groupby((Date),aggregate($count as N))' },
    { $filter: 'N gt 0', $apply: 'groupby((Date),aggregate(Price with sum as N))' },
  ])('compiles its filter once: %j', async (query) => {
    let compiled = 0;
    const downloads = downloadsOf(prices, (...input) => {
      compiled += 1;
      return compileFilter(...input);
    });
    const request = requestFor(prices, { $format: 'json', ...query });
    downloads.recall(request);
    const plan = await downloads.plan(request);
    expect(await downloads.count(plan, request)).toBeGreaterThan(0);
    const { body } = await downloads.open(plan, request);
    expect(await text(body)).not.toBe('');
    expect(compiled).toBe(1);
  });
});

describe('a version that lost rows', () => {
  const dropPartition = (version: ReadableVersion, segment: number) =>
    tables.clickhouse.command(
      `ALTER TABLE ${tables.clickhouse.database}.s${insideOf(version.place!).storeId} DROP PARTITION ${segment}`,
    );
  const columns = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ name: `x${at}`, physical: 'f' as const }));
  const row = (count: number, value: number): number[] => Array.from({ length: count }, () => value);

  it.each([
    ['few columns', 2],
    ['so many columns that its parts are one file', widePartColumns + 1],
  ])('of %s fails instead of returning fewer rows', async (_, count) => {
    const version = await tables.add(columns(count), [row(count, 1), row(count, 2)], [row(count, 3)]);
    expect(await read({ $select: 'x1', $filter: 'x1 gt 1' }, version)).toBe('"x1"\r\n2\r\n3\r\n');
    await dropPartition(version, 2);
    await expect(ask(version, { $top: '9' })).rejects.toMatchObject({ code: 'version_gone' });
    await expect(ask(version, { $filter: 'x1 eq 1' })).rejects.toMatchObject({ code: 'version_gone' });
    await dropPartition(version, 1);
    await expect(ask(version, { $format: 'json' })).rejects.toMatchObject({ code: 'version_gone' });
  });

  it.each([
    ['few columns', 2],
    ['many columns', widePartColumns + 1],
  ])('of %s and a part of a segment fails too', async (_, count) => {
    // Joined from two rows of the first upload and one of the second.
    const position = `(1 + intDiv(number, 2)) * ${recordsPerUpload} + number`;
    const stored = await tables.addSelected(
      columns(count),
      3,
      (names) => `${position}, ${names.map(() => 'number + 1').join(', ')} FROM numbers(3)`,
    );
    const cutAt = (beforeUpload: number) => [{ segmentId: stored.segmentIds[0]!, beforeUpload }];
    const version = { ...stored, rowCount: 2, cuts: cutAt(2) };
    expect(await read({ $select: 'x0' }, version)).toBe('"x0"\r\n1\r\n2\r\n');
    const lacking = { ...stored, rowCount: 4, cuts: cutAt(3) };
    await expect(ask(lacking, { $select: 'x0' })).rejects.toMatchObject({ code: 'version_gone' });
  });
});

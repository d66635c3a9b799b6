import { describe, expect, it } from 'vitest';
import type { PhysicalType } from '../../../../src/model/column.js';
import { applyPipeline, calculatedColumns } from '../../../../src/query/apply/apply.js';
import type { FilterLimits } from '../../../../src/query/filter/filter.js';
import { versionSource } from '../../../../src/rows/source.js';
import { versionOf } from './plain-version.js';

const plain = versionOf({ Year: 'f', Amount: 'f', Rate: 'n38_2', Name: 's', Day: 'd' }, 1_000);
const version = {
  ...plain,
  columns: plain.columns.map((column) =>
    column.name === 'Year' ? { ...column, years: true as const } : column,
  ),
};
const rows = versionSource('db', version);

const apply = (text: string, limits: Partial<FilterLimits> = {}) =>
  applyPipeline({ text, version, rows, ranges: new Map(), limits });

describe('a column of years', () => {
  const yearsIn = (text: string) =>
    apply(text).columns.flatMap((column) => ('years' in column ? [[column.name, column.years]] : []));

  it('stays a column of years in the result unless it is renamed', () => {
    expect(yearsIn('filter(Amount gt 1)')).toEqual([['Year', true]]);
    expect(yearsIn('groupby((Year,Name),aggregate($count as N))')).toEqual([['Year', true]]);
    expect(yearsIn('groupby((Year as Y))')).toEqual([]);
    expect(yearsIn('groupby((Name))')).toEqual([]);
  });
});

describe('a key', () => {
  const keysOf = (physicals: Readonly<Record<string, PhysicalType>>, text: string) => {
    const dataset = versionOf(physicals, 1_000);
    const input = { text, version: dataset, rows: versionSource('db', dataset), ranges: new Map() };
    return applyPipeline(input).columns.map(({ id, name }) => ({ name, isOwn: id > 0 }));
  };

  it('can be a column of the dataset under a name that a new column cannot have', () => {
    expect(keysOf({ 'two\nlines': 's' }, 'groupby(([two\nlines]))')).toEqual([
      { name: 'two\nlines', isOwn: true },
    ]);
    expect(() => keysOf({ Name: 's' }, "groupby((concat(Name,'two\nlines')))")).toThrow(
      "give this key a name with 'as': it must not contain control characters",
    );
  });

  it('that is calculated is a new column, even if its function and a column have the same name', () => {
    expect(keysOf({ year: 'f', Day: 'd' }, 'groupby((year(Day) as year))')).toEqual([
      { name: 'year', isOwn: false },
    ]);
  });
});

it('numbers of rows and of distinct values stay exact in later calculations', () => {
  const typesOf = (text: string) => apply(text).columns.map(({ physical }) => physical);
  const sixth = (name: string): string => Array.from({ length: 6 }, () => name).join(' mul ');
  const counts = 'aggregate($count as N,Name with countdistinct as D)';
  expect(typesOf(`${counts}/compute(${sixth('N')} as P,${sixth('D')} as Q)`)).toEqual([
    'f',
    'f',
    'n38_0',
    'n38_0',
  ]);
});

it('a condition on limited rows reads its columns, though the result has none of them', () => {
  const { from } = apply('top(9)/filter(Amount gt 3)/aggregate($count as N)').rows;
  expect(from).toMatch(/SELECT c2_f, _row FROM .* LIMIT 9/);
});

it('only first and last need the number of each row in the order', () => {
  const sqlOf = (method: string): string =>
    apply(`orderby(Amount)/aggregate(Name with ${method} as M)/filter(M ne null)`).rows.from;
  const numbers = (method: string): number => sqlOf(method).split('rowNumberInAllBlocks()').length - 1;
  expect(['max', 'countdistinct', 'first', 'last'].map(numbers)).toEqual([1, 1, 2, 2]);
});

it('limited rows can be counted, though no column of them is needed', () => {
  const { from } = apply('aggregate($count as N)/top(1)/aggregate($count as M)').rows;
  expect(from).toMatch(/FROM \(SELECT 1 FROM .* LIMIT 1\)/);
});

describe('limits', () => {
  it('of the length are in bytes', () => {
    const text = "filter(Name eq 'ä')";
    expect(() => apply(text, { maxBytes: 20 })).not.toThrow();
    expect(() => apply(text, { maxBytes: 19 })).toThrow(
      '$apply, character 1: the pipeline is longer than 19 bytes',
    );
  });

  it('of the SQL are in characters', () => {
    const text = 'filter(Amount gt 1)';
    const { length } = apply(text).rows.from;
    expect(() => apply(text, { maxSqlLength: length })).not.toThrow();
    expect(() => apply(text, { maxSqlLength: length - 1 })).toThrow(
      '$apply, character 1: the pipeline is too complex; use fewer calculations',
    );
  });

  it('of keys and aggregates apply to all steps together', () => {
    const items = (from: number, count: number): string =>
      Array.from({ length: count }, (_, at) => `$count as N${from + at}`).join();
    const pipeline = (count: number): string => `aggregate(${items(0, 1_000)})/aggregate(${items(0, count)})`;
    expect(() => apply(pipeline(1_000))).not.toThrow();
    expect(() => apply(pipeline(1_001))).toThrow('more than 2000 keys, aggregates and computed columns');
    expect(() => apply('top(1)/'.repeat(31).concat('top(1)'))).not.toThrow();
    expect(() => apply('top(1)/'.repeat(32).concat('top(1)'))).toThrow('more than 32 steps');
  });

  it.each(['\ud800', 'filter(Name eq \udc00)'])('reject half a surrogate pair: %j', (text) => {
    expect(() => apply(text)).toThrow(/expected well-formed Unicode, found half of a surrogate pair$/);
  });
});

describe('parameters', () => {
  const filters = (values: number): string =>
    `filter(${Array.from({ length: values }, (_, at) => `Amount eq ${at + 1}`).join(' or ')})`;

  it('have other names than those of the version, and are packed beyond a hundred', () => {
    const names = (values: number): string[] =>
      Object.keys(apply(filters(values)).rows.values).filter((name) => !(name in rows.values));
    expect(names(2)).toEqual(['a0', 'a1']);
    expect(names(100)).toHaveLength(100);
    expect(names(101)).toEqual(['a0', 'a2']);
    expect(apply(filters(101)).rows.values).toMatchObject(rows.values);
  });

  it('are only those of the version if the pipeline has none', () => {
    expect(apply('top(1)').rows).toMatchObject({ where: 'true', values: rows.values });
  });
});

it('numbers in quotes are accepted if the protocol has them', () => {
  const text = "filter(Rate gt '1.5')";
  expect(apply(text, { numbersInQuotes: true }).normalized).toBe('filter(gt(#3,15e-1))');
  expect(() => apply(text)).toThrow('write the number without quotes');
});

it('the columns to measure are those of keys, aggregates, orders and computed columns', () => {
  const namesIn = (text: string): string[] => calculatedColumns({ text, version }).map(({ name }) => name);
  expect(namesIn('orderby(Amount add 1)')).toEqual(['Amount']);
  expect(namesIn('groupby((Rate,year(Day) as Y),aggregate(Amount with max as M,$count as N))')).toEqual([
    'Amount',
    'Rate',
  ]);
  expect(namesIn('compute(Year mul 2 as Y)/top(1)/filter(Amount gt 1)')).toEqual(['Year']);
  expect(namesIn('top(1)/skip(2)/identity')).toEqual([]);
});

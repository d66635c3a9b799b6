import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/lib/errors.js';
import type { PhysicalType } from '../../../../src/model/column.js';
import { applyPipeline, calculatedColumns } from '../../../../src/query/apply/apply.js';
import { versionSource } from '../../../../src/rows/source.js';
import { versionOf } from './plain-version.js';

const physicals: Readonly<Record<string, PhysicalType>> = {
  Amount: 'f',
  Cost: 'f',
  TaxRate: 'n38_2',
  Price: 'f',
  Name: 's',
  Region: 's',
  Country: 's',
  Year: 'f',
  Customer: 's',
  Status: 's',
  Date: 'd',
  Shipped: 't',
  SalesNumber: 'f',
  Discounts: 's',
  Product: 's',
  Time: 'd',
  Quantity: 'f',
  Budget: 'f',
  Forecast: 'f',
  'Speed as knots': 'f',
  "O'Neil (x), y": 's',
};

const version = versionOf(physicals, 1_000);

const rows = versionSource('db', version);
const facts = new Map([[1, { scale: 2, units: 999_999n }]]);

const apply = (text: string) => applyPipeline({ text, version, rows, ranges: facts });

const refusal = (text: string): AppError => {
  try {
    apply(text);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error(`${text} was accepted`);
};

interface Case {
  readonly apply: string;
  readonly verdict: string;
}

const cases = readFileSync(new URL('../../../fixtures/odata/pipelines.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Case);

describe('pipelines of public test suites', () => {
  it.each(cases)('$apply: $verdict', ({ apply: text, verdict }) => {
    if (verdict === 'accept') expect(apply(text).rows.from).toContain('SELECT');
    else expect(refusal(text).code).toBe(verdict);
  });
});

describe('a mistake is reported with its position', () => {
  it.each([
    ['aggregate(Amount with total as T)', 'apply_syntax', 23, /expected a method .*found 'total'/],
    ['aggregate(Amount with count as T)', 'apply_syntax', 23, /'\$count as Name'/],
    ['aggregate(Name with sum as T)', 'apply_type', 11, /sum needs a number, found the String column Name/],
    ['aggregate(Date with average as T)', 'apply_type', 11, /average needs a number/],
    ['aggregate(Amount with quantile(1.5) as T)', 'apply_syntax', 32, /level from 0 to 1/],
    ['aggregate(Amount with quantile as T)', 'apply_syntax', 32, /'\(' and a level/],
    ['groupby((Country),aggregate(Amount with sum as Country))', 'apply_type', 29, /Country already/],
    ['groupby((Country,Country))', 'apply_type', 18, /Country already/],
    ['compute(Amount mul 2 as Cost)', 'apply_type', 9, /Cost already/],
    ['compute(Amount gt 2 as Big)', 'apply_type', 9, /write conditions in filter/],
    ['compute(null as Nothing)', 'apply_type', 9, /found null/],
    ['filter(Amount)', 'apply_type', 8, /expected a condition/],
    ['aggregate(Amount with sum as 5)', 'apply_syntax', 30, /a name/],
    ['aggregate(Amount with sum as [ ])', 'apply_syntax', 30, /a name/],
    [
      'topcount(1,Amount)',
      'apply_unsupported',
      1,
      /topcount is not supported here; there are filter, .* identity/,
    ],
    [
      'filter(Amount gt 1)/join(Sales as Sale)',
      'apply_unsupported',
      21,
      /join is not supported here; there are/,
    ],
    [
      'filter(Amount gt 1)/groupby((Nope),aggregate(Neither with sum as S))',
      'unknown_column',
      30,
      /Nope, Neither/,
    ],
    // The unknown column must not be suggested for itself, though groupby would return it.
    [
      'groupby((Nowhere),aggregate($count as N))/filter(N gt 1)',
      'unknown_column',
      10,
      /^(?!.*did you mean Nowhere)/,
    ],
    ['groupby((Country))/filter(Amount gt 1)', 'unknown_column', 27, /Amount \(\$apply, character 27\)/],
  ])('%s', (text, code, position, message) => {
    const error = refusal(text);
    expect({ code: error.code, position: error.details?.position }).toEqual({ code, position });
    expect(error.message).toMatch(message);
  });
});

describe('bounds', () => {
  it.each([
    ['steps', Array.from({ length: 33 }, () => 'top(1)').join('/')],
    ['aggregates', `aggregate(${Array.from({ length: 2_001 }, (_, at) => `$count as N${at}`).join()})`],
    ['bytes', `filter(Name eq '${'x'.repeat(70_000)}')`],
    ['nesting', `filter(${'('.repeat(300)}true${')'.repeat(300)})`],
  ])('%s', (_, text) => {
    expect(refusal(text).code).toBe('too_complex');
  });

  it('allow 1,500 aggregates', () => {
    const text = `aggregate(${Array.from({ length: 1_500 }, (_, at) => `Amount with sum as N${at}`).join()})`;
    expect(apply(text).columns).toHaveLength(1_500);
  });
});

describe('types of results', () => {
  const typesOf = (text: string) =>
    apply(text).columns.map(({ name, physical, isEntity }) => [name, physical, isEntity]);

  it.each([
    ['groupby((Country))', [['Country', 's', true]]],
    ['aggregate(Amount with sum as S)', [['S', 'f', false]]],
    ['aggregate(TaxRate with sum as S)', [['S', 'n76_2', false]]],
    ['aggregate(TaxRate with average as A)', [['A', 'f', false]]],
    ['aggregate(Amount mul Amount mul Amount with sum as S)', [['S', 'n38_6', false]]],
    [
      'aggregate($count as N,Date with max as D,Name with min as T)',
      [
        ['N', 'f', false],
        ['D', 'd', false],
        ['T', 's', false],
      ],
    ],
    ['groupby((year(Date)))', [['year(Date)', 'f', true]]],
    ['groupby((startofmonth(Shipped) as Month))', [['Month', 't', true]]],
    [
      'groupby(([Speed as knots]),aggregate($count as [N of all]))',
      [
        ['Speed as knots', 'f', true],
        ['N of all', 'f', false],
      ],
    ],
    [
      "groupby((Speed as knots as Speed,[O'Neil (x), y] as [a]]b]))",
      [
        ['Speed', 'f', true],
        ['a]b', 's', true],
      ],
    ],
  ])('%s', (text, types) => {
    expect(typesOf(text)).toEqual(types);
  });

  it('keep the ids of unchanged columns', () => {
    const { columns: result } = apply('groupby((Country,Year as Y),aggregate(Amount with sum as S))');
    expect(result.map(({ id }) => id > 0)).toEqual([true, false, false]);
  });
});

describe('spellings', () => {
  it.each([
    ['aggregate(Amount with sum as S)', ' AGGREGATE ( [Amount]  WITH tabulary.sum  AS  [S] ) '],
    ['filter(Amount gt 1)/top(3)', 'identity/filter((Amount gt 1.0))/top(3)'],
  ])('%s and %s have one normal form', (left, right) => {
    expect(apply(left).normalized).toBe(apply(right).normalized);
  });

  it.each([
    ['aggregate(Amount with sum as S)', 'aggregate(Amount with sum as T)'],
    ['aggregate(Amount with sum as S)', 'aggregate(Cost with sum as S)'],
    ['aggregate(Amount with quantile(0.1) as S)', 'aggregate(Amount with quantile(0.2) as S)'],
    ['groupby((Country))', 'groupby((Name))'],
    ['groupby((Country),aggregate($count as N))', 'aggregate($count as N)'],
    ['orderby(Amount)', 'orderby(Amount desc)'],
    ['top(1)', 'skip(1)'],
    ['top(1)/skip(2)', 'skip(2)/top(1)'],
  ])('%s and %s have two normal forms', (left, right) => {
    expect(apply(left).normalized).not.toBe(apply(right).normalized);
  });
});

describe('SQL', () => {
  it('binds values, and contains no text of the caller', () => {
    const { rows: result } = apply(
      "filter(Country eq 'x''); DROP')/compute(concat(Name, 'y`') as [a`b])/groupby(([a`b]))",
    );
    expect(result.from).not.toMatch(/DROP|y`|a`b/);
    expect(Object.values(result.values)).toEqual(expect.arrayContaining(["x'); DROP", 'y`']));
  });

  it('reads only the columns that are needed', () => {
    const { rows: result } = apply(
      'compute(Amount mul 2 as Twice)/groupby((Country),aggregate(Twice with sum as S))',
    );
    // c1_s and c2_f are the columns of the result.
    expect(new Set(result.from.match(/\bc\d+_\w+/g))).toEqual(new Set(['c1_f', 'c7_s', 'c1_s', 'c2_f']));
  });

  it('adds doubles with few digits as whole units', () => {
    expect(apply('aggregate(Amount with sum as S)').rows.from).toContain(
      '(sum(((c1_f * 1e2 + 6755399441055744.) - 6755399441055744.)) / 1e2)',
    );
  });
});

describe('columns to measure', () => {
  it.each([
    ['groupby((Country),aggregate(Amount with sum as S,$count as N))', ['Amount']],
    ['filter(Cost gt 1)/compute(Price mul 2 as P)', ['Price']],
    ['aggregate(Name with max as M)', []],
  ])('%s', (text, names) => {
    expect(calculatedColumns({ text, version }).map(({ name }) => name)).toEqual(names);
  });
});

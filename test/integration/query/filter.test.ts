/**
 * Filters on a real ClickHouse, compared row by row with the reference evaluator. FILTER_PAIRS sets the number of
 * generated (table, filter) pairs, FILTER_SEED the seed.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { decimalShapeOf } from '../../../src/model/column-types/decimal.js';
import { compileFilter, type FilterColumn } from '../../../src/query/filter/filter.js';
import { baseReadSettings } from '../../../src/storage/clickhouse/reader.js';
import { type ClickHouseQuery, clickHouseText } from '../../support/clickhouse-http.js';
import { createEvaluator } from '../../support/odata-evaluator.js';
import { choicesArb, filterArb, tableArb } from '../../support/odata-generator.js';
import type { Cell, TestColumn, TestTable } from '../../support/odata-tree.js';
import { writeFilter } from '../../support/odata-writer.js';
import { longestTestMs } from '../../support/patience.js';

const pairs = Number(process.env.FILTER_PAIRS ?? 400);
const seed = Number(process.env.FILTER_SEED ?? 20_260_701);
const filtersPerTable = 25;
const database = `filter_${process.pid}`;

const ask = (query: ClickHouseQuery): Promise<string> => clickHouseText(inject('clickhouseUrl'), query);
const read = (query: ClickHouseQuery): Promise<string> =>
  ask({ ...query, settings: baseReadSettings(60, 2 ** 31) });

const typeOf = ({ physical }: TestColumn): string => {
  const decimal = decimalShapeOf(physical);
  if (decimal) return `Nullable(Decimal(${decimal.precision}, ${decimal.scale}))`;
  return { d: 'Nullable(Date32)', f: 'Nullable(Float64)' }[physical as string] ?? 'Nullable(String)';
};

const asFilterColumns = (columns: readonly TestColumn[]): FilterColumn[] =>
  columns.map((column) => ({ ...column, sql: `c${column.id}_${column.physical}` }));

/** Type of a column in a read copy. */
const copyTypeOf = (column: TestColumn, cells: readonly Cell[]): string => {
  const type = typeOf(column);
  if (type === 'Nullable(String)') return `LowCardinality(${type})`;
  return cells.includes(null) ? type : type.slice('Nullable('.length, -1);
};

const load = async (name: string, table: TestTable): Promise<void> => {
  const create = (to: string, typeFor: (column: TestColumn, at: number) => string): Promise<string> => {
    const columns = table.columns.map(
      (column, at) => `c${column.id}_${column.physical} ${typeFor(column, at)}`,
    );
    return ask({
      sql: `CREATE TABLE ${database}.${to} (_row UInt32, ${columns.join(', ')}) ENGINE = MergeTree ORDER BY _row`,
    });
  };
  await create(name, typeOf);
  await create(`${name}_copy`, (column, at) =>
    copyTypeOf(
      column,
      table.rows.map((row) => row[at] ?? null),
    ),
  );
  const lines = table.rows.map((row, at) =>
    JSON.stringify({
      _row: at,
      ...Object.fromEntries(
        table.columns.map((column, index) => [`c${column.id}_${column.physical}`, row[index]]),
      ),
    }),
  );
  await ask({ sql: `INSERT INTO ${database}.${name} FORMAT JSONEachRow\n${lines.join('\n')}` });
  await ask({ sql: `INSERT INTO ${database}.${name}_copy SELECT * FROM ${database}.${name}` });
};

const matching = async (name: string, text: string, columns: readonly TestColumn[]): Promise<number[]> => {
  const { sql, params } = compileFilter(text, asFilterColumns(columns));
  const rowsOf = (table: string): Promise<string> =>
    read({ sql: `SELECT _row FROM ${database}.${table} WHERE ${sql} ORDER BY _row FORMAT TSV`, params });
  const answer = await rowsOf(name);
  expect(await rowsOf(`${name}_copy`), `${text}, read from a copy`).toBe(answer);
  return answer.split('\n').filter(Boolean).map(Number);
};

beforeAll(async () => {
  await ask({ sql: `CREATE DATABASE ${database}` });
});

afterAll(async () => {
  await ask({ sql: `DROP DATABASE ${database}` });
});

describe('generated filters', () => {
  it(`keep the same rows as the OData model, in ${pairs} pairs of table and filter`, {
    timeout: longestTestMs + 500 * pairs,
  }, async () => {
    const tables = fc.sample(tableArb, { seed, numRuns: Math.ceil(pairs / filtersPerTable) });
    const filters = fc.sample(fc.tuple(filterArb, choicesArb), { seed, numRuns: pairs });
    let decided = 0;
    for (const [index, table] of tables.entries()) {
      const name = `t${index}`;
      await load(name, table);
      const evaluator = createEvaluator(table.columns);
      for (const [filter, choices] of filters.slice(index * filtersPerTable, (index + 1) * filtersPerTable)) {
        const text = writeFilter(filter, choices);
        const wanted = table.rows.map((row) => evaluator.keeps(filter, row));
        const found = new Set(await matching(name, text, table.columns));
        const wrong = wanted.flatMap((keep, row) =>
          keep === undefined || keep === found.has(row) ? [] : [{ row, keep, cells: table.rows[row] }],
        );
        expect(wrong, text).toEqual([]);
        decided += wanted.filter((keep) => keep !== undefined).length;
      }
      await ask({ sql: `DROP TABLE ${database}.${name}` });
      await ask({ sql: `DROP TABLE ${database}.${name}_copy` });
    }
    const rows = tables.reduce((sum, { rows: all }) => sum + all.length, 0) * filtersPerTable;
    // Most rows must be decided, otherwise the comparison proves little.
    expect(decided / rows).toBeGreaterThan(0.8);
  });
});

const oneColumn = (
  physical: TestColumn['physical'],
  dataType: TestColumn['dataType'],
  cells: readonly Cell[],
): TestTable => ({
  columns: [{ id: 1, name: 'V', dataType, physical }],
  rows: cells.map((cell) => [cell]),
});

describe('single columns', () => {
  const cases: readonly [title: string, TestTable, filter: string, rows: readonly number[]][] = [
    [
      'a literal with more digits than a double is greater than it',
      oneColumn('f', 'Decimal', ['0.1', '0.2', null]),
      'V lt 0.10000000000000000001',
      [0],
    ],
    ['a sum of decimals is exact', oneColumn('f', 'Decimal', ['0.1', '0.2']), 'V add 0.2 eq 0.3', [0]],
    [
      'a terminating quotient of decimals is exact',
      oneColumn('f', 'Decimal', ['0.3', '0.4']),
      'V div 0.1 eq 3',
      [0],
    ],
    [
      'numbers beyond the double range can be compared',
      oneColumn('f', 'Decimal', ['1e300', '-1e300', null]),
      'V lt 1e400',
      [0, 1],
    ],
    ['division by zero is null', oneColumn('f', 'Decimal', ['0', '1']), '1 div V eq null', [0]],
    [
      'a divisor of exactly zero gives null, despite rounding of doubles',
      oneColumn('f', 'Decimal', ['0.2', '0.3']),
      '1 div (V add 0.1 sub 0.3) eq null',
      [0],
    ],
    ['mod by zero is null', oneColumn('n38_2', 'Decimal', ['0.00', '1.00']), '1 mod V ne null', [1]],
    [
      'overflow is null and never true',
      oneColumn('f', 'Decimal', ['1e308', '-1e308', '1']),
      'V mul 10 gt 5',
      [2],
    ],
    [
      'a column with two decimals is compared with a literal with three',
      oneColumn('n38_2', 'Decimal', ['1.23', '1.24', null]),
      'V gt 1.235',
      [1],
    ],
    ['not of an ordering keeps nulls', oneColumn('f', 'Decimal', ['1', '9', null]), 'not (V lt 5)', [1, 2]],
    ['ne keeps nulls', oneColumn('s', 'String', ['a', 'b', null]), "V ne 'a'", [1, 2]],
    ['not contains leaves null out', oneColumn('s', 'String', ['a', 'b', null]), "not contains(V, 'a')", [1]],
    ['a list with null keeps null', oneColumn('s', 'String', ['a', 'b', null]), "V in ('a', null)", [0, 2]],
    ['not in keeps null', oneColumn('s', 'String', ['a', 'b', null]), "not (V in ('a'))", [1, 2]],
    [
      'a string is bound, not pasted',
      oneColumn('s', 'String', ["' OR 1=1 --", 'a\\b', 'x']),
      "V eq ''' OR 1=1 --' or V eq 'a\\b'",
      [0, 1],
    ],
    ['a NUL in a string matches nothing', oneColumn('s', 'String', ['a']), "V eq 'a\u0000'", []],
    [
      'half is rounded away from zero',
      oneColumn('f', 'Decimal', ['2.5', '-2.5', '3.4']),
      'round(V) in (3, -3)',
      [0, 1, 2],
    ],
    ['a negative zero is a zero', oneColumn('f', 'Decimal', ['-0', '1']), 'V in (0)', [0]],
    [
      'a negative zero is a zero in a chain that ClickHouse turns into a set',
      oneColumn('f', 'Decimal', ['-0', '0', '1', '5', null]),
      'V eq 0 or V eq 1 or V eq 2 or V in (0, 3)',
      [0, 1, 2],
    ],
    [
      'a negative zero is a zero in a chain of inequalities',
      oneColumn('f', 'Decimal', ['-0', '0', '1', '5', null]),
      'V ne 0 and V ne 1 and V ne 2 and not (V in (0, 3))',
      [3, 4],
    ],
    [
      'a date beyond the column type is later than every value',
      oneColumn('d', 'Date', ['2020-01-01', null]),
      'V lt 9999-12-31',
      [0],
    ],
    ['a quarter is its first day', oneColumn('d', 'Date', ['2020-04-01', '2020-05-01']), 'V eq 2020Q2', [0]],
    ['true keeps every row', oneColumn('s', 'String', ['a', null]), 'true', [0, 1]],
    ['false keeps none', oneColumn('s', 'String', ['a', null]), 'false', []],
  ];

  it.each(cases)('%s', async (_, table, filter, rows) => {
    const name = `s${cases.findIndex(([title]) => title === _)}`;
    await load(name, table);
    expect(await matching(name, filter, table.columns)).toEqual(rows);
  });
});

describe('large filters', () => {
  const table = oneColumn('f', 'Decimal', ['1', '5', null]);
  const chain = (term: string, word: string, count: number) =>
    Array.from({ length: count }, () => term).join(word);

  beforeAll(() => load('large', table));

  it('split a list over several parameters when the limits are raised', async () => {
    const filter = `V in (${Array.from({ length: 20_000 }, (_, at) => at + 3).join()})`;
    const { sql, params } = compileFilter(filter, asFilterColumns(table.columns), {
      maxBytes: 1_000_000,
      maxInTerms: 100_000,
    });
    expect(Object.keys(params).length).toBeGreaterThan(1);
    const answer = await read({ sql: `SELECT _row FROM ${database}.large WHERE ${sql} FORMAT TSV`, params });
    expect(answer).toBe('1\n');
  });

  it.each([
    ['the longest text, all of it escaped', `V eq 5 and not contains('${'\\'.repeat(65_000)}','x')`, [1]],
    ['the longest list, all of it escaped', `substring('x', V) in ('${'\\'.repeat(65_000)}') or V eq 5`, [1]],
    [
      'a long text in three bytes per character',
      `V eq 5 and not contains('${'€😀'.repeat(9_000)}','x')`,
      [1],
    ],
    ['thousands of conditions', Array.from({ length: 5_000 }, (_, at) => `V eq ${at}`).join(' or '), [0, 1]],
    ['thousands of negated conditions', chain('not (V ne 5)', ' and ', 3_800), [1]],
    [
      'thousands of lists',
      `${Array.from({ length: 3_500 }, (_, at) => `V in (${at},7)`).join(' or ')}`,
      [0, 1],
    ],
    ['a list of a thousand values', `V in (${Array.from({ length: 1_000 }, (_, at) => at).join()})`, [0, 1]],
    ['parentheses to the limit', `${'('.repeat(199)}V eq 5${')'.repeat(199)}`, [1]],
    ['negations to the limit', `${'not ('.repeat(99)}true${')'.repeat(99)}`, []],
    ['a sum to the limit', `V${' add 1'.repeat(190)} eq 195`, [1]],
    ['products to the limit', `V${' mul 1.5'.repeat(190)} gt 0`, [0, 1]],
    ['quotients to the limit', `V${' div 1'.repeat(190)} eq 5`, [1]],
    ['remainders to the limit', `V${' mod 7'.repeat(190)} eq 5`, [1]],
    [
      'roundings of doubles to the limit',
      `${'round('.repeat(180)}V mul V mul V${')'.repeat(180)} eq 125`,
      [1],
    ],
    ['roundings to the limit', `${'round('.repeat(190)}V${')'.repeat(190)} eq 5`, [1]],
    ['comparisons of comparisons to the limit', `V eq 5${' eq true'.repeat(190)}`, [1]],
    [
      'text functions to the limit',
      `${'trim('.repeat(190)}substring('5', V mul 0)${')'.repeat(190)} eq '5'`,
      [0, 1],
    ],
    [
      'substrings by lengths of substrings, to the limit',
      `${"length(substring('abcdefghij', ".repeat(60)}V${'))'.repeat(60)} ge 0`,
      [0, 1],
    ],
  ])('find the right rows: %s', async (_, filter, rows) => {
    expect(await matching('large', filter, table.columns)).toEqual(rows);
  });
});

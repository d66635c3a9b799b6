import { describe, expect, it } from 'vitest';
import { suggest } from '../../../web/src/components/filter/complete.js';
import {
  both,
  condition,
  conditionsOf,
  nameInFilter,
  range,
  toggled,
  withColumnRenamed,
  wordsFilter,
} from '../../../web/src/lib/filter.js';
import { formatTsv, parseTsv } from '../../../web/src/lib/tsv.js';
import type { Column, DataType } from '../../../web/src/lib/types.js';
import { csvOf, readSeries, textOf } from '../../../web/src/pages/providers/series-data.js';

const column = (name: string, dataType: DataType = 'String', id = 1): Column => ({
  id,
  name,
  dataType,
  isEntity: dataType !== 'Decimal',
});

describe('conditions added by a click', () => {
  it('have quotes or brackets where a filter would read something else', () => {
    expect(nameInFilter('Country')).toBe('Country');
    expect(nameInFilter('Größe_2')).toBe('Größe_2');
    for (const name of ['two words', '2020', 'eq', 'NULL', 'a]b', "it's"])
      expect(nameInFilter(name)).toBe(`[${name.replaceAll(']', ']]')}]`);
    expect(condition(column("O'Neil"), 'eq', "it's")).toBe("[O'Neil] eq 'it''s'");
    expect(condition(column('Price', 'Decimal'), 'ge', ' 12.5 ')).toBe('Price ge 12.5');
    expect(condition(column('Note'), 'contains', 'x')).toBe("contains(Note, 'x')");
    expect(condition(column('Note'), 'null')).toBe('Note eq null');
  });

  it('search text columns for words, but not while a filter is being typed', () => {
    const columns = [column('Country'), column('Price', 'Decimal', 2), column('A note', 'String', 3)];
    expect(wordsFilter(' Norw ', columns)).toBe(
      "contains(tolower(Country), 'norw') or contains(tolower([A note]), 'norw')",
    );
    expect(wordsFilter("Côte d'Ivoire", columns.slice(0, 1))).toBe(
      "(contains(tolower(Country), 'côte')) and (contains(tolower(Country), 'd''ivoire'))",
    );
    for (const written of [
      '',
      'Country eq',
      "Country eq 'a'",
      'Price gt 3',
      'contains(',
      'not x',
      '[A note]',
    ])
      expect(wordsFilter(written, columns)).toBeUndefined();
    expect(wordsFilter('norw', columns.slice(1, 2))).toBeUndefined();
  });

  it('include the end of the last bar of a histogram, but of no other bar', () => {
    expect(range(column('A'), { from: 1, to: 2, isLast: false })).toBe('A ge 1 and A lt 2');
    expect(range(column('A'), { from: 1, to: 2, isLast: true })).toBe('A ge 1 and A le 2');
  });

  it('are added to existing conditions, which get brackets around an or', () => {
    expect(both('', 'B eq 1')).toBe('B eq 1');
    expect(both('A eq 1', 'B eq 1')).toBe('A eq 1 and B eq 1');
    expect(both('A eq 1 or A eq 2', 'B eq 1')).toBe('(A eq 1 or A eq 2) and B eq 1');
  });
});

describe('a filter in conditions', () => {
  it.each([
    ['', []],
    [' A eq 1 ', ['A eq 1']],
    ['A eq 1 and B lt 2 AND C ne null', ['A eq 1', 'B lt 2', 'C ne null']],
    ["A eq 'x and y' and [b and c] eq 'it''s'", ["A eq 'x and y'", "[b and c] eq 'it''s'"]],
    ['(A eq 1 and B eq 2) and contains(C, D and E)', ['(A eq 1 and B eq 2)', 'contains(C, D and E)']],
    ['(A eq 1 or A eq 2) and B eq 3', ['(A eq 1 or A eq 2)', 'B eq 3']],
    ['A eq 1 and B eq 2 or C eq 3', ['A eq 1 and B eq 2 or C eq 3']],
    ['band eq 1 and order eq 2', ['band eq 1', 'order eq 2']],
  ])('%j', (filter, conditions) => {
    expect(conditionsOf(filter)).toEqual(conditions);
  });

  it.each([
    ['', "City eq 'A'", "City eq 'A'"],
    ["City eq 'A'", "City eq 'B'", "City in ('A', 'B')"],
    ["City in ('A', 'it''s, B') and N gt 1", "City eq 'C'", "City in ('A', 'it''s, B', 'C') and N gt 1"],
    ["City in ('A', 'B') and N gt 1", "City eq 'A'", "City eq 'B' and N gt 1"],
    ["City eq 'A' and N gt 1", "City eq 'A'", 'N gt 1'],
    ["City eq 'A'", "City eq 'A'", ''],
    ["[a ]] b] eq 'A'", "[a ]] b] eq 'B'", "[a ]] b] in ('A', 'B')"],
    ["City eq 'A'", 'City eq null', "City eq 'A' and City eq null"],
    ['City eq null', "City eq 'A'", "City eq null and City eq 'A'"],
    ['N ge 1 and N lt 2', 'N ge 5 and N lt 6', 'N ge 1 and N lt 2 and N ge 5 and N lt 6'],
    ["City eq 'A' or N gt 1", "City eq 'A'", "(City eq 'A' or N gt 1) and City eq 'A'"],
  ])('%j with a click on %j', (filter, clicked, expected) => {
    expect(toggled(filter, clicked)).toBe(expected);
  });
});

describe('completion', () => {
  const columns = [column('Country'), column('Country code', 'String', 2), column('Price', 'Decimal', 3)];

  it.each([
    ['', ['Country ', '[Country code] ', 'Price ']],
    ['pri', ['Price ']],
    ['Country ', ['eq ', 'ne ', 'gt ', 'ge ', 'lt ', 'le ', 'in (']],
    ['Price g', ['gt ', 'ge ']],
    ['Price gt 3 ', ['and ', 'or ']],
    ["Country eq 'x' and [Country", ['Country ', '[Country code] ']],
    ['yea', ['year(']],
  ])('suggests completions after %j', (text, items) => {
    const found = suggest(text, columns);
    expect(found?.kind === 'words' ? found.items.slice(0, items.length) : found).toEqual(items);
  });

  it.each([
    ["Country eq 'No", 'Country', 'No'],
    ["[Country code] in ('NO', 'S", 'Country code', 'S'],
    ["Price gt 3 and Country eq 'it''s", 'Country', "it's"],
  ])('suggests values after %j', (text, name, startsWith) => {
    expect(suggest(text, columns)).toMatchObject({ kind: 'values', column: { name }, startsWith });
  });

  it('suggests nothing after an operator, even if a column has its name', () => {
    const named = [...columns, column('eq', 'String', 4)];
    expect(suggest('Country eq ', named)).toBeUndefined();
    expect(suggest('[eq] ', named)).toMatchObject({
      items: ['eq ', 'ne ', 'gt ', 'ge ', 'lt ', 'le ', 'in ('],
    });
  });

  it('suggests nothing if it does not know what comes next', () => {
    expect(suggest("Nowhere eq 'x", columns)).toBeUndefined();
    expect(suggest('Price gt 3', columns)).toBeUndefined();
  });
});

describe('rows as TSV', () => {
  it('keep tabs, quotes and line breaks, and have null for an empty cell', () => {
    const text = 'A\tB\r\n"with\ttab"\t\r\n"a ""b""\r\nc"\t1.50\r\n\t\r\n';
    const rows = [
      ['A', 'B'],
      ['with\ttab', null],
      ['a "b"\r\nc', '1.50'],
      [null, null],
    ];
    expect(parseTsv(text)).toEqual(rows);
    expect(parseTsv('A\r\n""\r\nx\r\n')).toEqual([['A'], [null], ['x']]);
    expect(() => parseTsv('"open')).toThrow('does not end');
    expect(formatTsv(rows.slice(1))).toBe('"with\ttab"\t\n"a ""b""\r\nc"\t1.50\n\t');
  });
});

describe('a filter after a column is renamed', () => {
  it.each([
    ["Price gt 1 and City ne 'Price'", 'Price', 'Unit price', "[Unit price] gt 1 and City ne 'Price'"],
    ['[two words] eq 1 or Two eq 2', 'two words', 'Two2', 'Two2 eq 1 or Two eq 2'],
    ['year(year) eq 2020 and year eq 1', 'year', 'Jahr', 'year(Jahr) eq 2020 and Jahr eq 1'],
    ['Prices desc', 'Price', 'X', 'Prices desc'],
    ["contains([a]]b], 'it''s a]b')", 'a]b', 'c', "contains(c, 'it''s a]b')"],
  ])('%s', (text, from, to, expected) => {
    expect(withColumnRenamed(text, from, to)).toBe(expected);
  });
});

describe('a series of a provider', () => {
  it('keeps every digit, and texts that look like values', () => {
    const note = 'a "value":1 in a text, \\ and "value":';
    const json = `{"series_id":"A","label":${JSON.stringify(note)},"metadata":{},"data":[{"date":"2026-01-01","value":0.30},{"date":"2026-01-02","value":-12345678901234567890.10e-5},{"date":"2026-01-03","value":null,"flag":${JSON.stringify('a,"b"')}}],"is_preview":true}`;
    const series = readSeries(json);
    expect(series.label).toBe(note);
    expect(series.data.map(({ value }) => value)).toEqual(['0.30', '-12345678901234567890.10e-5', null]);
    expect(csvOf([series])).toBe(
      'Date,Value,Note\r\n2026-01-01,0.30,\r\n2026-01-02,-12345678901234567890.10e-5,\r\n2026-01-03,,"a,""b"""\r\n',
    );
  });
});

describe('metadata of a series', () => {
  it('is one line each, also for a legend of flags', () => {
    expect(textOf({ p: 'provisional', e: 'estimated' })).toBe('p: provisional; e: estimated');
    expect([textOf('Monthly'), textOf(1000), textOf(null)]).toEqual(['Monthly', '1000', '']);
  });
});

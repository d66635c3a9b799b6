import { describe, expect, it } from 'vitest';
import { buildQueryForm, formatValue } from '../../../../src/storage/clickhouse/query-form.js';

describe('formatValue', () => {
  it.each([
    ["it's", "it's"],
    ['a\tb\nc\\d', 'a\\tb\\nc\\\\d'],
    [5, '5'],
    [[1, 2], '[1,2]'],
    [["o'k", 'a\\b', 'x\ty'], "['o\\'k','a\\\\b','x\\ty']"],
    [[['x'], []], "[['x'],[]]"],
  ])('writes %j as ClickHouse parses it', (value, expected) => {
    expect(formatValue(value)).toBe(expected);
  });
});

describe('buildQueryForm', () => {
  const longList = Array.from({ length: 20_000 }, (_, index) => `value ${index}`);

  it('sends short SQL as a form field', () => {
    const form = buildQueryForm('SELECT {p0:String}', { p0: 'x' });
    expect(form.contentType).toMatch(/^multipart\/form-data; boundary=/);
    expect(form.body.toString()).toContain('name="param_p0"\r\n\r\nx\r\n');
    expect(form.search).toEqual([]);
  });

  it('splits a long array into several and concatenates them in the SQL, but not in a quoted name', () => {
    const form = buildQueryForm('SELECT {p0:Array(String)} AS `{p0:Array(String)}\\``', { p0: longList });
    const text = form.body.toString();
    expect(text).toMatch(/SELECT arrayConcat\(\{p0_0:Array\(String\)\}, .*\) AS `\{p0:Array\(String\)\}\\``/);
    const fields = [...text.matchAll(/name="param_p0_\d+"\r\n\r\n(.*)\r\n/g)].map((match) => match[1]!);
    expect(fields.length).toBeGreaterThan(3);
    for (const field of fields) expect(field.length).toBeLessThanOrEqual(40_010);
    const items = fields.flatMap((field) => field.slice(1, -1).split(','));
    expect(items).toEqual(longList.map((item) => `'${item}'`));
  });

  it('does not change a text that looks like the placeholder of a long array', () => {
    const literal = String.raw`'it\'s \\{p0:Array(String)} ${'`'}'`;
    const text = buildQueryForm(`SELECT ${literal}, {p0:Array(String)}, ${literal}`, { p0: longList }).body;
    expect(text).toContain(`SELECT ${literal}, arrayConcat({p0_0:Array(String)}, `);
    expect(text).toContain(`), ${literal}\r\n`);
  });

  it('sends long SQL as the body, and values in the query string', () => {
    const sql = `SELECT ${'x'.repeat(200_000)}`;
    const form = buildQueryForm(sql, { rows: 5 });
    expect(form.body.toString()).toBe(sql);
    expect(form.search).toEqual([['param_rows', '5']]);
  });

  it('refuses SQL and values that are too large together', () => {
    const sql = `SELECT ${'x'.repeat(200_000)}`;
    const values = { list: Array.from({ length: 100_000 }, (_, index) => `value ${index}`) };
    expect(() => buildQueryForm(sql, values)).toThrow('too large together');
  });
});

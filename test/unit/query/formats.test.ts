import type { Readable } from 'node:stream';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Table } from '../../../src/query/formats/format.js';
import { writeTable } from '../../../src/query/formats/formats.js';

const table: Table = {
  columns: [
    { name: 'Date', dataType: 'Date' },
    { name: 'A "name"', dataType: 'String' },
    { name: 'Value', dataType: 'Decimal' },
  ],
  rows: [
    ['1900-01-01', '=1+1', '1.50'],
    ['1900-03-01', 'a "b"', '12345678901234567890.1'],
    ['1899-12-31', null, null],
    ['2020-01-01', '<&>', '1e-7'],
  ],
};

/** Content of the first entry of a ZIP archive with deflated entries and data descriptors. */
const firstEntry = async (archive: string | Readable): Promise<string> => {
  if (typeof archive === 'string') throw new Error('not an archive');
  const parts: Buffer[] = [];
  for await (const part of archive) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  const start = 30 + bytes.readUInt16LE(26) + bytes.readUInt16LE(28);
  return inflateRawSync(bytes.subarray(start), { finishFlush: 2 }).toString();
};

describe('a short table', () => {
  it('is written as the same CSV and TSV as a download', () => {
    expect(writeTable(table, 'csv')).toBe(
      [
        '"Date","A ""name""","Value"',
        '"1900-01-01","=1+1",1.50',
        '"1900-03-01","a ""b""",12345678901234567890.1',
        '"1899-12-31",,',
        '"2020-01-01","<&>",1e-7',
        '',
      ].join('\r\n'),
    );
    expect(writeTable(table, 'tsv')).toContain('"1900-01-01"\t"=1+1"\t1.50\r\n');
  });

  it('is written as JSON that keeps all digits of numbers', () => {
    const text = String(writeTable(table, 'json'));
    expect(text).toContain('"Value":12345678901234567890.1}');
    expect(JSON.parse(text)).toHaveLength(4);
    expect(JSON.parse(text)).toContainEqual({ Date: '1899-12-31', 'A "name"': null, Value: null });
    expect(JSON.parse(String(writeTable({ ...table, rows: [] }, 'json')))).toEqual([]);
  });

  it('is written as a workbook with dates, exact numbers, and everything else as text', async () => {
    const sheet = await firstEntry(writeTable(table, 'xlsx'));
    expect(sheet).toContain('<c r="A2" s="1"><v>1</v></c>');
    expect(sheet).toContain('<c r="A3" s="1"><v>61</v></c>');
    expect(sheet).toContain('<c r="A4" t="inlineStr"><is><t xml:space="preserve">1899-12-31</t>');
    expect(sheet).toContain('<c r="C2"><v>1.50</v></c>');
    expect(sheet).toContain('<c r="C3" t="inlineStr"><is><t xml:space="preserve">12345678901234567890.1</t>');
    expect(sheet).toContain('<t xml:space="preserve">=1+1</t>');
    expect(sheet).toContain('&lt;&amp;&gt;');
    expect(sheet).not.toContain('r="B4"');
  });
});

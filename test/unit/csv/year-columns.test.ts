import { describe, expect, it } from 'vitest';
import { createColumnBuffer, resetColumn } from '../../../src/csv/column-buffer.js';
import { compileRules } from '../../../src/csv/column-rules.js';
import { createChunkEncoder } from '../../../src/csv/encoder.js';
import { createFieldIndex, openIndex } from '../../../src/csv/field-index.js';
import { indexRecords } from '../../../src/csv/record-parser.js';
import type { ColumnRules } from '../../../src/csv/types.js';
import { encodeYears, hasOtherNumber } from '../../../src/csv/year-columns.js';
import { comma, decodeBlock, wholeChunk } from './reference.js';

const years = ['1500', '1999', '2020', '', 'NA'];

describe('a column of years', () => {
  const hasOther = (fields: readonly string[], rules?: ColumnRules): boolean => {
    const index = createFieldIndex(comma, 2);
    openIndex(index);
    indexRecords(index, Buffer.from(fields.map((field) => `5,${field}\n`).join('')), false);
    return hasOtherNumber(index.text, index, 1, compileRules(rules));
  };

  it.each<[readonly string[], boolean]>([
    [years, false],
    [['text', '2020'], false],
    [['2020', '5'], true],
    [['5', '2020'], true],
    [['2020.5'], true],
    [['-2020'], true],
    [['"20""20"', '2020'], false],
    [[], false],
  ])('with %j contains a number that is not a year: %s', (fields, expected) => {
    expect(hasOther(fields)).toBe(expected);
  });

  it('follows the decimal sign and null values of its rules', () => {
    expect(hasOther(['"2020,5"'])).toBe(false);
    expect(hasOther(['"2020,5"'], { decimal: ',' })).toBe(true);
    expect(hasOther(['5', '2020'], { nullValues: ['5'] })).toBe(false);
    expect(hasOther(['5', '6'], { nullValues: ['5'] })).toBe(true);
  });

  it('ignores fields left over from the previous block', () => {
    const index = createFieldIndex(comma, 2);
    const read = (text: string): boolean => {
      openIndex(index);
      indexRecords(index, Buffer.from(text), false);
      return hasOtherNumber(index.text, index, 1, compileRules(undefined));
    };
    expect(read('5,1\n5,1\n5,7\n')).toBe(true);
    // The position of the previous third value now holds a digit of the second year.
    expect(read('5,2020\n5,2020\n')).toBe(false);
  });

  it.each([true, false])('accepts only years and nulls, with the kernel: %s', (kernel) => {
    const encoder = createChunkEncoder({
      dialect: comma,
      fieldCount: 2,
      columns: [{ storageName: 'c', physical: 'f', sourceIndex: 1, years: true }],
      kernel,
    });
    const encode = (fields: readonly string[]) =>
      encoder.encode(Buffer.from(fields.map((field) => `x,${field}\n`).join('')), wholeChunk(fields.length), {
        segment: 1,
        uploadNumber: 1,
      });
    const result = encode(years);
    if (result.kind !== 'encoded') throw new Error(result.kind);
    expect(decodeBlock(result.block).columns[2]?.values).toEqual(['1500', '1999', '2020', null, null]);
    for (const text of ['5', 'text', '2020.5', '-1'])
      expect(encode([...years, text, '7'])).toMatchObject({ violation: { row: years.length, value: text } });
    // The first misfit is reported, number or text.
    expect(encode(['2020', '5', 'text'])).toMatchObject({ violation: { row: 1, value: '5' } });
    expect(encode(['2020', 'text', '5'])).toMatchObject({ violation: { row: 1, value: 'text' } });
  });

  it('finds the first value that does not fit, whatever the column held before', () => {
    const column = createColumnBuffer({ storageName: 'c', physical: 'f', sourceIndex: 1, years: true });
    const misfit = (fields: readonly string[]): number => {
      const index = createFieldIndex(comma, 2, false);
      openIndex(index);
      indexRecords(index, Buffer.from(fields.map((field) => `x,${field}\n`).join('')), false);
      resetColumn(column, fields.length);
      return encodeYears(column, index.text, index, 0, fields.length, 0);
    };
    for (const first of [
      ['2020', 'text', '2020'],
      ['text', '2020', '2020'],
      ['2020', '', '2020'],
    ]) {
      expect(misfit(['2020', '2020', '5'])).toBe(2);
      expect(misfit(first)).toBe(first.indexOf('text'));
    }
  });
});

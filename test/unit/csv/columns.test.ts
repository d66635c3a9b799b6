import { describe, expect, it } from 'vitest';
import { createColumnBuffer, resetColumn } from '../../../src/csv/column-buffer.js';
import { createChunkEncoder } from '../../../src/csv/encoder.js';
import { createFieldIndex } from '../../../src/csv/field-index.js';
import { encodeDoubles, encodeTexts } from '../../../src/csv/kernel-columns.js';
import { indexRecords } from '../../../src/csv/record-parser.js';
import type { EncodePhysical } from '../../../src/csv/types.js';
import { comma, encodeColumn, wholeChunk } from './reference.js';

/** `text` with one character replaced. */
const replaced = (text: string, at: number, by: string): string =>
  `${text.slice(0, at)}${by}${text.slice(at + 1)}`;

describe.each([
  ['the kernel', true],
  ['JavaScript', false],
])('a column encoded by %s', (_, kernel) => {
  const encode = (physical: EncodePhysical, fields: readonly string[], rules = {}) =>
    encodeColumn(physical, fields, rules, kernel);

  const expectMisfits = (physical: EncodePhysical, good: string, misfits: readonly string[]): void => {
    for (const text of misfits)
      expect(encode(physical, [good, text, good])).toEqual({ misfit: text, line: 3 });
  };

  it('of doubles keeps plain numbers', () => {
    const texts = [
      ...['0', '5', '-5', '10', '109', '0.5', '-0.5', '12.75', '100.001', '-7.25', '0.000125'],
      ...['999999999999999', '-999999999999999', '123456789.123456', '-12345678901234.5', '9007199254740.25'],
    ];
    expect(encode('f', texts)).toEqual(texts);
    expect(encode('f', ['.5', '-.5', '1.0', '0.10', '1e3', '-12e-1', '9007199254740994'])).toEqual([
      '0.5',
      '-0.5',
      '1',
      '0.1',
      '1000',
      '-1.2',
      '9007199254740994',
    ]);
  });

  it('of doubles refuses texts that are not numbers, and numbers that a double would alter', () => {
    expectMisfits('f', '1', [
      ...['--1', '00', '01', '-01', '00.5', '1.', '-1.', '.-1', '1..2', '1.2.3', '1-', '1.5-'],
      ...['a1', '1a', '1.a', '1.5a', '/', '1/', '1:', '1./', '1.:', '1,5', '1"', 'x'.repeat(17)],
      ...['9007199254740993', '900719925474099.3', '-9007199254740993', '-900719925474099.3'],
    ]);
  });

  it('of decimals keeps plain numbers', () => {
    const texts = [
      ...['0', '5', '-5', '10', '109', '0.5', '-0.5', '12.75', '-7.25', '0.01', '-0.01', '42949672.96'],
      ...['9999999999999.99', '-9999999999999.99', '10000000000000', '123456789012345', '-123456789012345'],
      ...['1234567890123456', '-21474836.48', '45035996273704.96'],
    ];
    expect(encode('n38_2', texts)).toEqual(texts);
    expect(encode('n76_2', texts)).toEqual(texts);
    expect(encode('n38_2', ['.5', '-.5', '1.0', '0.10', '1e3', '-12e-1', '-0', '1.10'])).toEqual([
      '0.5',
      '-0.5',
      '1',
      '0.1',
      '1000',
      '-1.2',
      '0',
      '1.1',
    ]);
    const fine = ['1', '-1', '0.5', '99999', '-12345.67', '0.000000000000001'];
    for (const physical of ['n38_15', 'n38_16', 'n38_22', 'n76_23', 'n76_40'] as const)
      expect(encode(physical, fine)).toEqual(fine);
  });

  it('of decimals refuses texts that are not numbers, and numbers beyond its precision or scale', () => {
    expectMisfits('n38_2', '1', [
      ...['--1', '00', '01', '-01', '00.5', '1.', '-1.', '.-1', '1..2', '1.2.3', '1-', '1.5-'],
      ...['a1', '1a', '1.a', '1.5a', '/', '1/', '1:', '1./', '1.:', '1,5', '1"', 'x'.repeat(17)],
      ...['1.234', '-0.001', '12345678901.234', '1234567890123456789012345678901234567', '1e-3'],
    ]);
  });

  it('of days keeps days from 1900 to 2299 and refuses others', () => {
    const texts = ['1900-01-01', '1999-12-31', '2020-02-29', '2299-12-31', '2000-10-20'];
    expect(encode('d', texts)).toEqual(texts);
    expect(encode('d', ['2020/01/31', '2020Q2', '2020-01-31T00:00'])).toEqual([
      '2020-01-31',
      '2020-04-01',
      '2020-01-31',
    ]);
    expectMisfits('d', '2020-01-31', ['1899-12-31', '2300-01-01', '0001-01-01', '2020', '5', '2020-01-31"']);
  });

  it.each(['d', 't'] as const)('of %s refuses texts that are not days', (physical) => {
    const places = [0, 1, 2, 3, 5, 6, 8, 9];
    expectMisfits(physical, '2020-01-31', [
      ...['2021-02-29', '2020-00-10', '2020-13-10', '2020-01-00', '2020-01-32', '2020x01-31', '2020-01x31'],
      ...places.flatMap((at) => ['/', ':'].map((other) => replaced('2011-11-11', at, other))),
      ...['2020-01-31x', 'x2020-01-31', '2020-1-311'],
    ]);
  });

  it('of days as texts keeps days of any year', () => {
    const texts = ['0001-01-01', '1066-10-14', '2020-02-29', '9999-12-31'];
    expect(encode('t', texts)).toEqual(texts);
    expect(encode('t', ['2020.01.31', '1066M10'])).toEqual(['2020-01-31', '1066-10-01']);
    // More than its initial buffer holds.
    const many = Array.from({ length: 300 }, (_, at) => (at % 3 === 0 ? null : `${1_500 + at}-01-31`));
    expect(
      encode(
        't',
        many.map((text) => text ?? ''),
      ),
    ).toEqual(many);
  });

  it('of texts keeps texts of any length, with quotes unescaped', () => {
    const texts = [
      'a',
      '"',
      '""',
      'a"b',
      '"a"',
      'é🎁',
      ' x ',
      'NA',
      ...[126, 127, 128, 129].map((n) => 'x'.repeat(n)),
    ];
    expect(encode('s', texts)).toEqual(texts);
    const long = [16_383, 16_384, 2_097_151, 2_097_152].map((length) => 'y'.repeat(length));
    expect(encode('s', long)).toEqual(long);
    const quoted = [127, 128, 129, 16_384].map((length) => `"${'z'.repeat(length - 1)}`);
    expect(encode('s', quoted)).toEqual(quoted);
  });

  it('of texts or days as texts keeps values wherever its buffer ends', () => {
    const first = 'x'.repeat(500);
    for (let length = 505; length < 530; length++) {
      const texts = [first, 'y'.repeat(length), 'z'];
      expect(encode('s', texts)).toEqual(texts);
      const quoted = [first, `"${'y'.repeat(length)}`, 'z'];
      expect(encode('s', quoted)).toEqual(quoted);
    }
    for (let nulls = 0; nulls < 12; nulls++) {
      const days = Array.from({ length: 110 }, (_, at) => (at < nulls ? null : `${1_500 + at}-12-31`));
      const fields = days.map((day) => day ?? '');
      expect(encode('t', fields)).toEqual(days);
    }
  });

  it('without a type accepts only null markers', () => {
    expect(encode('u', ['', 'NA', '-'])).toEqual([null, 'NA', '-']);
    for (const text of ['x', '"', 'NA"'])
      expect(encode('u', ['NA', text])).toEqual({ misfit: text, line: 3 });
  });

  it.each(['f', 'n38_2', 'd', 't'] as const)('of %s reads only exact null markers as null', (physical) => {
    expect(encode(physical, ['', 'NA', '..'])).toEqual([null, null, null]);
    expectMisfits(physical, 'NA', ['NA"', '"', 'na']);
  });

  it.each([
    ['f', '1.5'],
    ['n38_2', '1.5'],
    ['d', '2020-01-31'],
    ['t', '1066-10-14'],
    ['s', 'x'],
  ] as const)('of %s reads additional null values as null', (physical, text) => {
    const rules = { nullValues: ['none', '0'] };
    expect(encode(physical, ['none', text, '', '0', text], rules)).toEqual([null, text, null, null, text]);
  });

  it('follows its decimal comma, date format and bareYear', () => {
    expect(encode('f', ['1,5', '-0,25', '7'], { decimal: ',' })).toEqual(['1.5', '-0.25', '7']);
    expect(encode('n38_2', ['1,5', '-0,25', '7'], { decimal: ',' })).toEqual(['1.5', '-0.25', '7']);
    for (const physical of ['f', 'n38_2'] as const)
      expect(encode(physical, ['1', '1.5'], { decimal: ',' })).toEqual({ misfit: '1.5', line: 3 });
    for (const physical of ['d', 't'] as const) {
      expect(encode(physical, ['31/12/2020'], { dateFormat: '%d/%m/%Y' })).toEqual(['2020-12-31']);
      expect(encode(physical, ['2020-12-31'], { dateFormat: '%d/%m/%Y' })).toEqual({
        misfit: '2020-12-31',
        line: 2,
      });
      expect(encode(physical, ['2020'], { bareYear: true })).toEqual(['2020-01-01']);
      expect(encode(physical, ['2020-12-11'], { dateFormat: '%Y-%d-%m' })).toEqual(['2020-11-12']);
    }
  });

  it('has the same bytes whatever the previous chunk was', () => {
    const physicals = ['f', 'n38_2', 'n76_2', 'd', 't', 's', 'u'] as const;
    const create = () =>
      createChunkEncoder({
        dialect: comma,
        fieldCount: physicals.length,
        columns: physicals.map((physical, at) => ({ storageName: `c${at}`, physical, sourceIndex: at })),
        kernel,
      });
    const empty = ',,,,,,\n'.replace(',', '-,');
    const plain = '-1.5,-2.25,-3.5,2020-01-31,1066-10-14,text,NA\n';
    const other = '1e3,1e3,1e3,2020Q1,2020Q1,"a""b",\n';
    const marker = 'NA,NA,NA,NA,NA,NA,NA\n';
    const zero = '-0,-0.0,0,1970-01-01,0001-01-01,"",\n';
    const bytesOf = (encoder: ReturnType<typeof create>, lines: readonly string[]): string => {
      const result = encoder.encode(Buffer.from(lines.join('')), wholeChunk(lines.length), {
        segment: 1,
        uploadNumber: 1,
      });
      if (result.kind !== 'encoded') throw new Error(JSON.stringify(result));
      return Buffer.concat([...result.block]).toString('hex');
    };
    const kinds = [empty, plain, other, marker, zero];
    for (const first of kinds) {
      const encoder = create();
      const fresh = kinds.map((line) => bytesOf(create(), [line, line]));
      for (const [at, line] of kinds.entries()) {
        bytesOf(encoder, [first, first, first]);
        expect(bytesOf(encoder, [line, line])).toBe(fresh[at]);
      }
    }
  });

  it('stores zero without a sign', () => {
    for (const physical of ['f', 'n38_2'] as const) {
      const encoder = createChunkEncoder({
        dialect: comma,
        fieldCount: 1,
        columns: [{ storageName: 'c', physical, sourceIndex: 0 }],
        kernel,
      });
      const blockOf = (text: string): Buffer => {
        const result = encoder.encode(Buffer.from(`${text}\n`), wholeChunk(1), {
          segment: 1,
          uploadNumber: 1,
        });
        if (result.kind !== 'encoded') throw new Error(result.kind);
        return Buffer.concat([...result.block]);
      };
      for (const text of ['-0', '-0.0', '-0.00', '-0e5']) expect(blockOf(text)).toEqual(blockOf('0'));
    }
  });

  /** Index of records of one field. */
  const blockOf = (fields: readonly string[]) => {
    const index = createFieldIndex(comma, 1, kernel);
    indexRecords(index, Buffer.from(fields.map((field) => `${field}\n`).join('')), true);
    return index;
  };

  it('encodes a range of rows to the given offset', () => {
    const column = createColumnBuffer({ storageName: 'c', physical: 'f', sourceIndex: 0 });
    resetColumn(column, 8);
    column.doubles.fill(-1);
    column.nulls.fill(7);
    const index = blockOf(['1', '2', '3', '1e3', '5', 'NA', '7', 'x']);
    expect(encodeDoubles(column, index.text, index, 2, 6, 1)).toBe(-1);
    expect([...column.doubles.subarray(0, 8)]).toEqual([-1, 3, 1000, 5, 0, -1, -1, -1]);
    expect([...column.nulls.subarray(0, 8)]).toEqual([7, 0, 0, 0, 1, 7, 7, 7]);
    expect(encodeDoubles(column, index.text, index, 6, 8, 5)).toBe(7);
    expect([...column.doubles.subarray(0, 6)]).toEqual([-1, 3, 1000, 5, 0, 7]);
  });

  it('of texts reuses its buffer while texts fit', () => {
    const column = createColumnBuffer({ storageName: 'c', physical: 's', sourceIndex: 0 });
    const write = (text: string) => {
      resetColumn(column, 1);
      const index = blockOf([text]);
      encodeTexts(column, index.text, index, 0, 1, 0);
      return column.text;
    };
    const memory = write('x'.repeat(1_000));
    expect(write('y')).toBe(memory);
    expect(write('z'.repeat(1_000))).toBe(memory);
    expect(write('x'.repeat(10_000))).not.toBe(memory);
  });
});

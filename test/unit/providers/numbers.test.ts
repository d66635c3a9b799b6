import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../../src/providers/exact-json.js';
import { parseDecimal, parseGroupedDecimal, readValue } from '../../../src/providers/numbers.js';
import { expectShortTurns } from '../../support/pauses.js';

describe('parseDecimal', () => {
  it.each([
    ['1.3700', '1.3700'],
    ['-0.5', '-0.5'],
    ['.5', '0.5'],
    ['-.5', '-0.5'],
    ['5.', '5'],
    ['+7', '7'],
    ['007', '7'],
    ['0', '0'],
    ['1E-7', '1e-7'],
    ['12345678901234567890.123456789', '12345678901234567890.123456789'],
    [' 3 ', '3'],
  ])('reads %s as %s', (written, decimal) => {
    expect(parseDecimal(written)).toBe(decimal);
  });

  it.each(['', '.', '-', '1,234', '1e', '0x10', 'NaN', 'Infinity', '1 2', '1.2.3', '٣', '1e99999'])(
    'refuses %j',
    (written) => {
      expect(parseDecimal(written)).toBeUndefined();
    },
  );

  it('returns a JSON number with the same meaning', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(JSON.parse(parseDecimal(value) ?? 'null')).toBe(Object.is(value, -0) ? 0 : value);
      }),
    );
  });
});

describe('parseGroupedDecimal', () => {
  it.each([
    ['1,234,567.8', '1234567.8'],
    ['-1,000', '-1000'],
    ['12.5', '12.5'],
  ])('reads %s as %s', (written, decimal) => {
    expect(parseGroupedDecimal(written)).toBe(decimal);
  });

  it.each(['1,23', '12,34,567', ',123', '1,234,'])('refuses %j', (written) => {
    expect(parseGroupedDecimal(written)).toBeUndefined();
  });
});

describe('readValue', () => {
  it('distinguishes a missing value from a text that is not a number, which it keeps as a flag', () => {
    expect(readValue('.', ['.'])).toEqual({ value: null });
    expect(readValue(null)).toEqual({ value: null });
    expect(readValue(undefined)).toEqual({ value: null });
    expect(readValue(' ')).toEqual({ value: null });
    expect(readValue('NaN')).toEqual({ value: null });
    expect(readValue(2.5)).toEqual({ value: '2.5' });
    expect(readValue(' Bank holiday ', ['.'])).toEqual({ value: null, flag: 'Bank holiday' });
    expect(readValue('1,5')).toEqual({ value: null, flag: '1,5' });
    expect(readValue('x'.repeat(5_000)).flag).toHaveLength(200);
  });
});

describe('parseExactJson', () => {
  it('keeps digits that a double would lose as text, and parses the rest as numbers', () => {
    expect(parseExactJson('{"a":0.30,"b":[1,2.5,-3,1e5,12345678901234567890],"c":"4.50 \\" 7.10"}')).toEqual({
      a: '0.30',
      b: [1, 2.5, -3, '1e5', '12345678901234567890'],
      c: '4.50 " 7.10',
    });
  });

  it('reads whatever JSON.stringify writes as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        const loose = (key: string, inner: unknown): unknown =>
          typeof inner === 'string' && key !== 'text' && /^-?\d[\d.e+-]*$/.test(inner)
            ? Number(inner)
            : inner;
        const plain = JSON.parse(text, loose);
        expect(JSON.parse(JSON.stringify(parseExactJson(text)), loose)).toEqual(plain);
      }),
    );
  });

  it.each(['', '\\'])('takes linear time for a string without an end: %j', async (end) => {
    const text = `{"series":"${'\\"'.repeat(20_000)}${end}`;
    await expectShortTurns(async () => expect(() => parseExactJson(text)).toThrow(SyntaxError));
  });

  it.each(['01', '1.', '-', '{"a":1.2.3}', '[1 2]', 'NaN', '{"a":}', ''])('refuses %j', (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createNumberText,
  doubleOf,
  fractionDigitsOf,
  integerDigitsOf,
  parseNumber,
  writeDecimal,
} from '../../../src/csv/number-text.js';
import { encodeColumn } from './reference.js';

const parse = (text: string, point = 0x2e) => {
  const bytes = Buffer.from(text);
  const number = createNumberText();
  if (!parseNumber(bytes, 0, bytes.length, point, number)) return undefined;
  return {
    double: doubleOf(bytes, number),
    integerDigits: integerDigitsOf(number),
    fractionDigits: fractionDigitsOf(number),
  };
};

describe('the syntax of numbers', () => {
  it.each([
    ['0', 0],
    ['-0', 0],
    ['0.0', 0],
    ['-0.00', 0],
    ['7', 7],
    ['-12.5', -12.5],
    ['.5', 0.5],
    ['-.5', -0.5],
    ['1e5', 1e5],
    ['1E-7', 1e-7],
    ['1.50e+03', 1500],
    ['1.0', 1],
    ['-10.00', -10],
    ['10.0e2', 1000],
    ['100.50', 100.5],
    ['0.0500', 0.05],
    ['.0', 0],
    ['0e5', 0],
    ['0.1', 0.1],
    ['100000000000000000000', 1e20],
    ['2.2250738585072014e-308', 2.2250738585072014e-308],
    ['5e-324', 5e-324],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['3521418059.923445', 3521418059.923445],
    ['0.30000000000000004', 0.1 + 0.2],
    ['0.300000000000000040', 0.1 + 0.2],
    ['999999999999999', 999999999999999],
    ['9007199254740992', 9007199254740992],
    ['1234567890123456', 1234567890123456],
    ['0.1234567890123456', 0.1234567890123456],
  ])('reads %s as the double that prints the same', (text, value) => {
    expect(parse(text)?.double).toBe(value);
  });

  it.each([
    '',
    '-',
    '.',
    '+5',
    '00',
    '007',
    '-01',
    '00123',
    '5.',
    '-5.',
    '.e5',
    '1e',
    '1e+',
    '1.2.3',
    '1,234',
    ' 5',
    '5 ',
    '5%',
    '$3',
    '0x1F',
    'inf',
    '-inf',
    'Infinity',
    'nan',
    '--5',
    '1_000',
    '1e5.0',
    '1e5x',
    '1e+x',
    '1e-:',
    '٣',
    '−5',
    '00.5',
  ])('does not read "%s" as a number', (text) => {
    expect(parse(text)).toBeUndefined();
  });

  it.each([
    '9007199254740993', // 2^53 + 1
    '82544000000000707.52',
    '0.1000000000000000055511151231257827', // the double 0.1 in full
    '1e309',
    '1e-400',
    '1e999999999999',
    '1e-999999999999',
    '12345678901234567',
    '1.23456789012345678',
    '0.032262809597888853', // prints as 0.03226280959788885
  ])('does not read %s as a double, which would alter it', (text) => {
    expect(parse(text)?.double).toBeNaN();
  });

  it('counts a million zeros against an exponent above a million', () => {
    const zeros = '0'.repeat(1_000_000);
    expect(parse(`0.${zeros}1e1000003`)?.double).toBe(100);
    expect(parse(`1${zeros}0e-1000005`)?.double).toBe(0.0001);
  });

  it('reads nothing before the start or beyond the end', () => {
    const texts = ['-0', '7', '0', '-12.5', '.5', '1e5', '1E-7', '', '-', '.', '5.', '1e', '1e+', '00'];
    for (const text of texts) {
      const alone = parse(text);
      for (const neighbour of ['0', '5', '.', 'e', 'e5', '-', '+1', '.25', ' ']) {
        const before = Buffer.from(neighbour);
        const bytes = Buffer.concat([before, Buffer.from(text), before]);
        const number = createNumberText();
        const isNumber = parseNumber(bytes, before.length, before.length + text.length, 0x2e, number);
        expect(isNumber, `${text} between ${neighbour}`).toBe(alone !== undefined);
        if (isNumber) expect(doubleOf(bytes, number)).toBe(alone?.double);
      }
    }
  });

  it('reads the fraction after the given decimal sign', () => {
    expect(parse('1,5', 0x2c)?.double).toBe(1.5);
    expect(parse('1.5', 0x2c)).toBeUndefined();
  });

  it.each([
    ['0', 0, 0],
    ['0.0', 0, 0],
    ['100', 3, 0],
    ['10.00', 2, 0],
    ['-200.0', 3, 0],
    ['0.001', 0, 3],
    ['12.3400', 2, 2],
    ['1e5', 6, 0],
    ['1.5e-7', 0, 8],
    ['120e-1', 2, 0],
    ['0.05e2', 1, 0],
  ])('%s has %d digits before and %d after the point', (text, integerDigits, fractionDigits) => {
    expect(parse(text)).toMatchObject({ integerDigits, fractionDigits });
  });

  it('accepts a double only if its shortest text has the same digits', () => {
    const digits = fc.stringMatching(/^[1-9][0-9]{0,18}$/);
    fc.assert(
      fc.property(
        digits,
        fc.integer({ min: -340, max: 320 }),
        fc.boolean(),
        (mantissa, exponent, negative) => {
          const text = `${negative ? '-' : ''}${mantissa}e${exponent}`;
          const plain = (value: string): string => {
            const [, sign, whole, fraction = '', power = '0'] =
              /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(value)!;
            const all = (whole! + fraction).replace(/^0+/, '');
            const stripped = all.replace(/0+$/, '');
            return `${sign}${stripped}e${Number(power) - fraction.length + all.length - stripped.length}`;
          };
          const nearest = Number(text);
          const exact = Number.isFinite(nearest) && nearest !== 0 && plain(String(nearest)) === plain(text);
          const double = parse(text)!.double;
          if (exact) expect(double).toBe(nearest);
          else expect(double).toBeNaN();
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('parses every printed double to the same double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        // The text of -0 is 0.
        expect(parse(String(value))?.double).toBe(value === 0 ? 0 : value);
        expect(encodeColumn('f', [String(value)])).toEqual([String(value)]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('exact decimals', () => {
  it.each([
    ['n38_2', '82544000000000707.52', '82544000000000707.52'],
    ['n38_0', '-170141183460469231731687303715884105', '-170141183460469231731687303715884105'],
    ['n38_0', '99999999999999999999999999999999999999', '99999999999999999999999999999999999999'],
    ['n38_38', '-0.00000000000000000000000000000000000001', '-0.00000000000000000000000000000000000001'],
    ['n38_5', '1e5', '100000'],
    ['n38_5', '-12.5', '-12.5'],
    ['n38_5', '-0', '0'],
    ['n38_5', '.00001', '0.00001'],
    ['n38_5', '4294967296', '4294967296'],
    ['n38_5', '-42949.67296', '-42949.67296'],
    ['n76_3', `-${'9'.repeat(73)}.999`, `-${'9'.repeat(73)}.999`],
    ['n76_40', '1.5', '1.5'],
    ['n38_20', '123456789012345', '123456789012345'],
  ] as const)('%s keeps %s', (physical, text, value) => {
    expect(encodeColumn(physical, [text])).toEqual([value]);
  });

  it.each([
    ['n38_2', '1.234'],
    ['n38_2', '1234567890123456789012345678901234567'],
    ['n38_38', '1'],
    ['n38_0', '1e38'],
    ['n76_0', '1e76'],
    ['n38_2', 'abc'],
    ['n38_2', '1e-3'],
  ] as const)('%s refuses %s', (physical, text) => {
    expect(encodeColumn(physical, [text])).toEqual({ misfit: text, line: 2 });
  });

  it.each([
    '0',
    '-0.001',
    '4294967295',
    '-4294967296',
    '9'.repeat(35),
    `-${'9'.repeat(35)}.999`,
    `-${2n ** 96n}`,
  ])('writes %s only into its own words, whatever they held', (text) => {
    const bytes = Buffer.from(text);
    const number = createNumberText();
    expect(parseNumber(bytes, 0, bytes.length, 0x2e, number)).toBe(true);
    const words = new Uint32Array(8).fill(0xdeadbeef);
    writeDecimal(bytes, number, 3, words, 2, 4);
    const value = words.slice(2, 6).reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
    const [whole = '', fraction = ''] = text.split('.');
    expect(BigInt.asIntN(128, value)).toBe(BigInt(whole + fraction.padEnd(3, '0')));
    expect([...words.slice(0, 2), ...words.slice(6)]).toEqual(new Array(4).fill(0xdeadbeef));
  });

  it('keeps every digit of numbers of all lengths', () => {
    const arbitrary = fc.record({
      whole: fc.stringMatching(/^(0|[1-9][0-9]{0,45})$/),
      fraction: fc.stringMatching(/^[0-9]{0,29}[1-9]$|^$/),
      negative: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(arbitrary, { minLength: 1, maxLength: 20 }), (numbers) => {
        const texts = numbers.map(({ whole, fraction, negative }) => {
          const text = fraction === '' ? whole : `${whole}.${fraction}`;
          return negative && /[1-9]/.test(text) ? `-${text}` : text;
        });
        expect(encodeColumn('n76_30', texts)).toEqual(texts);
      }),
      { numRuns: 300 },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinProfiles, physicalOf } from '../../../src/csv/profile.js';
import type { ColumnProfile, ColumnRules } from '../../../src/csv/types.js';
import { fits, profilesOf, untypedLayout } from '../../support/profiles.js';
import { cell } from './arbitraries.js';
import { comma, encodeColumn } from './reference.js';

const profileOf = (fields: readonly string[]): ColumnProfile => {
  const text = fields.map((field) => `"${field.replaceAll('"', '""')}",x\n`).join('');
  return profilesOf(Buffer.from(text), untypedLayout(comma, 2))[0]!;
};
const typeOf = (fields: readonly string[]): string => physicalOf(profileOf(fields));

describe('the type of a column', () => {
  it.each([
    ['no value', [], 'u'],
    ['empty fields and markers', ['', 'NA', '..'], 'u'],
    ['a minus alone, which is a marker', ['-'], 'u'],
    ['dates after a minus, which is a marker', ['-', '2020-01-31'], 'd'],
    ['dates', ['2020-01-31', '', '2020Q1', 'NA'], 'd'],
    ['dates, one of them outside of Date32', ['2020-01-31', '1066-10-14'], 't'],
    ['numbers', ['1', '-2.5', '.5', '1e-7', 'NaN'], 'f'],
    ['doubles as printed', ['3521418059.923445', '0.30000000000000004'], 'f'],
    ['bare years', ['2019', '2020'], 'f'],
    ['an amount of more digits', ['82544000000000707.52', '1.125'], 'n38_3'],
    ['20 digits', ['12345678901234567890', ''], 'n38_0'],
    ['20 digits and a tiny double', ['12345678901234567890', '1e-25'], 'n76_25'],
    ['38 digits', ['9'.repeat(38)], 'n38_0'],
    ['39 digits', ['9'.repeat(39)], 'n76_0'],
    ['76 digits', [`${'9'.repeat(70)}.123456`], 'n76_6'],
    ['77 digits', ['9'.repeat(77)], 's'],
    ['an amount, and fewer digits after the point', ['82544000000000707.52', '1.5', '-2', '0'], 'n38_2'],
    ['an amount, and zeros after the point', ['82544000000000707.52', '1.5000', '7.000'], 'n38_2'],
    ['25 digits after the point and 13 before', [`0.${'1'.repeat(25)}`, '1234567890123'], 'n38_25'],
    ['25 digits after the point and 14 before', [`0.${'1'.repeat(25)}`, '-12345678901234'], 'n76_25'],
    [
      '25 digits after the point and 14 with a fraction',
      [`0.${'1'.repeat(25)}`, '12345678901234.5'],
      'n76_25',
    ],
    ['38 digits after the point and none before', [`0.${'1'.repeat(38)}`, '0.5', '-0.25', '0'], 'n38_38'],
    ['38 digits after the point and one before', [`0.${'1'.repeat(38)}`, '1'], 'n76_38'],
    ['a number of 15 digits', ['123456789.123456', '-999999999999999'], 'f'],
    ['a whole number between two doubles', ['9007199254740993'], 'n38_0'],
    ['a fraction between two doubles', ['-900719925474099.3'], 'n38_1'],
    ['a fraction of 16 digits between two doubles', ['900719925474099.3'], 'n38_1'],
    ['the first and the last day of Date32', ['1900-01-01', '2299-12-31'], 'd'],
    ['the day before the first of Date32', ['1899-12-31'], 't'],
    ['the day after the last of Date32', ['2300-01-01'], 't'],
    ['a minus among numbers, which is a marker', ['1', '-'], 'f'],
    ['a number that ends in its point', ['1', '5.'], 's'],
    ['a number with two points', ['1', '1.2.3'], 's'],
    ['two zeros before the point', ['1', '00.5'], 's'],
    ['letters after a fraction', ['1', '1.5x'], 's'],
    ['a number followed by a slash', ['1', '1/'], 's'],
    ['a fraction followed by a colon', ['1', '1.5:'], 's'],
    ['more digits than any decimal type has', ['12345678901234567890', '1e300'], 's'],
    ['a number beyond doubles', ['1e400'], 's'],
    ['numbers with leading zeros', ['00123'], 's'],
    ['numbers with and without leading zeros', ['123', '007'], 's'],
    ['dates and numbers', ['2020-01-31', '5'], 's'],
    ['numbers and dates', ['5', '2020-01-31'], 's'],
    ['a word among numbers', ['1', '2', 'none'], 's'],
    ['a marker among words', ['NA', 'x'], 's'],
    ['blanks around numbers', [' 1'], 's'],
    ['a quote in a number', ['1"'], 's'],
  ])('%s', (_, fields, type) => {
    expect(typeOf(fields)).toBe(type);
  });

  it.each([
    ['0', 0, 0],
    ['-0.0', 0, 0],
    ['7', 1, 0],
    ['-120', 3, 0],
    ['1.00', 1, 0],
    ['-1.5', 1, 1],
    ['0.50', 0, 1],
    ['.050', 0, 2],
    ['123.4500', 3, 2],
    ['999999999999999', 15, 0],
    ['12345678901234.5', 14, 1],
    ['1.00000000000000', 1, 0],
    ['1.50000000000000', 1, 1],
    ['1.500000000000000', 1, 1],
    ['12e3', 5, 0],
  ])('counts the digits of %s without leading and trailing zeros', (text, integerDigits, fractionDigits) => {
    const number = {
      kind: 'number',
      marker: false,
      farDate: false,
      inexact: false,
      integerDigits,
      fractionDigits,
      offYears: false,
    };
    expect(profileOf([text])).toEqual(number);
    expect(profileOf([text, '0'])).toEqual(number);
    expect(profileOf(['0', text])).toEqual(number);
    expect(profileOf([text, 'NA'])).toEqual({ ...number, marker: true });
  });

  it('counts the most digits on each side of the point', () => {
    expect(profileOf(['12.5', '1.125', '2'])).toMatchObject({ integerDigits: 2, fractionDigits: 3 });
    expect(profileOf(['1.125', '12e1', '12.5'])).toMatchObject({ integerDigits: 3, fractionDigits: 3 });
  });

  it.each([
    ['12', 2, 0],
    ['-1.25', 1, 2],
  ])(
    'counts the digits of %s at the end of a file without a line end',
    (text, integerDigits, fractionDigits) => {
      const [profile] = profilesOf(Buffer.from(`0\n${text}`), untypedLayout(comma, 1));
      expect(profile).toMatchObject({ kind: 'number', integerDigits, fractionDigits });
    },
  );

  it('ignores malformed records', () => {
    const profiles = profilesOf(Buffer.from('1,2\nx\n3,4,5\n"a"b,6\n7,8\n'), untypedLayout(comma, 2));
    expect(profiles.map(physicalOf)).toEqual(['f', 'f']);
  });

  it('follows column rules', () => {
    const profile = (text: string, rules: ReadonlyMap<number, ColumnRules>) =>
      physicalOf(profilesOf(Buffer.from(text), untypedLayout(comma, 1, rules))[0]!);
    expect(profile('2019\n2020\n', new Map([[0, { bareYear: true }]]))).toBe('d');
    expect(profile('"1,5"\n', new Map([[0, { decimal: ',' }]]))).toBe('f');
    expect(profile('31/12/2020\n', new Map([[0, { dateFormat: '%d/%m/%Y' }]]))).toBe('d');
    expect(profile('1\n"a""b"\n', new Map([[0, { nullValues: ['a"b'] }]]))).toBe('f');
    expect(profile('1\nmissing\n', new Map([[0, { nullValues: ['missing'] }]]))).toBe('f');
  });
});

describe('two joined profiles', () => {
  const [numbers, dates, texts, none] = [['1'], ['2020-01-31'], ['x'], ['']].map(profileOf) as [
    ColumnProfile,
    ColumnProfile,
    ColumnProfile,
    ColumnProfile,
  ];

  it.each(['marker', 'farDate', 'inexact', 'offYears'] as const)(
    'of numbers have %s if one of them has it',
    (fact) => {
      const other = { ...numbers, [fact]: true };
      expect(joinProfiles(numbers, numbers)[fact]).toBe(false);
      expect(joinProfiles(other, numbers)[fact]).toBe(true);
      expect(joinProfiles(numbers, other)[fact]).toBe(true);
      expect(joinProfiles(texts, other)).toEqual(texts);
    },
  );

  it('have the kind of both, or of the one with values, and are text if their kinds differ', () => {
    expect(joinProfiles(none, none).kind).toBe('none');
    for (const one of [numbers, dates, texts]) {
      expect(joinProfiles(one, none)).toEqual(one);
      expect(joinProfiles(none, one)).toEqual(one);
    }
    // A marker among texts is a text.
    const marker = { ...none, marker: true };
    expect(joinProfiles(texts, marker)).toEqual(texts);
    expect(joinProfiles(marker, texts)).toEqual(texts);
    for (const [one, other] of [
      [numbers, dates],
      [numbers, texts],
      [dates, texts],
    ] as const) {
      expect(joinProfiles(one, other)).toEqual(texts);
      expect(joinProfiles(other, one)).toEqual(texts);
    }
  });
});

const fields = fc.array(cell, { maxLength: 12 });

describe('the lattice of profiles', () => {
  it('does not depend on the chunks and the order of values', () => {
    fc.assert(
      fc.property(fields, fields, fields, (a, b, c) => {
        const [pa, pb, pc] = [profileOf(a), profileOf(b), profileOf(c)];
        const whole = profileOf([...a, ...b, ...c]);
        expect(joinProfiles(joinProfiles(pa, pb), pc)).toEqual(whole);
        expect(joinProfiles(pa, joinProfiles(pb, pc))).toEqual(whole);
        expect(joinProfiles(joinProfiles(pc, pa), pb)).toEqual(whole);
        expect(joinProfiles(whole, whole)).toEqual(whole);
      }),
      { numRuns: 1_000 },
    );
  });

  it('results in a type that holds every value, and predicts which other values the encoder accepts', () => {
    fc.assert(
      fc.property(fields, fields, (a, b) => {
        const type = physicalOf(profileOf(a));
        expect(fits(profileOf(a), type)).toBe(true);
        expect(Array.isArray(encodeColumn(type, a))).toBe(true);
        expect(fits(profileOf(b), type)).toBe(Array.isArray(encodeColumn(type, b)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps a proposed type if every later value fits', () => {
    const numbers = fc.array(
      fc.oneof(fc.integer().map(String), fc.bigInt({ min: 0n, max: 10n ** 45n }).map(String), cell),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(numbers, numbers, (first, later) => {
        const proposal = profileOf(first);
        const type = physicalOf(proposal);
        fc.pre(fits(profileOf(later), type));
        expect(physicalOf(joinProfiles(proposal, profileOf(later)))).toBe(type);
      }),
      { numRuns: 1_000 },
    );
  });
});

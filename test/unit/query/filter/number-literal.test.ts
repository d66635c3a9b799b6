import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldArithmetic } from '../../../../src/query/filter/constant-folding.js';
import {
  canonicalText,
  compareExact,
  type Exact,
  exactOf,
  floorAt,
  isInteger,
  isSafeInteger,
  nearestDouble,
  negateExact,
  parseExact,
  unitsText,
} from '../../../../src/query/filter/number-literal.js';

const exact = (text: string): Exact => parseExact(text) ?? expect.fail(`${text} is not a number`);

describe('exact numbers', () => {
  it.each([
    ['0', '0'],
    ['-0.000', '0'],
    ['1.50', '15e-1'],
    ['1500', '15e2'],
    ['+1E3', '1e3'],
    ['0.001e-2', '1e-5'],
    ['007', '7'],
  ])('%s is %s', (text, canonical) => {
    expect(canonicalText(exact(text))).toBe(canonical);
  });

  it.each(['', '.1', '1.', '1e', 'e1', '0x1', '1_000', 'NaN', 'Infinity', ' 1'])(
    '%j is not a number',
    (text) => {
      expect(parseExact(text)).toBeUndefined();
    },
  );

  it('are ordered by value, however they are written', () => {
    const ordered = [
      '-1e400',
      '-2',
      '-1.000001',
      '-1',
      '-1e-400',
      '0',
      '1e-400',
      '0.1',
      '0.10000000000000000001',
      '1',
      '9',
      '10',
      '1e400',
    ];
    for (const [at, left] of ordered.entries()) {
      for (const [other, right] of ordered.entries()) {
        expect(compareExact(exact(left), exact(right))).toBe(Math.sign(at - other));
      }
    }
  });

  it('agree with doubles where those are exact', () => {
    const integer = fc.integer({ min: -1_000_000, max: 1_000_000 });
    fc.assert(
      fc.property(integer, integer, (left, right) => {
        const [a, b] = [exact(String(left / 8)), exact(String(right / 8))];
        expect(compareExact(a, b)).toBe(Math.sign(left - right));
        expect(nearestDouble(a)).toBe(left === 0 ? 0 : left / 8);
      }),
    );
  });

  it('are rounded down towards minus infinity at a scale', () => {
    fc.assert(
      fc.property(fc.integer(), fc.nat(6), fc.nat(6), (units, own, scale) => {
        const text = unitsText(BigInt(units), own);
        const floor = floorAt(exact(text), scale, 76);
        const lower = exact(unitsText(floor?.units ?? 0n, scale));
        const upper = exact(unitsText((floor?.units ?? 0n) + 1n, scale));
        expect(compareExact(lower, exact(text))).toBe(floor?.exact ? 0 : -1);
        expect(compareExact(exact(text), upper)).toBe(-1);
      }),
    );
  });

  it('can be negated, and made only from finite doubles', () => {
    expect(canonicalText(negateExact(exact('1.5')))).toBe('-15e-1');
    expect(canonicalText(negateExact(exact('-7')))).toBe('7');
    expect(canonicalText(exactOf(2.5e-7))).toBe('25e-8');
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => exactOf(value)).toThrow('finite');
  });

  it.each([
    ['9007199254740991', true, 2 ** 53 - 1],
    ['-9007199254740991', true, 1 - 2 ** 53],
    ['9007199254740992', false, 2 ** 53],
    ['-9007199254740993', false, -(2 ** 53)],
    ['0', true, 0],
    ['0.5', false, 0.5],
    ['10', false, 10],
    ['-1e-400', false, 0],
    ['1e400', false, Number.POSITIVE_INFINITY],
  ])('%s is a safe integer: %s, and is nearest to the double %d', (text, safe, double) => {
    expect(isSafeInteger(exact(text))).toBe(safe);
    expect(nearestDouble(exact(text))).toBe(double);
  });

  it('are integers if they have no decimals', () => {
    expect(['1', '-20', '0', '1e9', '1.0'].map((text) => isInteger(exact(text)))).not.toContain(false);
    expect(['0.1', '-2.5', '1e-9'].map((text) => isInteger(exact(text)))).not.toContain(true);
  });

  it('have a floor if it fits the maximum of digits at its scale', () => {
    expect(floorAt(exact('1e73'), 2, 76)).toEqual({ units: 10n ** 75n, exact: true });
    expect(floorAt(exact('1e74'), 2, 76)).toBeUndefined();
    expect(floorAt(exact('0'), 76, 76)).toEqual({ units: 0n, exact: true });
    expect(floorAt(exact('-0.05'), 1, 76)).toEqual({ units: -1n, exact: false });
  });

  it('have no floor if they are too large, and one of 0 or -1 unit if they are tiny', () => {
    expect(floorAt(exact('1e80'), 0, 76)).toBeUndefined();
    expect(floorAt(exact('-1e-1000000'), 2, 76)).toEqual({ units: -1n, exact: false });
    expect(floorAt(exact('1e-1000000'), 2, 76)).toEqual({ units: 0n, exact: false });
  });
});

describe('arithmetic on literals', () => {
  it.each([
    ['add', '0.1', '0.2', '3e-1'],
    ['sub', '5', '5.1', '-1e-1'],
    ['mul', '1.5', '-2', '-3'],
    ['div', '1', '3', `${'3'.repeat(22)}e-22`],
    ['div', '-1', '3', `-${'3'.repeat(22)}e-22`],
    ['mod', '-7.5', '2', '-15e-1'],
  ] as const)('%s of %s and %s is %s', (operator, left, right, expected) => {
    const result = foldArithmetic(operator, exact(left), exact(right));
    expect(result && canonicalText(result)).toBe(expected);
  });

  it.each([
    ['mul', '0.5', '0.25', '125e-3'],
    ['mul', '200', '0.5', '1e2'],
    ['sub', '1.5', '1.5', '0'],
    ['add', '1e15', '1e-15', '1000000000000000000000000000001e-15'],
  ] as const)('drops trailing zeros: %s of %s and %s is %s', (operator, left, right, expected) => {
    const result = foldArithmetic(operator, exact(left), exact(right));
    expect(result && canonicalText(result)).toBe(expected);
  });

  it('is folded for literals of up to 30 digits and 15 decimals', () => {
    const isFolded = (value: Exact): boolean =>
      foldArithmetic('add', value, exact('1')) !== undefined &&
      foldArithmetic('add', exact('1'), value) !== undefined;
    const most = 10n ** 30n - 1n;
    for (const digits of [most, -most]) expect(isFolded({ digits, scale: 0 })).toBe(true);
    for (const digits of [most + 1n, -most - 1n]) expect(isFolded({ digits, scale: 0 })).toBe(false);
    for (const scale of [15, -15]) expect(isFolded({ digits: 7n, scale })).toBe(true);
    for (const scale of [16, -16]) expect(isFolded({ digits: 7n, scale })).toBe(false);
  });

  it('is null for a division by zero, and left to the database for very long literals', () => {
    expect(foldArithmetic('div', exact('1'), exact('0'))).toBeNull();
    expect(foldArithmetic('mod', exact('1'), exact('0.0'))).toBeNull();
    expect(foldArithmetic('add', exact('1e1000000'), exact('1'))).toBeUndefined();
  });
});

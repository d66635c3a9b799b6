import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldArithmetic } from '../../../../src/query/filter/constant-folding.js';
import {
  canonicalText,
  compareExact,
  type Exact,
  floorAt,
  nearestDouble,
  parseExact,
  unitsText,
} from '../../../../src/query/filter/number-literal.js';

const exact = (text: string): Exact => parseExact(text) ?? expect.fail(`${text} is no number`);

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

  it.each(['', '.1', '1.', '1e', 'e1', '0x1', '1_000', 'NaN', 'Infinity', ' 1'])('%j is none', (text) => {
    expect(parseExact(text)).toBeUndefined();
  });

  it('are ordered as numbers, however they are written', () => {
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

  it('floor towards minus infinity at a scale', () => {
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

  it('beyond all digits have no floor but a sign', () => {
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
  ] as const)('%s of %s and %s', (operator, left, right, wanted) => {
    const result = foldArithmetic(operator, exact(left), exact(right));
    expect(result && canonicalText(result)).toBe(wanted);
  });

  it('by zero is null, on very long literals left to the database', () => {
    expect(foldArithmetic('div', exact('1'), exact('0'))).toBeNull();
    expect(foldArithmetic('mod', exact('1'), exact('0.0'))).toBeNull();
    expect(foldArithmetic('add', exact('1e1000000'), exact('1'))).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import {
  digitsOf,
  physicalOf,
  rangeOfNumber,
  rangeOfType,
  sumRange,
} from '../../../../src/query/apply/number-range.js';
import { parseExact } from '../../../../src/query/filter/number-literal.js';
import { createShapes } from '../../../../src/query/filter/number-shape.js';
import type { NumberNode } from '../../../../src/query/filter/typed.js';
import { columnsOf } from '../filter/columns.js';

const number = (text: string): NumberNode => ({ kind: 'number', value: parseExact(text)! });

const [cents, double] = columnsOf({ Cents: 'n38_2', Double: 'f' }).map(
  (column): NumberNode => ({ kind: 'column', column: { ...column, units: 999n } }),
) as [NumberNode, NumberNode];

const of = (
  operator: Extract<NumberNode, { kind: 'arithmetic' }>['operator'],
  left: NumberNode,
  right: NumberNode,
): NumberNode => ({ kind: 'arithmetic', operator, left, right });

const quotient = of('div', cents, number('4'));

describe('the range of an expression', () => {
  it.each<[string, NumberNode, number, bigint]>([
    ['a column', cents, 2, 999n],
    ['a negated column', { kind: 'negate', operand: cents }, 2, 999n],
    ['a value', number('-0.25'), 2, 25n],
    ['a sum', of('add', cents, number('0.25')), 2, 1_025n],
    ['a product', of('mul', number('0.5'), cents), 3, 5_999n],
    ['a rounded number', { kind: 'round', operand: cents }, 0, 12n],
    ['a number rounded down', { kind: 'floor', operand: cents }, 0, 12n],
    ['a number rounded up', { kind: 'ceiling', operand: cents }, 0, 12n],
  ])('has the scale and the size of %s', (_, node, scale, units) => {
    expect(rangeOfNumber(node, createShapes())).toEqual({ scale, units });
  });

  it.each<[string, NumberNode]>([
    ['a double', double],
    ['a calculation with a double', of('add', double, cents)],
    ['too many digits', number('1e400')],
    ['a quotient', quotient],
    ['a calculation whose left operand is a quotient', of('add', quotient, cents)],
    ['a calculation whose right operand is a quotient', of('mul', cents, quotient)],
    ['a negated quotient', { kind: 'negate', operand: quotient }],
    ['a rounded quotient', { kind: 'round', operand: quotient }],
    ['a quotient rounded down', { kind: 'floor', operand: quotient }],
    ['a quotient rounded up', { kind: 'ceiling', operand: quotient }],
  ])('is unknown for %s', (_, node) => {
    expect(rangeOfNumber(node, createShapes())).toBeUndefined();
  });
});

describe('the range of a sum', () => {
  it('is the largest number times the number of rows', () => {
    expect(sumRange({ scale: 2, units: 999n }, 1_000)).toEqual({ scale: 2, units: 999_000n });
  });

  it('is the counted total if that is smaller', () => {
    expect(sumRange({ scale: 2, units: 999n, total: 5_000n }, 1_000)).toEqual({ scale: 2, units: 5_000n });
    expect(sumRange({ scale: 2, units: 9n, total: 5_000n }, 10)).toEqual({ scale: 2, units: 90n });
  });

  it('covers one number if there are no rows', () => {
    expect(sumRange({ scale: 0, units: 7n }, 0)).toEqual({ scale: 0, units: 7n });
  });
});

describe('the type of a range', () => {
  it.each([
    ['a double for 15 digits', { scale: 0, units: 10n ** 15n - 1n }, 'f'],
    ['a decimal for 16 digits', { scale: 0, units: 10n ** 15n }, 'n38_0'],
    ['a double for 15 digits behind the point', { scale: 15, units: 1n }, 'f'],
    ['a decimal for 16 digits behind the point', { scale: 16, units: 1n }, 'n38_16'],
    ['a short decimal for 38 digits', { scale: 2, units: 10n ** 38n - 1n }, 'n38_2'],
    ['a long decimal for 39 digits', { scale: 2, units: 10n ** 38n }, 'n76_2'],
    ['a long decimal for 39 digits behind the point', { scale: 39, units: 1n }, 'n76_39'],
    ['a double for numbers without a range', undefined, 'f'],
  ] as const)('is %s', (_title, range, physical) => {
    expect(physicalOf(range)).toBe(physical);
  });

  it('covers every number of a decimal column, and is undefined for doubles', () => {
    expect(rangeOfType('n38_4')).toEqual({ scale: 4, units: 10n ** 38n - 1n });
    expect(rangeOfType('f')).toBeUndefined();
    expect(digitsOf(10n ** 38n - 1n)).toBe(38);
  });
});

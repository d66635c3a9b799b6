/**
 * Scale and bounds of a numeric expression, known before any row is read.
 *
 * Rules of arithmetic (documented for users; the tests state them independently):
 * - Numbers are decimals. add, sub, mul, mod, minus, round, floor, ceiling are exact. div is truncated to the scale of
 *   the left operand, at least to `quotientScale`.
 * - ClickHouse calculates with up to 76 digits. A stored double is calculated exactly if it is 0 or its absolute value
 *   is from 10^-6 to below 10^16: then its decimal text has at most 22 digits after the point.
 * - Other rows, and expressions that could need more than 76 digits, are calculated in double.
 * - Division and mod by zero, and results that are not finite, are null.
 */
import { weakMemo } from '../../lib/weak-memo.js';
import type { NumberForm } from '../../model/column-types/column-type.js';
import { numberFormOf } from '../../model/column-types/column-types.js';
import { requireDecimalShape } from '../../model/column-types/decimal.js';
import type { FilterColumn, NumberNode } from './typed.js';

export interface ExactShape {
  readonly scale: number;
  /** Exclusive bound of the absolute value, in units of 10^-scale. */
  readonly bound: bigint;
  /** Smallest absolute value other than zero, in the same units. */
  readonly least: bigint;
}

export interface NumberShape {
  /** Undefined if the expression may need more than 76 digits. */
  readonly exact: ExactShape | undefined;
  /** True if every row has an exact result, or null because an operand is null or a divisor is zero. */
  readonly sure: boolean;
  readonly nullable: boolean;
}

export const maxDigits = 76;
const maxUnits = 10n ** BigInt(maxDigits);
export const doubleScale = 22;
const doubleBound = 10n ** 38n;
const quotientScale = 22;
const lengthBound = 10n ** 12n;
const datePartBound = 10n ** 4n;

export const powerOfTen = (exponent: number): bigint => 10n ** BigInt(exponent);

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

const fitting = (scale: number, bound: bigint, least = 1n): ExactShape | undefined =>
  scale <= maxDigits && bound <= maxUnits ? { scale, bound, least } : undefined;

/** Both bounds in units of the finer scale; undefined if one of them does not fit into 76 digits. */
export const aligned = (
  left: ExactShape | undefined,
  right: ExactShape | undefined,
): { scale: number; left: bigint; right: bigint } | undefined => {
  if (!left || !right) return undefined;
  const scale = Math.max(left.scale, right.scale);
  const bounds = {
    scale,
    left: left.bound * powerOfTen(scale - left.scale),
    right: right.bound * powerOfTen(scale - right.scale),
  };
  return bounds.left <= maxUnits && bounds.right <= maxUnits ? bounds : undefined;
};

const columnShapes: Readonly<Record<NumberForm, (column: FilterColumn) => NumberShape>> = {
  doubles: () => ({
    exact: { scale: doubleScale, bound: doubleBound, least: 1n },
    sure: false,
    nullable: true,
  }),
  decimals: ({ physical, units }) => {
    const { precision, scale } = requireDecimalShape(physical);
    const bound = units === undefined ? powerOfTen(precision) : units + 1n;
    return { exact: { scale, bound, least: 1n }, sure: true, nullable: true };
  },
};

const columnShape = (column: FilterColumn): NumberShape =>
  columnShapes[numberFormOf(column.physical)](column);

const arithmeticShape = (node: Extract<NumberNode, { kind: 'arithmetic' }>, shapes: Shapes): NumberShape => {
  const left = shapes(node.left);
  const right = shapes(node.right);
  const exact = resultShape(node.operator, left.exact, right.exact);
  const sure = exact !== undefined && left.sure && right.sure;
  const divides = node.operator === 'div' || node.operator === 'mod';
  return { exact, sure, nullable: left.nullable || right.nullable || divides || !sure };
};

const resultShape = (
  operator: Extract<NumberNode, { kind: 'arithmetic' }>['operator'],
  left: ExactShape | undefined,
  right: ExactShape | undefined,
): ExactShape | undefined => {
  if (!left || !right) return undefined;
  switch (operator) {
    case 'add':
    case 'sub': {
      const bounds = aligned(left, right);
      return bounds && fitting(bounds.scale, bounds.left + bounds.right);
    }
    case 'mul':
      return fitting(left.scale + right.scale, left.bound * right.bound);
    case 'mod': {
      const bounds = aligned(left, right);
      if (!bounds) return undefined;
      // ClickHouse scales both operands once more by the common scale, and throws on overflow.
      const room = maxUnits / powerOfTen(bounds.scale);
      return bounds.left <= room && bounds.right <= room ? fitting(bounds.scale, bounds.right) : undefined;
    }
    case 'div': {
      const scale = Math.max(left.scale, quotientScale);
      // ClickHouse scales the dividend by the scale of the divisor before it divides.
      const dividend = left.bound * powerOfTen(scale - left.scale + right.scale);
      return dividend <= maxUnits ? fitting(scale, dividend / right.least + 1n) : undefined;
    }
    default:
      return operator satisfies never;
  }
};

export type Shapes = (node: NumberNode) => NumberShape;

const shapeOf = (node: NumberNode, shapes: Shapes): NumberShape => {
  switch (node.kind) {
    case 'number': {
      const { digits, scale } = node.value;
      // 1e400 is one digit with a scale of -400. It is rejected by its scale, before it is written out.
      const whole = scale < -maxDigits ? undefined : absolute(digits) * powerOfTen(Math.max(0, -scale));
      const exact = whole === undefined ? undefined : fitting(Math.max(0, scale), whole + 1n, whole || 1n);
      return { exact, sure: exact !== undefined, nullable: exact === undefined };
    }
    case 'column':
      return columnShape(node.column);
    case 'arithmetic':
      return arithmeticShape(node, shapes);
    case 'negate':
      return shapes(node.operand);
    case 'round':
    case 'floor':
    case 'ceiling': {
      const { exact: inner, sure, nullable } = shapes(node.operand);
      const exact = inner && fitting(inner.scale, inner.bound + powerOfTen(inner.scale));
      return { exact, sure: sure && exact !== undefined, nullable: nullable || !exact };
    }
    case 'length':
    case 'indexof':
      return { exact: { scale: 0, bound: lengthBound, least: 1n }, sure: true, nullable: true };
    case 'year':
    case 'quarter':
    case 'month':
    case 'week':
    case 'day':
      return { exact: { scale: 0, bound: datePartBound, least: 1n }, sure: true, nullable: true };
    default:
      return node satisfies never;
  }
};

/** Caches shapes: without a cache, every level of a deep tree would calculate those below it again. */
export const createShapes = (): Shapes => {
  const shapes: Shapes = weakMemo((node) => shapeOf(node, shapes));
  return shapes;
};

/**
 * How large and how fine the numbers of a column or an expression can be, before any row is read. From it follow
 * the types of results, and which sums are exact. Tighter than the shapes of filters, which know types alone.
 */
import type { PhysicalType } from '../../model/column.js';
import { decimalShapeOf } from '../../model/column-types/decimal.js';
import type { Shapes } from '../filter/number-shape.js';
import type { NumberNode } from '../filter/typed.js';

export interface NumberRange {
  /** Every value is a multiple of 10^-scale. */
  readonly scale: number;
  /** No value is larger than this many of those units, nor smaller than its negative. */
  readonly units: bigint;
  /** The same of the sum of the absolute values of all rows, where it is known. */
  readonly total?: bigint | undefined;
}

const power = (exponent: number): bigint => 10n ** BigInt(exponent);

export const digitsOf = (units: bigint): number => units.toString().length;

/** True when a quotient takes part, which has no last digit. */
const divides = (node: NumberNode): boolean => {
  switch (node.kind) {
    case 'arithmetic':
      return node.operator === 'div' || divides(node.left) || divides(node.right);
    case 'negate':
    case 'round':
    case 'floor':
    case 'ceiling':
      return divides(node.operand);
    default:
      return false;
  }
};

/** Undefined: some row may have no exact result. */
export const rangeOfNumber = (node: NumberNode, shapes: Shapes): NumberRange | undefined => {
  const { exact, sure } = shapes(node);
  if (exact === undefined || !sure || divides(node)) return undefined;
  const isWhole = node.kind === 'round' || node.kind === 'floor' || node.kind === 'ceiling';
  return isWhole
    ? { scale: 0, units: exact.bound / power(exact.scale) + 1n }
    : { scale: exact.scale, units: exact.bound - 1n };
};

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** The sum of up to `rows` such numbers. May have more digits than any type holds. */
export const sumRange = ({ scale, units, total }: NumberRange, rows: number): NumberRange => {
  const byRows = units * BigInt(Math.max(1, rows));
  return { scale, units: total === undefined ? byRows : smaller(total, byRows) };
};

/** Digits, before and behind the point together, that every double holds. */
const doubleDigits = 15;

/** The type that results of this range are stored and shown as, by the same rule as uploads: doubles where exact. */
export const physicalOf = (range: NumberRange | undefined): PhysicalType => {
  if (range === undefined) return 'f';
  const digits = Math.max(digitsOf(range.units), range.scale);
  if (digits <= doubleDigits) return 'f';
  return `n${digits <= 38 ? 38 : 76}_${range.scale}`;
};

/** Range of the numbers of a type. */
export const rangeOfType = (physical: PhysicalType): NumberRange | undefined => {
  const shape = decimalShapeOf(physical);
  return shape && { scale: shape.scale, units: power(shape.precision) - 1n };
};

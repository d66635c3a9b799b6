/**
 * Range and scale of a column or an expression, known before any row is read. They decide result types and which sums
 * are exact. Tighter than the shapes of filters, which are based on types alone.
 */
import type { PhysicalType } from '../../model/column.js';
import { decimalShapeOf } from '../../model/column-types/decimal.js';
import type { Shapes } from '../filter/number-shape.js';
import type { NumberNode } from '../filter/typed.js';

export interface NumberRange {
  /** Every value is a multiple of 10^-scale. */
  readonly scale: number;
  /** Largest absolute value, in those units. */
  readonly units: bigint;
  /** Bound of the sum of the absolute values of all rows, if known. */
  readonly total?: bigint | undefined;
}

const power = (exponent: number): bigint => 10n ** BigInt(exponent);

export const digitsOf = (units: bigint): number => units.toString().length;

/** True if the expression contains a division, whose result may have endless digits. */
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

/** Undefined if a row may have no exact result. */
export const rangeOfNumber = (node: NumberNode, shapes: Shapes): NumberRange | undefined => {
  const { exact, sure } = shapes(node);
  if (exact === undefined || !sure || divides(node)) return undefined;
  const isWhole = node.kind === 'round' || node.kind === 'floor' || node.kind === 'ceiling';
  return isWhole
    ? { scale: 0, units: exact.bound / power(exact.scale) + 1n }
    : { scale: exact.scale, units: exact.bound - 1n };
};

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Range of the sum of up to `rows` such numbers. May exceed every type. */
export const sumRange = ({ scale, units, total }: NumberRange, rows: number): NumberRange => {
  const byRows = units * BigInt(Math.max(1, rows));
  return { scale, units: total === undefined ? byRows : smaller(total, byRows) };
};

/** Digits before and after the point that every double preserves. */
const doubleDigits = 15;

/** Result type by the rule of uploads: a double if exact, otherwise a decimal. */
export const physicalOf = (range: NumberRange | undefined): PhysicalType => {
  if (range === undefined) return 'f';
  const digits = Math.max(digitsOf(range.units), range.scale);
  if (digits <= doubleDigits) return 'f';
  return `n${digits <= 38 ? 38 : 76}_${range.scale}`;
};

export const rangeOfType = (physical: PhysicalType): NumberRange | undefined => {
  const shape = decimalShapeOf(physical);
  return shape && { scale: shape.scale, units: power(shape.precision) - 1n };
};

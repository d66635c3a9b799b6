import type { Comparison } from './typed.js';

/** A comparison of two operands, with the SQL that checks them for null. */
export interface Test {
  readonly operator: Comparison | 'in';
  /** SQL that is null if and only if an operand is null, or the constant result for all other operands. */
  readonly test: string | boolean;
  /** Null checks of the nullable operands: at most two. */
  readonly nulls: readonly string[];
}

export const never = '0';
export const always = '1';

/** The outer parentheses are needed: ClickHouse parses `not(a) <= b` as `NOT ((a) <= b)`. */
export const negated = (sql: string): string => `(NOT (${sql}))`;

const any = (conditions: readonly string[]): string =>
  conditions.length === 0 ? never : `(${conditions.join(' OR ')})`;

const bothNull = (nulls: readonly string[]): string =>
  nulls.length === 2 ? `(${nulls.join(' AND ')})` : never;

/** SQL that is true if the comparison is true; null means false. */
export const isTrue = ({ operator, test, nulls }: Test): string => {
  const equal = operator === 'eq' && nulls.length === 2;
  if (typeof test === 'string') return equal ? `(${test} OR ${bothNull(nulls)})` : test;
  if (!test) return equal ? bothNull(nulls) : never;
  if (equal) return `(${nulls.join(' = ')})`;
  return nulls.length === 0 ? always : negated(any(nulls));
};

/** SQL that is true if the comparison is false; never null. */
export const isFalse = ({ operator, test, nulls }: Test): string => {
  const whenNull = operator === 'eq' ? bothNull(nulls) : never;
  if (typeof test === 'string')
    return nulls.length === 0 ? negated(test) : negated(`ifNull(${test}, ${whenNull})`);
  if (operator === 'eq' && nulls.length === 2)
    return test ? `(${nulls.join(' != ')})` : negated(bothNull(nulls));
  if (!test) return always;
  return any(nulls);
};

/** True if operands in this order, as of a sort function, pass the comparison. */
export const holds = (operator: Comparison, order: number): boolean => {
  switch (operator) {
    case 'eq':
      return order === 0;
    case 'lt':
      return order < 0;
    case 'le':
      return order <= 0;
    case 'gt':
      return order > 0;
    case 'ge':
      return order >= 0;
    default:
      return operator satisfies never;
  }
};

export const mirrored: Readonly<Record<Comparison, Comparison>> = {
  eq: 'eq',
  lt: 'gt',
  le: 'ge',
  gt: 'lt',
  ge: 'le',
};

export const signs: Readonly<Record<Comparison, string>> = { eq: '=', lt: '<', le: '<=', gt: '>', ge: '>=' };

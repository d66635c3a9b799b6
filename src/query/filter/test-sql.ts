import type { Comparison } from './typed.js';

/** A comparison of two operands: what it is where neither is null, and how to ask whether one is. */
export interface Test {
  readonly operator: Comparison | 'in';
  /** SQL that is null exactly where an operand is; or the answer for all operands that are not null. */
  readonly test: string | boolean;
  /** SQL that tells for each operand that can be null whether it is: at most two. */
  readonly nulls: readonly string[];
}

export const never = '0';
export const always = '1';

/** In brackets of its own: ClickHouse reads `not(a) <= b` as `NOT ((a) <= b)`. */
export const negated = (sql: string): string => `(NOT (${sql}))`;

const any = (conditions: readonly string[]): string =>
  conditions.length === 0 ? never : `(${conditions.join(' OR ')})`;

const bothNull = (nulls: readonly string[]): string =>
  nulls.length === 2 ? `(${nulls.join(' AND ')})` : never;

/** SQL whose truth is the comparison's; null stands for false. */
export const isTrue = ({ operator, test, nulls }: Test): string => {
  const equal = operator === 'eq' && nulls.length === 2;
  if (typeof test === 'string') return equal ? `(${test} OR ${bothNull(nulls)})` : test;
  if (!test) return equal ? bothNull(nulls) : never;
  if (equal) return `(${nulls.join(' = ')})`;
  return nulls.length === 0 ? always : negated(any(nulls));
};

/** SQL that is true where the comparison is false; never null. */
export const isFalse = ({ operator, test, nulls }: Test): string => {
  const whenNull = operator === 'eq' ? bothNull(nulls) : never;
  if (typeof test === 'string')
    return nulls.length === 0 ? negated(test) : negated(`ifNull(${test}, ${whenNull})`);
  if (operator === 'eq' && nulls.length === 2)
    return test ? `(${nulls.join(' != ')})` : negated(bothNull(nulls));
  if (!test) return always;
  return any(nulls);
};

export const mirrored: Readonly<Record<Comparison, Comparison>> = {
  eq: 'eq',
  lt: 'gt',
  le: 'ge',
  gt: 'lt',
  ge: 'le',
};

export const signs: Readonly<Record<Comparison, string>> = { eq: '=', lt: '<', le: '<=', gt: '>', ge: '>=' };

import { describe, expect, it } from 'vitest';
import { named } from '../../../../src/storage/postgres/sql.js';

describe('a statement with named parameters', () => {
  const statement = named(
    `UPDATE t SET a = :first::bigint, b = coalesce(:second, 'x')::text, at = '10:30 HH24:MI' WHERE a = :first`,
  );

  it('numbers names in the order of their first use, and ignores casts and string literals', () => {
    expect(statement.text).toBe(
      `UPDATE t SET a = $1::bigint, b = coalesce($2, 'x')::text, at = '10:30 HH24:MI' WHERE a = $1`,
    );
  });

  it('returns values in that order, with null for undefined', () => {
    expect(statement.values({ second: undefined, other: 3, first: 1 })).toEqual([1, null]);
  });

  it('throws for a parameter without a value', () => {
    expect(() => statement.values({ second: 2 })).toThrow('no value for :first');
  });
});

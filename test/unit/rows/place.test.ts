import { describe, expect, it } from 'vitest';
import { namedColumnOf, type PhysicalType } from '../../../src/model/column.js';
import type { Place } from '../../../src/model/version.js';
import { isSamePlace, placeOf, sourceOf, storedAs, tablePlace, writtenAs } from '../../../src/rows/place.js';

const column = (id: number, physical: PhysicalType) => ({ name: `c${id}_${physical}`, physical });

describe('a place', () => {
  it('is opaque outside of the code that knows where rows are stored', () => {
    const inside = { storeId: 1, shard: 1, pool: null };
    // @ts-expect-error An object of the same shape is not a Place.
    const assigned: Place = inside;
    // @ts-expect-error Nothing can be read from a place.
    expect(tablePlace(inside).storeId).toBe(1);
    expect(assigned).toEqual(placeOf(inside));
  });

  it('is the same for the same table, or the same slot map of a pool', () => {
    const pool = (mapId: number) =>
      placeOf({ storeId: 1, shard: 1, pool: { mapId, pool: 'narrow', slots: {} } });
    const own = tablePlace({ storeId: 1, shard: 1 });
    expect(isSamePlace(own, tablePlace({ storeId: 1, shard: 1 }))).toBe(true);
    expect(isSamePlace(own, tablePlace({ storeId: 2, shard: 1 }))).toBe(false);
    expect(isSamePlace(own, tablePlace({ storeId: 1, shard: null }))).toBe(false);
    expect(isSamePlace(own, pool(1))).toBe(false);
    expect(isSamePlace(pool(1), pool(1))).toBe(true);
    expect(isSamePlace(pool(1), pool(2))).toBe(false);
  });
});

describe('a column in its place', () => {
  const own = placeOf({ storeId: 3, shard: 1, pool: null });
  const pooled = placeOf({
    storeId: 3,
    shard: 1,
    pool: { mapId: 1, pool: 'narrow', slots: { c1_d: 'd1', c2_n38_4: 'i0', c3_t: 's2' } },
  });

  it('is read under its stored name', () => {
    expect(sourceOf('db', own, [column(1, 'd')])).toBe('db.s3');
    expect(sourceOf('db', pooled, [column(1, 'd'), column(2, 'n38_4'), column(3, 't')])).toBe(
      "(SELECT _seg, _row, d1 AS c1_d, reinterpret(i0, 'Decimal(38, 4)') AS c2_n38_4, s2 AS c3_t FROM db.pool_narrow)",
    );
  });

  it('is converted to the type of its slot when it is written', () => {
    expect(storedAs(column(2, 'n38_4'), own)).toEqual({ name: 'c2_n38_4', type: 'Nullable(Decimal(38, 4))' });
    expect(storedAs(column(2, 'n38_4'), pooled)).toEqual({ name: 'i0', type: 'Nullable(Int128)' });
    expect(writtenAs('x', column(2, 'n38_4'), pooled)).toBe("reinterpret(x, 'Int128')");
    expect(writtenAs('x', column(1, 'd'), pooled)).toBe('x');
  });

  it('without a slot throws an error', () => {
    expect(() => sourceOf('db', pooled, [column(9, 'f')])).toThrow('c9_f has no slot');
    expect(() => namedColumnOf('f0')).toThrow('not the name of a stored column');
    expect(namedColumnOf('c12_n76_30')).toEqual({ name: 'c12_n76_30', physical: 'n76_30' });
  });
});

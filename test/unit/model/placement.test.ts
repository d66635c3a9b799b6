import { describe, expect, it } from 'vitest';
import type { PhysicalType } from '../../../src/model/column.js';
import {
  extendSlots,
  fitsPool,
  namedColumnOf,
  type Placement,
  poolClassFor,
  poolShapes,
} from '../../../src/model/placement.js';
import { slotColumns, sourceOf, storedAs, writtenAs } from '../../../src/rows/places.js';

const column = (id: number, physical: PhysicalType) => ({ name: `c${id}_${physical}`, physical });
const many = (count: number, physical: PhysicalType) =>
  Array.from({ length: count }, (_, at) => column(at + 1, physical));

describe('slots of a pool', () => {
  it('are given by kind, in the order of the columns', () => {
    const columns = [column(1, 'd'), column(2, 't'), column(3, 's'), column(4, 'f'), column(5, 'n38_4')];
    expect(extendSlots('narrow', {}, columns)).toEqual({
      c1_d: 'd0',
      c2_t: 's0',
      c3_s: 's1',
      c4_f: 'f0',
      c5_n38_4: 'i0',
    });
  });

  it('stay as they are when others are added', () => {
    const before = { c7_f: 'f1', c9_s: 's0' };
    expect(extendSlots('narrow', before, [column(9, 's'), column(8, 'f'), column(6, 'f')])).toEqual({
      ...before,
      c8_f: 'f0',
      c6_f: 'f2',
    });
  });

  it('are none when the class has no room', () => {
    expect(extendSlots('narrow', {}, many(poolShapes.narrow.s + 1, 's'))).toBeUndefined();
    expect(extendSlots('narrow', {}, [column(1, 'n76_0')])).toBeUndefined();
  });

  it('choose the smallest class, or none', () => {
    expect(poolClassFor(many(3, 'f'))).toBe('narrow');
    expect(poolClassFor([column(1, 'n76_2')])).toBe('medium');
    expect(poolClassFor(many(poolShapes.wide.f, 'f'))).toBe('wide');
    expect(poolClassFor(many(poolShapes.wide.f + 1, 'f'))).toBeUndefined();
  });

  it('have one column each in the table of the class', () => {
    for (const pool of ['narrow', 'medium', 'wide'] as const) {
      const count = Object.values(poolShapes[pool]).reduce((sum, slots) => sum + slots, 0);
      expect(new Set(slotColumns(pool).map(({ name }) => name)).size).toBe(count);
    }
  });

  it('bound rows and bytes', () => {
    const limits = { maxRows: 10, maxBytes: 100 };
    expect(fitsPool(limits, { rows: 10, bytes: 100 })).toBe(true);
    expect(fitsPool(limits, { rows: 11, bytes: 1 })).toBe(false);
    expect(fitsPool(limits, { rows: 1, bytes: 101 })).toBe(false);
  });
});

describe('a column in its place', () => {
  const own: Placement = { storeId: 3, shard: 1, pool: null };
  const pooled: Placement = {
    storeId: 3,
    shard: 1,
    pool: { mapId: 1, pool: 'narrow', slots: { c1_d: 'd1', c2_n38_4: 'i0', c3_t: 's2' } },
  };

  it('is read under its stored name', () => {
    expect(sourceOf('db', own, [column(1, 'd')])).toBe('db.s3');
    expect(sourceOf('db', pooled, [column(1, 'd'), column(2, 'n38_4'), column(3, 't')])).toBe(
      "(SELECT _seg, _row, d1 AS c1_d, reinterpret(i0, 'Decimal(38, 4)') AS c2_n38_4, s2 AS c3_t FROM db.pool_narrow)",
    );
  });

  it('is written as its slot keeps it', () => {
    expect(storedAs(column(2, 'n38_4'), own)).toEqual({ name: 'c2_n38_4', type: 'Nullable(Decimal(38, 4))' });
    expect(storedAs(column(2, 'n38_4'), pooled)).toEqual({ name: 'i0', type: 'Nullable(Int128)' });
    expect(writtenAs('x', column(2, 'n38_4'), pooled)).toBe("reinterpret(x, 'Int128')");
    expect(writtenAs('x', column(1, 'd'), pooled)).toBe('x');
  });

  it('without a slot is a mistake, not another column', () => {
    expect(() => sourceOf('db', pooled, [column(9, 'f')])).toThrow('c9_f has no slot');
    expect(() => namedColumnOf('f0')).toThrow('not the name of a stored column');
    expect(namedColumnOf('c12_n76_30')).toEqual({ name: 'c12_n76_30', physical: 'n76_30' });
  });
});

import { describe, expect, it } from 'vitest';
import type { PhysicalType } from '../../../src/model/column.js';
import { extendSlots, fitsPool, poolClassFor, poolShapes, slotColumns } from '../../../src/rows/slots.js';

const column = (id: number, physical: PhysicalType) => ({ name: `c${id}_${physical}`, physical });
const many = (count: number, physical: PhysicalType) =>
  Array.from({ length: count }, (_, at) => column(at + 1, physical));

describe('slots of a pool', () => {
  it('are assigned by kind, in the order of the columns', () => {
    const columns = [column(1, 'd'), column(2, 't'), column(3, 's'), column(4, 'f'), column(5, 'n38_4')];
    expect(extendSlots('narrow', {}, columns)).toEqual({
      c1_d: 'd0',
      c2_t: 's0',
      c3_s: 's1',
      c4_f: 'f0',
      c5_n38_4: 'i0',
    });
  });

  it('do not change when others are added', () => {
    const before = { c7_f: 'f1', c9_s: 's0' };
    expect(extendSlots('narrow', before, [column(9, 's'), column(8, 'f'), column(6, 'f')])).toEqual({
      ...before,
      c8_f: 'f0',
      c6_f: 'f2',
    });
  });

  it('are undefined if the class has no room', () => {
    expect(extendSlots('narrow', {}, many(poolShapes.narrow.s + 1, 's'))).toBeUndefined();
    expect(extendSlots('narrow', {}, [column(1, 'n76_0')])).toBeUndefined();
  });

  it('are in the smallest class with room, if there is one', () => {
    expect(poolClassFor(many(3, 'f'))).toBe('narrow');
    expect(poolClassFor([column(1, 'n76_2')])).toBe('medium');
    expect(poolClassFor(many(poolShapes.wide.f, 'f'))).toBe('wide');
    expect(poolClassFor(many(poolShapes.wide.f + 1, 'f'))).toBeUndefined();
  });

  it('are columns of the table of the class', () => {
    for (const pool of ['narrow', 'medium', 'wide'] as const) {
      const count = Object.values(poolShapes[pool]).reduce((sum, slots) => sum + slots, 0);
      expect(new Set(slotColumns(pool).map(({ name }) => name)).size).toBe(count);
    }
  });

  it('are Nullable columns with the type of their kind', () => {
    expect(slotColumns('narrow').slice(0, 3)).toEqual([
      { name: 'd0', type: 'Nullable(Date32)' },
      { name: 'd1', type: 'Nullable(Date32)' },
      { name: 's0', type: 'Nullable(String)' },
    ]);
  });

  it('are limited to datasets with few rows and bytes', () => {
    const limits = { maxRows: 10, maxBytes: 100 };
    expect(fitsPool(limits, { rows: 10, bytes: 100 })).toBe(true);
    expect(fitsPool(limits, { rows: 11, bytes: 1 })).toBe(false);
    expect(fitsPool(limits, { rows: 1, bytes: 101 })).toBe(false);
  });
});

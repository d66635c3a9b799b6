import { describe, expect, it } from 'vitest';
import { createColumnBuffer, growText, resetColumn, valueBytes } from '../../../src/csv/column-buffer.js';
import type { EncodeColumn, EncodePhysical } from '../../../src/csv/types.js';

const bufferOf = (physical: EncodePhysical, more: Partial<EncodeColumn> = {}) =>
  createColumnBuffer({ storageName: 'c', physical, sourceIndex: 3, ...more });

describe('the buffer of a column', () => {
  it.each<[EncodePhysical, string, number]>([
    ['d', 'Nullable(Date32)', 4],
    ['f', 'Nullable(Float64)', 8],
    ['n38_6', 'Nullable(Decimal(38, 6))', 16],
    ['n76_20', 'Nullable(Decimal(76, 20))', 32],
  ])(
    'for %s has the ClickHouse type %s, %d bytes per row, and room for an eighth more rows',
    (physical, type, bytes) => {
      const column = bufferOf(physical);
      expect(column.type).toBe(type);
      const memory = () =>
        [column.nulls, column.days, column.doubles, column.words].map(({ buffer }) => buffer);
      resetColumn(column, 80);
      const first = memory();
      expect(valueBytes(column, 80)).toHaveLength(80 * bytes);
      expect(valueBytes(column, 1)).toHaveLength(bytes);
      for (const rows of [80, 90, 5]) {
        resetColumn(column, rows);
        expect(memory().every((buffer, at) => buffer === first[at])).toBe(true);
        expect(column.nulls.length).toBe(90);
        expect(valueBytes(column, 90)).toHaveLength(90 * bytes);
      }
      resetColumn(column, 91);
      expect(column.nulls.length).toBe(102);
      expect(valueBytes(column, 91)).toHaveLength(91 * bytes);
      expect(memory().filter((buffer, at) => buffer !== first[at])).toHaveLength(2);
    },
  );

  it.each<[EncodePhysical, string]>([
    ['s', 'Nullable(String)'],
    ['u', 'Nullable(String)'],
    ['skip', 'Nullable(String)'],
    ['t', 'Nullable(String)'],
  ])('for %s has the ClickHouse type %s and the texts written since its last reset', (physical, type) => {
    const column = bufferOf(physical);
    expect(column.type).toBe(type);
    resetColumn(column, 8);
    expect(growText(column, 0, 3)).toHaveLength(1_024);
    column.text.set(Buffer.from('\x02ab'));
    column.textBytes = 3;
    expect(Buffer.from(valueBytes(column, 1)).toString()).toBe('\x02ab');
    const grown = growText(column, 3, 600);
    expect(grown).toBe(column.text);
    expect(grown).toHaveLength(1_206);
    expect(Buffer.from(grown.subarray(0, 5)).toString()).toBe('\x02ab\0\0');
    resetColumn(column, 8);
    expect(valueBytes(column, 8)).toHaveLength(0);
    expect(column.text).toBe(grown);
  });

  it('has years only for doubles, is not fixed by default, and takes scale and precision from its type', () => {
    expect(bufferOf('f', { years: true, fixed: true })).toMatchObject({ field: 3, years: true, fixed: true });
    expect(bufferOf('f')).toMatchObject({ years: false, fixed: false, scale: 0, precision: 0 });
    expect(bufferOf('d', { years: true }).years).toBe(false);
    expect(bufferOf('n38_6')).toMatchObject({ scale: 6, precision: 38, limbs: 4 });
    expect(bufferOf('n76_20')).toMatchObject({ scale: 20, precision: 76, limbs: 8 });
  });
});

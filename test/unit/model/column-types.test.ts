import { describe, expect, it } from 'vitest';
import type { DataType, PhysicalType } from '../../../src/model/column.js';
import {
  columnTypeOf,
  columnTypes,
  dataTypeOf,
  physicalOfName,
} from '../../../src/model/column-types/column-types.js';
import { decimalOf, decimalShapeOf } from '../../../src/model/column-types/decimal.js';

/** One code of each kind, with properties that must never change. */
const known: readonly (readonly [PhysicalType, DataType, string, string])[] = [
  ['d', 'Date', 'Date32', 'd'],
  ['t', 'Date', 'String', 's'],
  ['f', 'Decimal', 'Float64', 'f'],
  ['n38_4', 'Decimal', 'Decimal(38, 4)', 'i'],
  ['n76_40', 'Decimal', 'Decimal(76, 40)', 'h'],
  ['s', 'String', 'String', 's'],
];

describe('column types', () => {
  it.each(known)('store %s as a %s in %s, slot %s', (physical, dataType, storage, slot) => {
    const type = columnTypeOf(physical);
    expect([type.dataType, type.storage(physical), type.plain.kind(physical)]).toEqual([
      dataType,
      storage,
      slot,
    ]);
    expect(type.letter).toBe(physical.charAt(0));
  });

  it('are all covered by this test', () => {
    expect(new Set(known.map(([physical]) => physical.charAt(0)))).toEqual(new Set(Object.keys(columnTypes)));
  });

  it.each(['u', 'x', '', 'N38_4'])('reject the unknown code %j', (code) => {
    expect(() => columnTypeOf(code as PhysicalType)).toThrow('unknown physical type');
  });

  it.each(['n', 'n12_4', 'nope'])('reject the unknown decimal %j', (code) => {
    expect(() => columnTypeOf(code as PhysicalType).storage(code as PhysicalType)).toThrow('no decimal type');
  });

  it('turn public names into codes and back', () => {
    for (const [name, physical] of Object.entries(physicalOfName)) expect(dataTypeOf(physical)).toBe(name);
  });

  it('allow only lossless widening', () => {
    const widened = (from: PhysicalType, to: PhysicalType): string =>
      columnTypeOf(to).widened('x', columnTypeOf(from), to);
    expect(widened('d', 't')).toBe('toString(x)');
    expect(widened('t', 's')).toBe('x');
    expect(widened('f', 's')).toBe('toString(x)');
    expect(widened('f', 'n38_4')).toBe("CAST(toString(x), 'Nullable(Decimal(38, 4))')");
    expect(widened('n38_4', 'n76_9')).toBe("CAST(x, 'Nullable(Decimal(76, 9))')");
    expect(() => widened('s', 'd')).toThrow('no exact way from s to d');
    expect(() => widened('n38_4', 'f')).toThrow('no exact way from n to f');
  });

  it.each([
    [30, 8, 'n38_8'],
    [31, 8, 'n76_8'],
    [0, 76, 'n76_76'],
    [1, 76, undefined],
  ])('hold %i digits before the point and %i after it as %s', (integer, fraction, code) => {
    expect(decimalOf(integer, fraction)).toBe(code);
    if (code !== undefined) expect(decimalShapeOf(code as PhysicalType)?.scale).toBe(fraction);
  });
});

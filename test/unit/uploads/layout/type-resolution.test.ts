import { describe, expect, it } from 'vitest';
import { noProfile } from '../../../../src/csv/profile.js';
import type { ColumnProfile } from '../../../../src/csv/types.js';
import type { PhysicalType } from '../../../../src/model/column.js';
import type { Layout, LayoutColumn } from '../../../../src/uploads/layout/layout.js';
import { needsDigits, resolveColumn } from '../../../../src/uploads/layout/type-resolution.js';
import { profilesOf, untypedLayout } from '../../../support/profiles.js';

const dialect = { delimiter: 0x2c, quote: 0x22 };
const column: LayoutColumn = {
  id: 1,
  storageId: 1,
  name: 'a',
  description: null,
  isEntity: null,
  physical: 'u',
  field: 0,
};
const layoutOf = (own: LayoutColumn, widen = false): Layout => ({
  dialect,
  fieldCount: 1,
  columns: [own],
  ...(widen ? { widen } : {}),
});
const profileOf = (values: string): ColumnProfile =>
  values === ''
    ? noProfile
    : (profilesOf(Buffer.from(`${values}\n`), untypedLayout(dialect, 1))[0] ?? noProfile);

describe('a column that a manifest makes Decimal', () => {
  it.each([
    [`12345678901234567890.5\n1.25\n${'9'.repeat(77)}`, 'n38_2'],
    [`1.5\n0.${'7'.repeat(77)}`, 'f'],
    [`1e300\n1.5`, 'f'],
    [`12345678901234567890.5\n${'9'.repeat(76)}`, 'f'],
  ])('has the type of the numbers that a type can hold: %j is %s', (values, physical) => {
    const given: LayoutColumn = { ...column, dataType: 'Decimal' };
    const layout = layoutOf(given);
    const [profile = noProfile] = profilesOf(Buffer.from(`${values}\n`), layout);
    expect(resolveColumn(layout, given, profile, undefined).physical).toBe(physical);
  });
});

describe('the type of an existing column', () => {
  it.each<[PhysicalType, string, boolean, PhysicalType]>([
    ['f', '1.5', false, 'f'],
    ['f', '12345678901234567890.5', false, 'n38_3'],
    ['n38_2', '1.25', false, 'n38_2'],
    ['n38_2', '1.2345678901234567890', false, 'n38_18'],
    ['n38_2', `1.${'7'.repeat(36)}`, false, 'n76_36'],
    ['n38_2', `1.${'7'.repeat(72)}`, false, 'n76_72'],
    ['n38_2', `1.${'7'.repeat(73)}`, false, 'n38_2'],
    ['d', '2020-01-01', false, 'd'],
    ['d', '1066-10-14', false, 't'],
    ['s', '17', false, 's'],
    ['f', 'word', true, 's'],
    ['f', '2020-01-01', true, 's'],
    ['d', '7', true, 's'],
    ['d', '', true, 'd'],
    ['f', '1.5', true, 'f'],
  ])('of %s with the values %j (widen %s) becomes %s', (existing, values, widen, expected) => {
    const own = { ...column, existing };
    const settled = resolveColumn(layoutOf(own, widen), own, profileOf(values), { integer: 4, fraction: 3 });
    expect(settled.physical).toBe(expected);
  });

  it('needs the digits of stored values only if new values do not fit', () => {
    expect(needsDigits({ ...column, existing: 'f' }, profileOf('1.5'))).toBe(false);
    expect(needsDigits({ ...column, existing: 'f' }, profileOf('12345678901234567890.5'))).toBe(true);
    expect(needsDigits({ ...column, existing: 'n38_2' }, profileOf('1.25'))).toBe(false);
    expect(needsDigits({ ...column, existing: 'n38_2' }, profileOf('0.125'))).toBe(true);
    expect(needsDigits({ ...column, existing: 'd' }, profileOf('2020-01-01'))).toBe(false);
  });
});

describe('values of a column whose type is given', () => {
  it('are profiled only if they have that type', () => {
    const own: LayoutColumn = { ...column, dataType: 'Decimal' };
    const [profile] = profilesOf(Buffer.from('1\nword\n2020-01-01\n12345678901234567890.5\n'), layoutOf(own));
    expect(profile).toMatchObject({ kind: 'number', inexact: true, integerDigits: 20, fractionDigits: 1 });
    expect(resolveColumn(layoutOf(own), own, profile ?? noProfile, undefined)).toMatchObject({
      physical: 'n38_1',
      fixed: true,
    });
  });
});

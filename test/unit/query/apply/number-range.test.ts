import { describe, expect, it } from 'vitest';
import { digitsOf, physicalOf, rangeOfType, sumRange } from '../../../../src/query/apply/number-range.js';

describe('the range of a sum', () => {
  it('is the largest number times the number of rows', () => {
    expect(sumRange({ scale: 2, units: 999n }, 1_000)).toEqual({ scale: 2, units: 999_000n });
  });

  it('is the counted total if that is smaller', () => {
    expect(sumRange({ scale: 2, units: 999n, total: 5_000n }, 1_000)).toEqual({ scale: 2, units: 5_000n });
    expect(sumRange({ scale: 2, units: 9n, total: 5_000n }, 10)).toEqual({ scale: 2, units: 90n });
  });

  it('covers one number if there are no rows', () => {
    expect(sumRange({ scale: 0, units: 7n }, 0)).toEqual({ scale: 0, units: 7n });
  });
});

describe('the type of a range', () => {
  it.each([
    ['a double for 15 digits', { scale: 0, units: 10n ** 15n - 1n }, 'f'],
    ['a decimal for 16 digits', { scale: 0, units: 10n ** 15n }, 'n38_0'],
    ['a double for 15 digits behind the point', { scale: 15, units: 1n }, 'f'],
    ['a decimal for 16 digits behind the point', { scale: 16, units: 1n }, 'n38_16'],
    ['a short decimal for 38 digits', { scale: 2, units: 10n ** 38n - 1n }, 'n38_2'],
    ['a long decimal for 39 digits', { scale: 2, units: 10n ** 38n }, 'n76_2'],
    ['a long decimal for 39 digits behind the point', { scale: 39, units: 1n }, 'n76_39'],
    ['a double for numbers without a range', undefined, 'f'],
  ] as const)('is %s', (_title, range, physical) => {
    expect(physicalOf(range)).toBe(physical);
  });

  it('covers every number of a decimal column, and is undefined for doubles', () => {
    expect(rangeOfType('n38_4')).toEqual({ scale: 4, units: 10n ** 38n - 1n });
    expect(rangeOfType('f')).toBeUndefined();
    expect(digitsOf(10n ** 38n - 1n)).toBe(38);
  });
});

import { describe, expect, it } from 'vitest';
import { firstDayOf, isYear, saysYear } from '../../../src/model/years.js';

describe('saysYear', () => {
  it.each([
    'Year',
    ' YEAR ',
    'fiscal_year',
    'FiscalYear',
    'year2',
    'Geschäftsjahr',
    'Anne\u0301e',
    'AÑO',
    'FY',
    '年',
  ])('is true for %j', (name) => {
    expect(saysYear(name)).toBe(true);
  });

  it.each(['Yearly', 'Code', 'yearling', 'Jahrgang', 'Annotation', 'Many', ''])('is false for %j', (name) => {
    expect(saysYear(name)).toBe(false);
  });
});

describe('a number', () => {
  it.each([1_500, 1_960, 2_200])('%d is a year', (value) => {
    expect(isYear(value)).toBe(true);
  });

  it.each([1_499, 2_201, 2_020.5, Number.NaN, -2_000])('%d is not a year', (value) => {
    expect(isYear(value)).toBe(false);
  });
});

describe('the first day of a year', () => {
  it.each([1_500, 1_700, 1_899, 1_900, 1_901, 1_970, 1_972, 2_000, 2_001, 2_100, 2_200])(
    'of %d is that of the calendar',
    (year) => {
      expect(firstDayOf(year)).toBe(Date.UTC(year, 0, 1) / 86_400_000);
    },
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundDay, parseDay, parsePeriod, parseYearAndCode } from '../../../src/providers/dates.js';

describe('parsePeriod', () => {
  it.each([
    ['2024-01-01', '2024-01-01'],
    ['2024', '2024-01-01'],
    ['2024-A1', '2024-01-01'],
    ['2024-S1', '2024-01-01'],
    ['2024-S2', '2024-07-01'],
    ['2024-B2', '2024-07-01'],
    ['2024-T2', '2024-05-01'],
    ['2024-T3', '2024-09-01'],
    ['2024-Q1', '2024-01-01'],
    ['2024Q4', '2024-10-01'],
    ['2024-01', '2024-01-01'],
    ['2024-M11', '2024-11-01'],
    ['2024M07', '2024-07-01'],
    ['2024-W05', '2024-01-29'],
    ['2021-W01', '2021-01-04'],
    ['2020-W01', '2019-12-30'],
    ['2020-W53', '2020-12-28'],
    ['2024-D032', '2024-02-01'],
    ['2024-D366', '2024-12-31'],
    ['2024-01-15T09', '2024-01-15'],
    ['2024-01-15T00:00:00.000+01:00', '2024-01-15'],
    [' 2024 ', '2024-01-01'],
  ])('reads %s as %s', (period, day) => {
    expect(parsePeriod(period)).toBe(day);
  });

  it.each([
    '',
    '24',
    '2024-13',
    '2024-00',
    '2024-Q5',
    '2024-Q0',
    '2023-W53',
    '2023-D366',
    '2024-S3',
    '2023-02-29',
    '2024-X1',
    'M01',
    '2024-01-1',
  ])('rejects %j', (period) => {
    expect(parsePeriod(period)).toBeUndefined();
  });

  it('reads every ISO week as a Monday within seven days of the year', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1900, max: 2200 }), fc.integer({ min: 1, max: 52 }), (year, week) => {
        const monday = new Date(`${parsePeriod(`${year}-W${String(week).padStart(2, '0')}`)}T00:00:00Z`);
        expect(monday.getUTCDay()).toBe(1);
        // Week 1 is the week of 4 January.
        const weeks = Math.floor((Date.UTC(year, 0, 4) - monday.getTime()) / 604_800_000);
        expect(weeks + week).toBe(1);
      }),
      { numRuns: 20 },
    );
  });
});

describe('parseYearAndCode', () => {
  it.each([
    ['M12', '2024-12-01'],
    ['Q02', '2024-04-01'],
    ['S02', '2024-07-01'],
    ['A01', '2024-01-01'],
    ['M13', 'average'],
    ['Q05', 'average'],
    ['S03', 'average'],
    ['M14', undefined],
    ['X01', undefined],
  ])('reads 2024 %s as %s', (code, day) => {
    expect(parseYearAndCode('2024', code)).toBe(day);
  });
});

describe('days', () => {
  it('boundDay returns the first or last day that a bound includes', () => {
    expect(boundDay('2024-02', 'end')).toBe('2024-02-29');
    expect(boundDay('2024', 'end')).toBe('2024-12-31');
    expect(boundDay('2024', 'start')).toBe('2024-01-01');
    expect(boundDay('2024-02-10', 'end')).toBe('2024-02-10');
  });

  it('parseDay rejects a day that does not exist', () => {
    expect(parseDay('2023-02-29')).toBeUndefined();
  });
});

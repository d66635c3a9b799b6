import { describe, expect, it } from 'vitest';
import { dateFactsOf, daySetOf, dayText, joinDays, parseDays } from '../../../src/model/day-set.js';

const dayOf = (text: string): number => Date.parse(`${text}T00:00:00Z`) / 86_400_000;

const setOf = (...dates: (string | null)[]) =>
  daySetOf(
    Int32Array.from(dates, (date) => (date === null ? 0 : dayOf(date))),
    Uint8Array.from(dates, (date) => (date === null ? 1 : 0)),
    dates.length,
  );

describe('a set of days', () => {
  it.each([
    ['no dates', [], [null, null, null]],
    ['only nulls', [null, null], [null, null, null]],
    ['one day', ['2020-02-29', '2020-02-29'], ['2020-02-29', '2020-02-29', null]],
    ['days before 1970', ['1900-01-02', '1900-01-01', null], ['1900-01-01', '1900-01-02', 'Daily']],
    ['the last day that Date32 stores', ['2299-12-31', '2299-12-30'], ['2299-12-30', '2299-12-31', 'Daily']],
    ['months', ['2020-03-01', '2020-01-01', '2020-02-01'], ['2020-01-01', '2020-03-01', 'Monthly']],
    ['years', ['2019-01-01', '2020-01-01', '2021-01-01'], ['2019-01-01', '2021-01-01', 'Annual']],
    ['no regular distance', ['2020-01-01', '2020-01-15', '2020-03-01'], ['2020-01-01', '2020-03-01', null]],
  ] as const)(
    'has the first day, the last day and the frequency of %s',
    (_of, dates, [minDate, maxDate, frequency]) => {
      expect(dateFactsOf(setOf(...dates), false)).toEqual({ minDate, maxDate, frequency });
    },
  );

  it('joined with another is the set of all days, in either order', () => {
    const all = ['1969-12-30', '1970-01-06', '1970-01-13', '2031-05-05', '2031-05-12'];
    const expected = dateFactsOf(setOf(...all), false);
    const parts = [setOf(all[0]!, all[3]!), setOf(), setOf(all[1]!, all[2]!, all[3]!), setOf(all[4]!)];
    for (const order of [parts, [...parts].reverse()])
      expect(dateFactsOf(order.reduce(joinDays), false)).toEqual(expected);
    expect(expected).toMatchObject({ minDate: '1969-12-30', maxDate: '2031-05-12', frequency: 'Weekly' });
  });

  it('survives a round trip through text', () => {
    for (const set of [setOf(), setOf('1900-01-01', '2299-12-31')])
      expect(dateFactsOf(parseDays(dayText(set)), false)).toEqual(dateFactsOf(set, false));
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dayOf,
  maxDate32Day,
  minDate32Day,
  noDay,
  parseDay,
  writeIsoDay,
} from '../../../src/csv/date-text.js';
import { nearTexts } from './near-texts.js';
import { encodeColumn } from './reference.js';

const parse = (text: string): string | undefined => {
  // Between other bytes, as in a record.
  const bytes = Buffer.from(`1${text}0:00:00`);
  const day = parseDay(bytes, 1, 1 + text.length);
  if (day === noDay) return undefined;
  const out = Buffer.alloc(10);
  writeIsoDay(day, out, 0);
  return out.toString();
};

const dayNumber = (year: string, month: number, day: number): string | undefined => {
  const date = new Date(0);
  date.setUTCFullYear(Number(year), month - 1, day);
  const iso = date.toISOString().slice(0, 10);
  return iso === `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}` &&
    year !== '0000'
    ? iso
    : undefined;
};

/** Monday of an ISO week; undefined unless its Thursday is in the year. */
const mondayOf = (year: string, week: number): string | undefined => {
  const start = dayNumber(year, 1, 4);
  if (start === undefined || week < 1) return undefined;
  const fourth = new Date(start).getTime() / 86_400_000;
  const monday = fourth - ((new Date(start).getUTCDay() + 6) % 7) + (week - 1) * 7;
  const thursday = new Date((monday + 3) * 86_400_000);
  if (thursday.getUTCFullYear() !== Number(year)) return undefined;
  return new Date(monday * 86_400_000).toISOString().slice(0, 10);
};

/** Reference: the accepted forms as regular expressions. */
const expectedDay = (text: string): string | undefined => {
  const period = /^(\d{4})(?:-(\d\d)|M(\d\d)|-?Q([1-4])|-?W(\d\d))$/.exec(text);
  if (period !== null) {
    const [, year = '', month, monthOfM, quarter, week] = period;
    if (week !== undefined) return mondayOf(year, Number(week));
    return dayNumber(year, Number(month ?? monthOfM ?? Number(quarter) * 3 - 2), 1);
  }
  if (text.length > 64) return undefined;
  const date =
    /^(\d{4})([-/.])(\d\d)\2(\d\d)$/.exec(text) ??
    /^(\d{4})(-)(\d\d)-(\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:Z|\+00:00)?$/.exec(text);
  return date === null ? undefined : dayNumber(date[1] ?? '', Number(date[3]), Number(date[4]));
};

describe('dates', () => {
  it.each([
    '2020-12-31',
    '2020/02/28',
    '2020.10.30',
    '2020-07',
    '2020M11',
    '2020Q4',
    '2020-Q3',
    '2020W53',
    '2015-W53',
    '0001-01',
    '2020-01-01T00:00',
    '2020-01-01T00:00Z',
    '2020-01-01 00:00:00',
    '2020-01-01T00:00:00+00:00',
    `2020-01-01T00:00:00.${'0'.repeat(44)}`,
    '2020-01-01T00:00+00:00',
  ])('%s and texts one edit away are read as by the reference', (text) => {
    for (const near of nearTexts(text, '0123456789-/.:TQWMZ+ x'))
      expect(parse(near), near).toBe(expectedDay(near));
  });

  it.each([
    ['2020-01-31', '2020-01-31'],
    ['2020/01/31', '2020-01-31'],
    ['2020.01.31', '2020-01-31'],
    ['2020-02-29', '2020-02-29'],
    ['2000-02-29', '2000-02-29'],
    ['2020-07', '2020-07-01'],
    ['2020M07', '2020-07-01'],
    ['2020Q1', '2020-01-01'],
    ['2020-Q4', '2020-10-01'],
    ['2020W01', '2019-12-30'],
    ['2020-W05', '2020-01-27'],
    ['2020-W53', '2020-12-28'],
    ['2021-W01', '2021-01-04'],
    ['2020-01-01T00:00', '2020-01-01'],
    ['2020-01-01T00:00:00', '2020-01-01'],
    ['2020-01-01 00:00:00', '2020-01-01'],
    ['2020-01-01T00:00:00Z', '2020-01-01'],
    ['2020-01-01T00:00:00.000', '2020-01-01'],
    ['2020-01-01T00:00:00.000000Z', '2020-01-01'],
    ['2020-01-01T00:00:00+00:00', '2020-01-01'],
    ['0001-01-01', '0001-01-01'],
    ['9999-12-31', '9999-12-31'],
    ['1066-10-14', '1066-10-14'],
  ])('%s means %s', (text, day) => {
    expect(parse(text)).toBe(day);
  });

  it.each([
    '2021-02-29',
    '1900-02-29',
    '2020-13-01',
    '2020-00-10',
    '2020-01-00',
    '2020-04-31',
    '2020-1-5',
    '2020-01/05',
    '2020x01x05',
    '2020:01:05',
    '20200131',
    '2020',
    '31/01/2020',
    '01-02-2020',
    '2020-13',
    '2020-00',
    '2020Q5',
    '2020Q0',
    '2020M13',
    '2021-W53',
    '2020-W00',
    '2020-W54',
    '0000-01-01',
    '2020-01-01T12:00:00',
    '2020-01-01T00:00:01',
    '2020-01-01T00:00:00.001',
    '2020-01-01T00:00:00+02:00',
    '2020-01-01T00:00:00.',
    '2020-01-01T',
    '2020/01/01T00:00:00',
    '+2020-01-01',
    '2020-01-01 ',
    'abcd-ef-gh',
    '2020/01',
    '14-Mar-14',
  ])('"%s" is not a date', (text) => {
    expect(parse(text)).toBeUndefined();
  });

  it('agree with the calendar in the years 1 to 9999', () => {
    const first = Date.UTC(2000, 0, 1) / 86_400_000 - 730_119;
    fc.assert(
      fc.property(fc.integer({ min: first, max: 2_932_896 }), (day) => {
        const iso = new Date(day * 86_400_000).toISOString().slice(0, 10);
        expect(parse(iso)).toBe(iso);
        const [year = 0, month = 0, date = 0] = iso.split('-').map(Number);
        expect(dayOf(year, month, date)).toBe(day);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are stored as days only from 1900 to 2299', () => {
    expect(dayOf(1900, 1, 1)).toBe(minDate32Day);
    expect(dayOf(2299, 12, 31)).toBe(maxDate32Day);
    expect(encodeColumn('d', ['1900-01-01', '2299-12-31', '', 'NA', '1970-01-01'])).toEqual([
      '1900-01-01',
      '2299-12-31',
      null,
      null,
      '1970-01-01',
    ]);
    expect(encodeColumn('d', ['1899-12-31'])).toEqual({ misfit: '1899-12-31', line: 2 });
    expect(encodeColumn('d', ['2000-01-01', '2300-01-01'])).toEqual({ misfit: '2300-01-01', line: 3 });
  });

  it('are stored as ISO text outside of that range, whatever their form', () => {
    expect(encodeColumn('t', ['1066-10-14', '2020Q2', '', '..', '9999/12/31'])).toEqual([
      '1066-10-14',
      '2020-04-01',
      null,
      null,
      '9999-12-31',
    ]);
    expect(encodeColumn('t', ['1066-10-14', '5'])).toEqual({ misfit: '5', line: 3 });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextTime, parseCron } from '../../../../src/gateway/datasets/cron.js';

const next = (text: string, after: string): string | undefined => {
  const time = nextTime(parseCron(text), Date.parse(after));
  return time === undefined ? undefined : new Date(time).toISOString();
};

describe('the next time of a schedule', () => {
  it.each([
    ['30 6 * * *', '2026-03-15T06:29:59Z', '2026-03-15T06:30:00.000Z'],
    ['30 6 * * *', '2026-03-15T06:30:00Z', '2026-03-16T06:30:00.000Z'],
    ['0 */6 * * *', '2026-03-15T23:00:00Z', '2026-03-16T00:00:00.000Z'],
    ['5 8-10/2 * * *', '2026-03-15T08:05:00Z', '2026-03-15T10:05:00.000Z'],
    ['0 0 1 1,7 *', '2026-03-15T00:00:00Z', '2026-07-01T00:00:00.000Z'],
    ['0 9 * * 1-5', '2026-03-13T09:00:00Z', '2026-03-16T09:00:00.000Z'],
    ['0 9 * * 7', '2026-03-13T09:00:00Z', '2026-03-15T09:00:00.000Z'],
    ['0 0 29 2 *', '2096-03-01T00:00:00Z', '2104-02-29T00:00:00.000Z'],
    // Both days restricted: either is enough.
    ['0 0 20 * 1', '2026-03-15T00:00:00Z', '2026-03-16T00:00:00.000Z'],
    ['0 0 20 * 1', '2026-03-17T00:00:00Z', '2026-03-20T00:00:00.000Z'],
    // A day that begins with a star does not count as restricted: both have to hold.
    ['0 0 */2 * 1', '2026-03-16T00:00:00Z', '2026-03-23T00:00:00.000Z'],
    ['* * 30-31 6 */3', '2026-03-15T00:00:00Z', '2027-06-30T00:00:00.000Z'],
    // Items of a list may overlap, and a number with a step continues to the end of the range.
    ['5-7,6,50/5 9 * * *', '2026-03-15T09:07:00Z', '2026-03-15T09:50:00.000Z'],
    ['0 0 30 2 1', '2026-03-15T00:00:00Z', '2027-02-01T00:00:00.000Z'],
  ])('of %s after %s is %s', (text, after, expected) => {
    expect(next(text, after)).toBe(expected);
  });

  it('is the first matching minute after now', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 59 }),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 0, max: 4_000_000_000_000 }),
        (minute, hour, after) => {
          const time = nextTime(parseCron(`${minute} ${hour} * * *`), after) ?? 0;
          expect(time).toBeGreaterThan(after);
          expect(time - after).toBeLessThanOrEqual(86_400_000);
          expect([new Date(time).getUTCMinutes(), new Date(time).getUTCHours()]).toEqual([minute, hour]);
        },
      ),
    );
  });
});

describe('a schedule', () => {
  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '5-1 * * * *',
    '*/0 * * * *',
    'a * * * *',
    '1,,2 * * * *',
    '-1 * * * *',
    '0 0 30 2 *',
    '@daily',
    '0 0 31 2,4 */2',
    // Extensions of cron-parser that cron does not have, or whose meaning changes from day to day.
    'H H * * *',
    '0 0 L * *',
    '0 9 * * MON',
    '0 0 * * 1#1',
    '0 0 ? * *',
  ])('is refused as %j', (text) => {
    expect(() => parseCron(text)).toThrow(/is not a valid schedule/);
  });

  it.each([
    ['60 * * * *', 'the minute must be from 0 to 59'],
    ['0 9 0 * *', 'the day of month must be from 1 to 31'],
    ['0 9 * JAN *', 'the month cannot be read'],
    ['0 9 30 2 *', 'there is no such day'],
    ['0 9', 'it needs five fields: minute, hour, day, month, weekday'],
  ])('is refused as %s with the reason: %s', (text, why) => {
    expect(() => parseCron(text)).toThrow(`'${text}' is not a valid schedule: ${why}.`);
  });
});

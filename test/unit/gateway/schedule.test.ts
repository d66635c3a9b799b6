import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextRunOf, parseSchedule, retryWaitMs } from '../../../src/gateway/datasets/schedule.js';
import { seriesCsv } from '../../../src/gateway/datasets/series-csv.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describe('the schedule of a refresh', () => {
  it('is normalised', () => {
    expect(parseSchedule(' Daily ')).toBe('daily');
    expect(parseSchedule('30  6 * *   1-5')).toBe('30 6 * * 1-5');
  });

  it.each(['hourly', '', '* * * * *', '*/30 * * * *', '0 25 * * *', 'toString'])(
    'is refused as %j',
    (text) => {
      expect(() => parseSchedule(text)).toThrow();
    },
  );

  it('runs each dataset once per period, always at the same time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), fc.integer({ min: 0, max: 4e12 }), (id, after) => {
        for (const [schedule, period] of [
          ['daily', dayMs],
          ['weekly', 7 * dayMs],
        ] as const) {
          const next = nextRunOf(schedule, id, after) ?? 0;
          expect(next).toBeGreaterThan(after);
          expect(next - after).toBeLessThanOrEqual(period);
          expect(nextRunOf(schedule, id, next)).toBe(next + period);
        }
      }),
    );
  });

  it('spreads daily datasets over the day', () => {
    const hours = Array.from({ length: 2_400 }, (_, id) =>
      Math.floor(((nextRunOf('daily', id, 0) ?? 0) % dayMs) / hourMs),
    );
    const counts = Array.from({ length: 24 }, (_, hour) => hours.filter((one) => one === hour).length);
    // 100 an hour, give or take three standard deviations.
    expect(Math.min(...counts)).toBeGreaterThan(70);
    expect(Math.max(...counts)).toBeLessThan(130);
  });

  it('delays a cron time by less than five minutes and does not run it twice', () => {
    const first = nextRunOf('30 6 * * *', 7, Date.parse('2026-03-15T00:00:00Z')) ?? 0;
    const late = first - Date.parse('2026-03-15T06:30:00Z');
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(5 * 60_000);
    expect(nextRunOf('30 6 * * *', 7, first)).toBe(first + dayMs);
  });
});

describe('after failures', () => {
  it('waits longer each time, up to six hours, and at least as long as the upstream asks', () => {
    expect([1, 2, 3].map((failures) => retryWaitMs(failures, undefined) / 60_000)).toEqual([10, 20, 40]);
    expect(retryWaitMs(50, undefined)).toBe(6 * hourMs);
    expect(retryWaitMs(1, 7_200)).toBe(2 * hourMs);
    expect(retryWaitMs(1, 1)).toBe(600_000);
  });
});

describe('the file of a dataset made of series', () => {
  it('keeps digits, leaves missing values empty and quotes ids', () => {
    const data = [
      { date: '2020-01-01', value: '1.50', flag: 'p "x"' },
      { date: '2020-02-01', value: null },
    ];
    const series = [
      { name: 'A,"b"', data },
      { name: '007', data: [] },
    ];
    expect(seriesCsv(series, false).toString()).toBe(
      'Date,Series,Value\n2020-01-01,"A,""b""",1.50\n2020-02-01,"A,""b""",\n',
    );
    expect(seriesCsv(series, true).toString()).toBe(
      'Date,Series,Value,Flag\n2020-01-01,"A,""b""",1.50,"p ""x"""\n2020-02-01,"A,""b""",,\n',
    );
  });
});

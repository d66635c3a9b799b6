import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, type Question, shareOf } from '../../../src/gateway/limits/decision.js';
import { parseRate, withKeyedRate } from '../../../src/gateway/limits/rate-text.js';
import { endOfBucket, localMidnight, windowsOf } from '../../../src/gateway/limits/window.js';
import { bls } from '../../../src/providers/bls/bls.js';

const at = (text: string): number => Date.parse(text);
const iso = (ms: number): string => new Date(ms).toISOString();

describe('localMidnight', () => {
  it.each([
    ['UTC', '2026-03-10T12:00:00Z', '2026-03-10T00:00:00.000Z'],
    ['America/New_York', '2026-01-10T04:59:59Z', '2026-01-09T05:00:00.000Z'],
    ['America/New_York', '2026-01-10T05:00:00Z', '2026-01-10T05:00:00.000Z'],
    // The clock goes forward on 8 March 2026: that day has 23 hours.
    ['America/New_York', '2026-03-08T12:00:00Z', '2026-03-08T05:00:00.000Z'],
    ['America/New_York', '2026-03-09T12:00:00Z', '2026-03-09T04:00:00.000Z'],
    ['Asia/Kolkata', '2026-03-10T00:00:00Z', '2026-03-09T18:30:00.000Z'],
  ])('of %s at %s is %s', (zone, now, midnight) => {
    expect(iso(localMidnight(zone, at(now)))).toBe(midnight);
  });

  it('of the next day follows after 23, 24 or 25 hours', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: at('2020-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') }),
        fc.constantFrom('America/New_York', 'Europe/Berlin', 'Asia/Tokyo', 'UTC'),
        (now, zone) => {
          const today = localMidnight(zone, now);
          const hours = (localMidnight(zone, now, 1) - today) / 3_600_000;
          expect(today).toBeLessThanOrEqual(now);
          expect(localMidnight(zone, now, 1)).toBeGreaterThan(now);
          expect([23, 24, 25]).toContain(hours);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('windowsOf', () => {
  it('counts every bucket that overlaps the span', () => {
    const now = at('2026-03-10T12:30:45.500Z');
    const [minute, hour, day] = windowsOf({ perMinute: 1, perHour: 2, perDay: 3 }, 'UTC', now);
    expect(iso(minute?.bucket.getTime() ?? 0)).toBe('2026-03-10T12:30:40.000Z');
    expect(now - 60_000 - (minute?.since.getTime() ?? 0)).toBe(9_999);
    expect(iso(hour?.bucket.getTime() ?? 0)).toBe('2026-03-10T12:30:00.000Z');
    expect(iso(day?.since.getTime() ?? 0)).toBe('2026-03-10T00:00:00.000Z');
    expect(iso(endOfBucket('day', day?.bucket ?? new Date(0), 'UTC'))).toBe('2026-03-11T00:00:00.000Z');
  });
});

describe('decide', () => {
  const now = at('2026-03-10T12:00:00Z');
  const question = (more: Partial<Question> = {}): Question => ({
    nowMs: now,
    nextAtMs: 0,
    spacingMs: 500,
    maxWaitMs: 5_000,
    zone: 'UTC',
    windows: windowsOf({ perDay: 25 }, 'UTC', now),
    usage: [],
    user: 'alone',
    ...more,
  });
  const used = (count: number, byAccount: number, accounts: number) => [
    {
      span: 'day' as const,
      used: count,
      usedByAccount: byAccount,
      accounts,
      oldest: new Date('2026-03-10T00:00:00Z'),
    },
  ];

  it('starts now, or when the pace allows', () => {
    expect(decide(question())).toEqual({ granted: true, startMs: now });
    expect(decide(question({ nextAtMs: now + 700 }))).toEqual({ granted: true, startMs: now + 700 });
    expect(decide(question({ nextAtMs: now + 5_001 }))).toMatchObject({
      granted: false,
      reason: 'pace',
      retryAfterMs: 5_001,
    });
  });

  it('reports when an exhausted quota is available again', () => {
    expect(decide(question({ usage: used(25, 1, 3) }))).toEqual({
      granted: false,
      reason: 'quota',
      span: 'day',
      retryAfterMs: 12 * 3_600_000,
    });
    expect(decide(question({ usage: used(24, 1, 3) }))).toMatchObject({ granted: true });
  });

  it('limits an account to its share, but not one with a key of its own', () => {
    // The share of each of two accounts is thirteen.
    expect(decide(question({ usage: used(14, 13, 2), user: 'account' }))).toMatchObject({ reason: 'share' });
    expect(decide(question({ usage: used(24, 1, 2), user: 'account' }))).toMatchObject({ granted: true });
    expect(decide(question({ usage: used(24, 0, 1), user: 'account' }))).toMatchObject({ granted: true });
    expect(decide(question({ usage: used(14, 13, 2) }))).toMatchObject({ granted: true });
  });

  it('gives an account the whole quota while no other account is active', () => {
    for (let byAccount = 0; byAccount < 25; byAccount += 1) {
      expect(
        decide(question({ usage: used(byAccount, byAccount, byAccount === 0 ? 0 : 1), user: 'account' }))
          .granted,
      ).toBe(true);
    }
  });

  it('lets background work use the rest of a daily quota late in the day of the upstream, and half of an hourly quota', () => {
    const ask = (time: string, count = 3) =>
      decide(question({ nowMs: at(time), usage: used(count, 0, 1), user: 'background' }));
    expect(ask('2026-03-10T12:00:00Z')).toEqual({
      granted: false,
      reason: 'background',
      span: 'day',
      retryAfterMs: 11.5 * 3_600_000,
    });
    expect(ask('2026-03-10T23:30:00Z')).toMatchObject({ granted: true });
    expect(ask('2026-03-10T23:30:00Z', 25)).toMatchObject({ reason: 'quota' });
    const hour = windowsOf({ perHour: 60 }, 'UTC', now);
    const usage = (count: number) => [
      {
        ...used(count, 0, 1)[0],
        span: 'hour' as const,
        used: count,
        usedByAccount: 0,
        accounts: 1,
        oldest: new Date(now),
      },
    ];
    expect(decide(question({ windows: hour, usage: usage(29), user: 'background' }))).toMatchObject({
      granted: true,
    });
    expect(decide(question({ windows: hour, usage: usage(30), user: 'background' }))).toMatchObject({
      reason: 'background',
    });
  });

  it('always leaves an account a tenth of the quota, and at least one request', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 1, max: 1_000 }),
        (limit, accounts) => {
          const share = shareOf(limit, accounts);
          expect(share).toBeGreaterThanOrEqual(Math.max(1, limit / 10));
          expect(share).toBeLessThanOrEqual(limit);
          if (accounts === 1) expect(share).toBe(limit);
        },
      ),
    );
  });
});

describe('limits of a paid plan', () => {
  it.each([
    ['75/minute', { perMinute: 75 }],
    ['5/second+500/day', { perSecond: 5, perDay: 500 }],
    [' 0.5/second + 60/hour ', { perSecond: 0.5, perHour: 60 }],
  ])('are read from %j', (text, rate) => {
    expect(parseRate(text)).toEqual(rate);
  });

  it.each(['', '75', '75/week', '0/day', '1.5/day', '-1/day', '5/day+6/day', '5/constructor', '1e3/day'])(
    'are not read from %j',
    (text) => {
      expect(() => parseRate(text)).toThrow(/rate such as|twice/);
    },
  );

  it('replace only the limits for requests with a key', () => {
    const paid = withKeyedRate(bls, '2000/day');
    expect(paid.limits).toEqual({ ...bls.limits, keyed: { perDay: 2_000 } });
    expect(withKeyedRate(bls, undefined)).toBe(bls);
  });
});

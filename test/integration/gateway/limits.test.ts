import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLimiter, type QuotaOwner } from '../../../src/gateway/limits/limiter.js';
import {
  type Admission,
  createUsageRecords,
  type Request,
  type UsageRecords,
} from '../../../src/gateway/limits/usage-records.js';
import { silentTelemetry } from '../../../src/gateway/telemetry.js';
import type { AppError } from '../../../src/lib/errors.js';
import { bankOfCanada } from '../../../src/providers/bank-of-canada.js';
import type { Limits, Rate } from '../../../src/providers/limits.js';
import { openDatabase, type TestDatabase } from './database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const noon = Date.parse('2026-03-10T12:00:00Z');

describe('limits under 1,000 requests from two processes', () => {
  let nowMs = noon;
  let scope = '';
  let processes: [UsageRecords, UsageRecords];
  beforeEach(({ task }) => {
    nowMs = noon;
    scope = task.id;
    const now = () => nowMs;
    processes = [
      createUsageRecords({ sql: database.sql, now }),
      createUsageRecords({ sql: database.other(), now }),
    ];
  });

  const take = (index: number, rate: Rate, more: Partial<Request> = {}): Promise<Admission> =>
    processes[index % 2 === 0 ? 0 : 1].take({
      scope,
      account: `account ${index % 50}`,
      rate,
      zone: 'America/New_York',
      maxWaitMs: 0,
      user: 'alone',
      counted: true,
      ...more,
    });

  /** Takes 1,000 requests in batches of twenty, `stepMs` apart. */
  const takeMany = async (rate: Rate, stepMs: number, more: Partial<Request> = {}): Promise<number[]> => {
    const starts: number[] = [];
    for (let index = 0; index < 1_000; index += 20) {
      const batch = await Promise.all(
        Array.from({ length: 20 }, (_, more_) => take(index + more_, rate, more)),
      );
      starts.push(...batch.flatMap((admission) => (admission.granted ? [nowMs + admission.waitMs] : [])));
      nowMs += stepMs;
    }
    return starts.sort((a, b) => a - b);
  };

  it('grants 25 a day and resets at midnight in the time zone of the upstream', async () => {
    expect(await takeMany({ perDay: 25 }, 60_000)).toHaveLength(25);
    // 03:59 in UTC is still the day before in New York; 04:00 is its midnight (summer time).
    nowMs = Date.parse('2026-03-11T03:59:59Z');
    expect(await take(1, { perDay: 25 })).toMatchObject({
      granted: false,
      reason: 'quota',
      span: 'day',
      retryAfterMs: 1_000,
    });
    nowMs = Date.parse('2026-03-11T04:00:00Z');
    expect(await take(1, { perDay: 25 })).toMatchObject({ granted: true });
  });

  it('grants at most 60 in any hour', async () => {
    const starts = await takeMany({ perHour: 60 }, 240_000);
    for (const start of starts) {
      expect(
        starts.filter((other) => other >= start && other < start + 3_600_000).length,
      ).toBeLessThanOrEqual(60);
    }
    // 200 minutes include at least three full hours and their buckets.
    expect(starts.length).toBeGreaterThanOrEqual(180);
  });

  it('spaces requests evenly at 2 a second', async () => {
    const starts = await takeMany({ perSecond: 2 }, 1_000, { maxWaitMs: 5_000 });
    const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(499);
    expect(starts.length).toBeGreaterThanOrEqual(100);
  });

  it('reserves a share of the quota for other accounts', async () => {
    const ask = (account: string, index = 0) => take(index, { perDay: 25 }, { account, user: 'account' });
    expect(await ask('modest')).toMatchObject({ granted: true });
    const granted = [];
    for (let index = 0; index < 25; index += 1) granted.push((await ask('greedy', index)).granted);
    expect(granted.filter(Boolean)).toHaveLength(13);
    expect(await ask('greedy')).toMatchObject({ reason: 'share' });
    expect(await ask('modest')).toMatchObject({ granted: true });
  });

  it('reports the remaining quota of each account without using it', async () => {
    const requestOf = (account: string, user: Request['user'] = 'account') =>
      ({ scope, account, rate: { perDay: 25 }, zone: 'America/New_York', user }) as const;
    const left = async (account: string, user?: Request['user']) =>
      (await processes[1].remaining(requestOf(account, user))).windows.map((window) => window.left);
    expect(await left('modest')).toEqual([25]);
    for (let index = 0; index < 20; index += 1)
      await take(0, { perDay: 25 }, { account: 'greedy', user: 'account' });
    // The share of each of two is half of 25, rounded up; 5 of the whole remain.
    expect(await left('greedy')).toEqual([5]);
    expect(await left('modest')).toEqual([5]);
    await take(0, { perDay: 25 }, { account: 'modest', user: 'account' });
    expect(await left('greedy')).toEqual([0]);
    expect(await left('modest')).toEqual([4]);
    expect(await left('alone', 'alone')).toEqual([4]);
    const { windows } = await processes[0].remaining(requestOf('modest'));
    expect(windows).toEqual([{ span: 'day', limit: 25, left: 4, nextAt: new Date('2026-03-11T04:00:00Z') }]);
    await processes[0].hold(scope, 60_000);
    expect((await processes[1].remaining(requestOf('modest'))).heldUntil).toEqual(new Date(nowMs + 60_000));
  });

  it('lets a single account use all that is left of a day, despite requests of background jobs', async () => {
    for (const task of ['task:check', 'task:index']) {
      await take(0, { perDay: 25 }, { account: task, user: 'alone' });
    }
    const granted = [];
    for (let index = 0; index < 25; index += 1)
      granted.push((await take(index, { perDay: 25 }, { account: 'only', user: 'account' })).granted);
    expect(granted.filter(Boolean)).toHaveLength(23);
    // Accounts of yesterday do not count on the next day of the upstream.
    nowMs = Date.parse('2026-03-11T12:00:00Z');
    const next = [];
    for (let index = 0; index < 25; index += 1)
      next.push((await take(index, { perDay: 25 }, { account: 'another', user: 'account' })).granted);
    expect(next.filter(Boolean)).toHaveLength(25);
  });

  it('keeps its counts across a restart', async () => {
    for (let index = 0; index < 3; index += 1) await take(index, { perDay: 3 });
    const restarted = createUsageRecords({ sql: database.other(), now: () => nowMs });
    const again = {
      scope,
      account: 'x',
      rate: { perDay: 3 },
      zone: 'America/New_York',
      maxWaitMs: 0,
      user: 'alone' as const,
      counted: true,
    };
    expect(await restarted.take(again)).toMatchObject({ granted: false, reason: 'quota' });
    expect(await restarted.take({ ...again, counted: false })).toMatchObject({ granted: true });
  });

  it('grants no request during a hold', async () => {
    await processes[0].hold(scope, 30_000);
    expect(await take(1, { perSecond: 2 }, { maxWaitMs: 5_000 })).toMatchObject({
      granted: false,
      reason: 'held',
      retryAfterMs: 30_000,
    });
    nowMs += 30_000;
    expect(await take(1, { perSecond: 2 })).toMatchObject({ granted: true, careful: true });
  });

  it('holds for an hour at most, then grants one probe', async () => {
    const decade = 11 * 365 * 86_400_000;
    await processes[0].hold(scope, decade);
    // As after a restart.
    const restarted = createUsageRecords({ sql: database.other(), now: () => nowMs });
    await restarted.hold(scope, decade);
    expect(await take(1, {})).toMatchObject({ reason: 'held', retryAfterMs: 3_600_000 });
    nowMs += 3_600_000;
    const admissions = await Promise.all(Array.from({ length: 10 }, (_, index) => take(index, {})));
    expect(admissions.filter((admission) => admission.granted && admission.careful)).toHaveLength(1);
    expect(admissions.filter((admission) => !admission.granted && admission.reason === 'held')).toHaveLength(
      9,
    );
    // Refused again: one more hour. A probe without an outcome does not block forever.
    await processes[1].hold(scope, decade);
    expect(await take(1, {})).toMatchObject({ reason: 'held', retryAfterMs: 3_600_000 });
    nowMs += 3_600_000;
    expect(await take(1, {})).toMatchObject({ granted: true, careful: true });
    nowMs += 121_000;
    expect(await take(1, {})).toMatchObject({ granted: true, careful: true });
    await processes[0].release(scope);
    expect(await take(1, {})).toMatchObject({ granted: true, careful: false });
    expect(await take(2, {})).toMatchObject({ granted: true, careful: false });
  });

  it('holds a daily limit until midnight in the time zone of the upstream, also on a day of 23 hours', async () => {
    nowMs = Date.parse('2026-03-07T12:00:00-05:00');
    expect(await processes[0].hold(scope, { midnightIn: 'America/New_York' })).toBe(12 * 3_600_000);
    // A later, shorter hold does not shorten it.
    expect(await processes[1].hold(scope, 1_000)).toBe(12 * 3_600_000);
    nowMs = Date.parse('2026-03-08T00:00:00-05:00');
    expect(await take(1, {})).toMatchObject({ granted: true, careful: true });
    // The clock changes on this day, which has 23 hours.
    expect(await processes[0].hold(scope, { midnightIn: 'America/New_York' })).toBe(23 * 3_600_000);
  });

  it('doubles each hold without a given time, up to an hour', async () => {
    const waits: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      // Concurrent refusals count once.
      await Promise.all([processes[0].hold(scope, undefined), processes[1].hold(scope, undefined)]);
      const admission = await take(1, {});
      waits.push(admission.granted ? 0 : admission.retryAfterMs / 1_000);
      nowMs += 3_600_000;
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
  });

  it('lifts the holds of one upstream for all of its keys', async () => {
    await processes[0].hold('lifted/none', 3_600_000);
    await processes[0].hold('lifted/own:abc', 3_600_000);
    await processes[0].hold('lifted2/none', 3_600_000);
    expect([...(await processes[1].lift('lifted'))].sort()).toEqual(['lifted/none', 'lifted/own:abc']);
    scope = 'lifted/none';
    expect(await take(1, {})).toMatchObject({ granted: true, careful: false });
    scope = 'lifted2/none';
    expect(await take(1, {})).toMatchObject({ reason: 'held' });
  });

  it('deletes counts that have expired', async () => {
    await take(0, { perDay: 25 });
    nowMs += 100 * 3_600_000;
    await processes[0].sweep();
    expect(await database.sql.query('SELECT 1 FROM gateway_usage WHERE scope = $1', [scope])).toEqual([]);
  });
});

describe('the limiter', () => {
  const ownerOf = (slug: string, limits: Limits, account = 'one'): QuotaOwner => ({
    provider: { ...bankOfCanada, slug, limits },
    keyScope: 'none',
    account,
  });
  const open = (maxWaitMs: number) =>
    createLimiter({
      usage: createUsageRecords({ sql: database.sql }),
      telemetry: silentTelemetry,
      maxWaitMs,
    });

  const outcomes = async (work: Promise<unknown>[]) => {
    const settled = await Promise.allSettled(work);
    const errors = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as AppError] : []));
    return { done: settled.length - errors.length, errors };
  };

  it('never exceeds the concurrency that the upstream allows', async () => {
    const limiter = open(600_000);
    let running = 0;
    let peak = 0;
    let reachThree = (): void => undefined;
    const threeRunning = new Promise<void>((resolve) => {
      reachThree = resolve;
    });
    const work = async () => {
      running += 1;
      peak = Math.max(peak, running);
      if (running === 3) reachThree();
      await threeRunning;
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
    };
    await Promise.all(
      Array.from({ length: 30 }, () =>
        limiter.run(ownerOf('many', { maxConcurrent: 3 }), { counted: true }, work),
      ),
    );
    expect(peak).toBe(3);
  });

  it('sends another probe after a hold if the first one was not sent', async () => {
    const limiter = open(60_000);
    const owner = ownerOf('probed', { maxConcurrent: 1 });
    await limiter.hold(owner, 60_000);
    await database.sql.query(`UPDATE gateway_holds SET until = now() WHERE scope = 'probed/none'`);
    const probe = (send: (careful: boolean) => Promise<boolean>) =>
      limiter.run(owner, { counted: true }, send);
    await probe(async (careful) => {
      await limiter.withdraw(owner);
      return careful;
    });
    expect(await probe(async (careful) => careful)).toBe(true);
    // The outcome of that one is not known, so no other one is sent.
    await expect(probe(async (careful) => careful)).rejects.toMatchObject({ details: { reason: 'held' } });
  });

  it('refuses at once or after the maximum wait, naming the provider, and never sends a refused request', async () => {
    const limiter = open(2_000);
    const owner = ownerOf('slow', { maxConcurrent: 1, anonymous: { perSecond: 1.5 } });
    let sent = 0;
    const refusals: AppError[] = [];
    let release = (): void => undefined;
    const first = limiter.run(owner, { counted: true }, () => {
      sent += 1;
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    await expect.poll(() => sent).toBe(1);
    const others: Promise<void>[] = [];
    // Three are queued for two seconds; a request that would wait longer is refused immediately, with the longer time.
    do {
      const other = limiter.run(owner, { counted: true }, async () => {
        sent += 1;
      });
      other.catch((error: AppError) => refusals.push(error));
      others.push(other);
      await new Promise((resolve) => setTimeout(resolve, 1));
    } while (!refusals.some(({ retryAfterSeconds = 0 }) => retryAfterSeconds > 2));
    const { done, errors } = await outcomes(others);
    expect(done).toBe(0);
    expect(errors.filter(({ retryAfterSeconds }) => retryAfterSeconds === 2).length).toBeGreaterThanOrEqual(
      3,
    );
    for (const error of errors) {
      expect(error).toMatchObject({
        kind: 'rate_limited',
        message: expect.stringContaining(bankOfCanada.name),
      });
    }
    // The only permit is released; cancelled requests stay cancelled.
    release();
    await first;
    const outcome = () =>
      limiter.run(owner, { counted: true }, async () => 'sent').catch(({ code }: AppError) => code);
    await expect.poll(outcome).toBe('sent');
    expect(sent).toBe(1);
  });

  it('serves another account before the long queue of one account is empty', async () => {
    const limiter = open(600_000);
    const order: string[] = [];
    let release = (): void => undefined;
    const queued = new Promise<void>((resolve) => {
      release = resolve;
    });
    const run = (account: string) =>
      limiter.run(ownerOf('fair', { maxConcurrent: 1 }, account), { counted: true }, async () => {
        order.push(account);
        // The first one holds the only permit until all others are queued.
        await queued;
      });
    const runs = [...Array.from({ length: 20 }, () => run('greedy')), run('modest')];
    await expect.poll(() => order).toEqual(['greedy']);
    release();
    await Promise.all(runs);
    // Ten requests of the greedy account have priority.
    expect(order.indexOf('modest')).toBeLessThan(15);
  });

  it('drops idle limiters', async () => {
    let nowMs = 0;
    const limiter = createLimiter({
      usage: createUsageRecords({ sql: database.sql }),
      telemetry: silentTelemetry,
      maxWaitMs: 1_000,
      idleMs: 1_000,
      now: () => nowMs,
    });
    await limiter.run(ownerOf('a', { maxConcurrent: 1 }), { counted: true }, async () => undefined);
    nowMs = 5_000;
    await limiter.run(ownerOf('b', { maxConcurrent: 1 }), { counted: true }, async () => undefined);
    expect(limiter.size).toBe(1);
  });
});

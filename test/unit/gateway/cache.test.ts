import { describe, expect, it } from 'vitest';
import { cacheKey, createCache, type Fetched } from '../../../src/gateway/cache/cache.js';
import type { CacheRecords, Kept } from '../../../src/gateway/cache/cache-records.js';
import { silentTelemetry } from '../../../src/gateway/telemetry.js';
import type { Leases } from '../../../src/jobs/leases.js';
import { AppError } from '../../../src/lib/errors.js';
import { silentLog } from '../../../src/lib/log.js';

const hour = 3_600_000;

const never = new AbortController().signal;
/** Leases of a single process. */
const alone: Leases = { whileHeld: (_name, _key, work) => work(never) };

const open = (records: Partial<CacheRecords> = {}) => {
  const stored = new Map<string, Kept>();
  const clock = { nowMs: 1_000_000 };
  const cache = createCache({
    records: {
      get: async (key) => stored.get(key),
      set: async (key, _provider, kept) => {
        stored.set(key, kept);
      },
      trim: async () => undefined,
      ...records,
    },
    memoryBytes: 1_000_000,
    leases: alone,
    maxLeaseWaitMs: 1_000,
    telemetry: silentTelemetry,
    log: silentLog,
    now: () => clock.nowMs,
    staleMs: 10 * hour,
  });
  return { cache, clock, stored };
};

const question = (parts: readonly unknown[], audience = 'shared') => ({
  provider: 'p',
  audience,
  parts,
  validSeconds: 3_600,
});
const down = new AppError('upstream', 'upstream_failed', 'down');

describe('the cache', () => {
  it('asks once for equal questions at the same time, and again after a failure', async () => {
    const { cache } = open();
    let asked = 0;
    const ask = async (): Promise<Fetched> => {
      asked += 1;
      if (asked === 1) throw down;
      return { body: 'answer' };
    };
    const failures = await Promise.allSettled([
      cache.answer(question(['a']), ask),
      cache.answer(question(['a']), ask),
    ]);
    expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked).toBe(1);
    expect((await cache.answer(question(['a']), ask)).body).toBe('answer');
  });

  it('keeps audiences and arguments apart', async () => {
    const { cache } = open();
    const answer = async (parts: readonly unknown[], audience: string, body: string) =>
      (await cache.answer(question(parts, audience), async () => ({ body }))).body;
    expect(await answer(['a', 'b'], 'shared', '1')).toBe('1');
    expect(await answer(['a', 'b'], 'account 7', '2')).toBe('2');
    expect(await answer(['a,b'], 'shared', '3')).toBe('3');
    expect(await answer([['a', 'b']], 'shared', '4')).toBe('4');
    expect(await answer(['a', 'b'], 'shared', '5')).toBe('1');
  });

  it.each([
    ['upstream_failed', true],
    ['upstream_timeout', true],
    ['upstream_circuit_open', true],
    ['unexpected_reply', false],
    ['upstream_rate_limited', false],
    ['upstream_key_refused', false],
    ['series_not_found', false],
  ])('after %s an old answer is served: %s', async (code, served) => {
    const { cache, clock } = open();
    await cache.answer(question(['a']), async () => ({ body: 'old' }));
    clock.nowMs += 2 * hour;
    const again = cache.answer(question(['a']), async () => {
      throw new AppError('upstream', code, code);
    });
    if (served) expect(await again).toEqual({ body: 'old', ageSeconds: 7_200, stale: true });
    else await expect(again).rejects.toMatchObject({ code });
  });

  it('believes for five minutes that there is no such thing', async () => {
    const { cache, clock } = open();
    let asked = 0;
    const ask = () =>
      cache.answer(question(['a']), async () => {
        asked += 1;
        throw new AppError('not_found', 'series_not_found', 'none');
      });
    await expect(ask()).rejects.toMatchObject({ kind: 'not_found' });
    await expect(ask()).rejects.toMatchObject({ kind: 'not_found' });
    expect(asked).toBe(1);
    clock.nowMs += 300_001;
    await expect(ask()).rejects.toMatchObject({ kind: 'not_found' });
    expect(asked).toBe(2);
  });

  it('does not serve an answer beyond its time as stale', async () => {
    const { cache, clock } = open();
    await cache.answer(question(['a']), async () => ({ body: 'old' }));
    clock.nowMs += 11 * hour;
    await expect(
      cache.answer(question(['a']), async () => {
        throw down;
      }),
    ).rejects.toBe(down);
  });

  it('stores nothing that is made only of stale answers, and shortens the lifetime if some are stale', async () => {
    const { cache, clock, stored } = open();
    const old = await cache.answer(question(['a']), async () => ({ body: 'old', staleSeconds: 9_000 }));
    expect([old, stored.size]).toEqual([{ body: 'old', ageSeconds: 9_000, stale: true }, 0]);
    await cache.answer(question(['a']), async () => ({ body: 'mixed', validSeconds: 300 }));
    clock.nowMs += 299_000;
    expect((await cache.answer(question(['a']), async () => ({ body: 'new' }))).body).toBe('mixed');
    clock.nowMs += 2_000;
    expect((await cache.answer(question(['a']), async () => ({ body: 'new' }))).body).toBe('new');
  });

  it('answers although it cannot keep', async () => {
    const { cache } = open({
      set: async () => {
        throw new Error('disk full');
      },
    });
    expect((await cache.answer(question(['a']), async () => ({ body: 'answer' }))).body).toBe('answer');
  });
});

describe('leases among processes', () => {
  const openTwo = (maxLeaseWaitMs = 5_000) => {
    const stored = new Map<string, Kept>();
    const held = new Set<string | number>();
    const leases: Leases = {
      async whileHeld(_name, key, work) {
        if (held.has(key)) return undefined;
        held.add(key);
        try {
          return await work(never);
        } finally {
          held.delete(key);
        }
      },
    };
    const openOne = () =>
      createCache({
        records: {
          get: async (key) => stored.get(key),
          set: async (key, _provider, kept) => {
            stored.set(key, kept);
          },
          trim: async () => undefined,
        },
        memoryBytes: 1_000_000,
        leases,
        maxLeaseWaitMs,
        telemetry: silentTelemetry,
        log: silentLog,
        now: () => 1_000_000,
        staleMs: hour,
      });
    return { one: openOne(), two: openOne(), held };
  };

  it('one asks, the other takes its answer', async () => {
    const { one, two, held } = openTwo();
    let asked = 0;
    const ask = async (): Promise<Fetched> => {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 120));
      return { body: `answer ${asked}` };
    };
    const answers = await Promise.all([
      one.answer(question(['a']), ask),
      two.answer(question(['a']), ask),
      two.answer(question(['a']), ask),
    ]);
    expect(answers.map(({ body }) => body)).toEqual(['answer 1', 'answer 1', 'answer 1']);
    expect([asked, held.size]).toEqual([1, 0]);
  });

  it('the other asks when the first one fails', async () => {
    const { one, two, held } = openTwo();
    const first = one.answer(question(['a']), async () => {
      await new Promise((resolve) => setTimeout(resolve, 80));
      throw down;
    });
    const second = two.answer(question(['a']), async () => ({ body: 'answer' }));
    await expect(first).rejects.toBe(down);
    expect((await second).body).toBe('answer');
    expect(held.size).toBe(0);
  });

  it('no caller waits for a lease longer than allowed', async () => {
    const { two, held } = openTwo(100);
    held.add(cacheKey(question(['a'])));
    expect((await two.answer(question(['a']), async () => ({ body: 'answer' }))).body).toBe('answer');
    // The lease of the other one stays its own.
    expect(held.size).toBe(1);
  });
});

describe('answers in memory', () => {
  it('are read without the database, except those that would push out all others', async () => {
    const read: string[] = [];
    const stored = new Map<string, Kept>();
    const { cache } = open({
      get: async (key) => {
        read.push(key);
        return stored.get(key);
      },
      set: async (key, _provider, kept) => void stored.set(key, kept),
    });
    const [small, giant] = [question(['small']), question(['giant'])];
    await cache.answer(small, async () => ({ body: 'x'.repeat(1_000) }));
    await cache.answer(giant, async () => ({ body: 'x'.repeat(400_000) }));
    read.length = 0;
    expect((await cache.peek(small))?.body).toHaveLength(1_000);
    expect((await cache.peek(giant))?.body).toHaveLength(400_000);
    expect(read).toEqual([cacheKey(giant)]);
  });
});

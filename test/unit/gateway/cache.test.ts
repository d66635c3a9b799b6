import { describe, expect, it } from 'vitest';
import { cacheKey, createCache, type Fetched } from '../../../src/gateway/cache/cache.js';
import type { CacheRecords, Kept } from '../../../src/gateway/cache/cache-records.js';
import { silentTelemetry } from '../../../src/gateway/telemetry.js';
import type { Leases } from '../../../src/jobs/leases.js';
import { AppError } from '../../../src/lib/errors.js';
import { silentLog } from '../../../src/lib/log.js';

const hour = 3_600_000;

const never = new AbortController().signal;
/** Leases of a single process, which are always free. */
const freeLeases: Leases = { whileHeld: (_name, _key, work) => work(never) };

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
    leases: freeLeases,
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
  it('calls the upstream once for concurrent equal questions, and again after a failure', async () => {
    const { cache } = open();
    let upstreamCalls = 0;
    const ask = async (): Promise<Fetched> => {
      upstreamCalls += 1;
      if (upstreamCalls === 1) throw down;
      return { body: 'answer' };
    };
    const failures = await Promise.allSettled([
      cache.answer(question(['a']), ask),
      cache.answer(question(['a']), ask),
    ]);
    expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(upstreamCalls).toBe(1);
    expect((await cache.answer(question(['a']), ask)).body).toBe('answer');
  });

  it.each(['upstream_key_refused', 'upstream_key_required', 'upstream_rate_limited'])(
    'asks again for a caller who waited for another one with %s',
    async (code) => {
      const { cache } = open();
      const refused = cache.answer(question(['a']), async () => {
        throw new AppError('invalid', code, 'of the first caller');
      });
      const own = Array.from({ length: 3 }, (_, at) =>
        cache.answer(question(['a']), async () => ({ body: `by ${at}` })),
      );
      await expect(refused).rejects.toMatchObject({ code });
      expect((await Promise.all(own)).map(({ body }) => body)).toEqual(['by 0', 'by 0', 'by 0']);
    },
  );

  it('passes on such an error after three of them', async () => {
    const { cache } = open();
    let calls = 0;
    const refused = async (): Promise<Fetched> => {
      calls += 1;
      throw new AppError('rate_limited', 'upstream_rate_limited', 'used up');
    };
    const failures = await Promise.allSettled(
      Array.from({ length: 50 }, () => cache.answer(question(['a']), refused)),
    );
    expect(failures.every(({ status }) => status === 'rejected')).toBe(true);
    expect(calls).toBe(3);
  });

  it('stores an answer as of its oldest data, with the rest of the validity', async () => {
    const { cache, clock } = open();
    const load = async (): Promise<Fetched> => ({ body: 'old', ageSeconds: 3_000 });
    expect(await cache.answer(question(['a']), load)).toMatchObject({ ageSeconds: 3_000, stale: false });
    clock.nowMs += 599_000;
    expect(await cache.peek(question(['a']))).toMatchObject({ ageSeconds: 3_599 });
    clock.nowMs += 1_000;
    expect(await cache.peek(question(['a']))).toBeUndefined();
  });

  it('separates audiences and arguments', async () => {
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
  ])('serves a stale answer after %s: %s', async (code, served) => {
    const { cache, clock } = open();
    await cache.answer(question(['a']), async () => ({ body: 'old' }));
    clock.nowMs += 2 * hour;
    const second = cache.answer(question(['a']), async () => {
      throw new AppError('upstream', code, code);
    });
    if (served) expect(await second).toEqual({ body: 'old', ageSeconds: 7_200, stale: true });
    else await expect(second).rejects.toMatchObject({ code });
  });

  it('caches a not_found error for five minutes', async () => {
    const { cache, clock } = open();
    let upstreamCalls = 0;
    const ask = () =>
      cache.answer(question(['a']), async () => {
        upstreamCalls += 1;
        throw new AppError('not_found', 'series_not_found', 'none');
      });
    await expect(ask()).rejects.toMatchObject({ kind: 'not_found' });
    await expect(ask()).rejects.toMatchObject({ kind: 'not_found' });
    expect(upstreamCalls).toBe(1);
    clock.nowMs += 300_001;
    await expect(ask()).rejects.toMatchObject({ kind: 'not_found' });
    expect(upstreamCalls).toBe(2);
  });

  it('does not serve an answer older than the stale limit', async () => {
    const { cache, clock } = open();
    await cache.answer(question(['a']), async () => ({ body: 'old' }));
    clock.nowMs += 11 * hour;
    await expect(
      cache.answer(question(['a']), async () => {
        throw down;
      }),
    ).rejects.toBe(down);
  });

  it('does not store an answer made of stale ones, and stores others for their own lifetime', async () => {
    const { cache, clock, stored } = open();
    const old = await cache.answer(question(['a']), async () => ({ body: 'old', staleSeconds: 9_000 }));
    expect([old, stored.size]).toEqual([{ body: 'old', ageSeconds: 9_000, stale: true }, 0]);
    await cache.answer(question(['a']), async () => ({ body: 'mixed', validSeconds: 300 }));
    clock.nowMs += 299_000;
    expect((await cache.answer(question(['a']), async () => ({ body: 'new' }))).body).toBe('mixed');
    clock.nowMs += 2_000;
    expect((await cache.answer(question(['a']), async () => ({ body: 'new' }))).body).toBe('new');
  });

  it('returns an answer that it cannot store', async () => {
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

  it('let one process call the upstream, and the others use its answer', async () => {
    const { one, two, held } = openTwo();
    let upstreamCalls = 0;
    const ask = async (): Promise<Fetched> => {
      upstreamCalls += 1;
      await new Promise((resolve) => setTimeout(resolve, 120));
      return { body: `answer ${upstreamCalls}` };
    };
    const answers = await Promise.all([
      one.answer(question(['a']), ask),
      two.answer(question(['a']), ask),
      two.answer(question(['a']), ask),
    ]);
    expect(answers.map(({ body }) => body)).toEqual(['answer 1', 'answer 1', 'answer 1']);
    expect([upstreamCalls, held.size]).toEqual([1, 0]);
  });

  it('let another process call the upstream if the first one fails', async () => {
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

  it('are waited for no longer than the limit', async () => {
    const { two, held } = openTwo(100);
    held.add(cacheKey(question(['a'])));
    expect((await two.answer(question(['a']), async () => ({ body: 'answer' }))).body).toBe('answer');
    // The lease stays with its holder.
    expect(held.size).toBe(1);
  });
});

describe('answers in memory', () => {
  it('are read without the database, except those too large to be cached', async () => {
    const databaseReads: string[] = [];
    const stored = new Map<string, Kept>();
    const { cache } = open({
      get: async (key) => {
        databaseReads.push(key);
        return stored.get(key);
      },
      set: async (key, _provider, kept) => void stored.set(key, kept),
    });
    const [small, giant] = [question(['small']), question(['giant'])];
    await cache.answer(small, async () => ({ body: 'x'.repeat(1_000) }));
    await cache.answer(giant, async () => ({ body: 'x'.repeat(400_000) }));
    databaseReads.length = 0;
    expect((await cache.peek(small))?.body).toHaveLength(1_000);
    expect((await cache.peek(giant))?.body).toHaveLength(400_000);
    expect(databaseReads).toEqual([cacheKey(giant)]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Limiter, QuotaOwner } from '../../../src/gateway/limits/limiter.js';
import { silentTelemetry } from '../../../src/gateway/telemetry.js';
import { createAttempts } from '../../../src/gateway/upstream/attempts.js';
import { createBreaker } from '../../../src/gateway/upstream/breaker.js';
import { createRetryBudget } from '../../../src/gateway/upstream/retry.js';
import { bankOfCanada } from '../../../src/providers/bank-of-canada.js';
import { rateLimited } from '../../../src/providers/errors.js';

const ownerOf = (account: string): QuotaOwner => ({
  provider: { ...bankOfCanada, limits: { maxConcurrent: 1, anonymous: { perSecond: 1 } } },
  keyScope: 'none',
  account,
});

describe('the requests of an operation', () => {
  const open = (run: Limiter['run']) => {
    const owner = ownerOf('one');
    return createAttempts({
      access: {
        limiter: { run, hold: async () => 0, release: async () => undefined, size: 0 },
        breaker: createBreaker(() => 0),
        budget: createRetryBudget(),
        telemetry: silentTelemetry,
        now: () => 1_000,
        retries: 0,
        firstRetryWaitMs: 0,
        maxHoldMs: 0,
      },
      provider: owner.provider,
      owner,
      subject: 'x',
      deadlineMs: 61_000,
      prepare: () => async () => ({
        status: 200,
        reply: { status: 200, text: '', header: () => undefined },
      }),
    });
  };
  const sendThree = (attempts: ReturnType<typeof open>) =>
    Promise.allSettled(['a', 'b', 'c'].map((path) => attempts.send({ path: [path] }, 61_000)));

  it('wait until its deadline, except for the first one', async () => {
    const waits: (number | undefined)[] = [];
    const attempts = open(async (_owner, { mayWaitMs }, send) => {
      waits.push(mayWaitMs);
      return send(false);
    });
    const sent = await sendThree(attempts);
    expect(sent.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    expect(waits).toEqual([undefined, 60_000, 60_000]);
  });

  it('are not queued if the first one is refused, and begin again later', async () => {
    const waits: (number | undefined)[] = [];
    const attempts = open(async (_owner, { mayWaitMs }) => {
      waits.push(mayWaitMs);
      throw rateLimited(bankOfCanada);
    });
    const sent = await sendThree(attempts);
    expect(sent.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await sendThree(attempts);
    expect(waits).toEqual([undefined, undefined]);
  });
});

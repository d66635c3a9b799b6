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
  let withdrawn = 0;
  const open = (run: Limiter['run'], untilPass = () => undefined) => {
    const owner = ownerOf('one');
    return createAttempts({
      access: {
        limiter: {
          run,
          hold: async () => 0,
          release: async () => undefined,
          withdraw: async () => {
            withdrawn += 1;
          },
          size: 0,
        },
        breaker: { ...createBreaker(() => 0), pass: untilPass },
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

  it('withdraw the first one after a hold if it is not sent, and only that', async () => {
    const refuse = (): undefined => {
      throw new Error('circuit open');
    };
    for (const [careful, pass] of [
      [true, refuse],
      [false, refuse],
      [true, undefined],
    ] as const)
      await Promise.allSettled([
        open((_owner, _options, send) => send(careful), pass).send({ path: ['a'] }, 61_000),
      ]);
    expect(withdrawn).toBe(1);
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

import { setTimeout as sleep } from 'node:timers/promises';
import { type AppError, isAppError } from '../../lib/errors.js';
import { errorOf, isDailyLimit } from '../../providers/errors.js';
import type { Provider, UpstreamReply, UpstreamRequest } from '../../providers/provider.js';
import { type HoldLength, type Limiter, type QuotaOwner, scopeOf } from '../limits/limiter.js';
import type { Telemetry } from '../telemetry.js';
import type { Breaker } from './breaker.js';
import type { Outcome, PrepareRequest } from './client.js';
import { copyOf, mayRetry } from './error-mapping.js';
import { AttemptError, longestRetryWaitMs, type RetryBudget, repeat } from './retry.js';

/** Parts that the requests of all operations share. */
export interface AttemptsAccess {
  readonly limiter: Limiter;
  readonly breaker: Breaker;
  readonly budget: RetryBudget;
  readonly telemetry: Telemetry;
  readonly now: () => number;
  /** Retries after the first attempt. */
  readonly retries: number;
  readonly firstRetryWaitMs: number;
  /** Longest hold that an upstream may request. A daily limit is held until its midnight regardless. */
  readonly maxHoldMs: number;
}

export interface AttemptsOptions {
  readonly access: AttemptsAccess;
  readonly provider: Provider;
  readonly owner: QuotaOwner;
  /** Series or path of the operation; undefined: each request has its own. */
  readonly subject: string | undefined;
  /** Deadline of the operation; infinite for a listing. */
  readonly deadlineMs: number;
  readonly prepare: PrepareRequest;
}

type Prepared = ReturnType<PrepareRequest>;

/** The requests of one operation, each with its turn, quota, circuit, holds and retries. */
export interface Attempts {
  send(request: UpstreamRequest, untilMs: number): Promise<UpstreamReply>;
}

export const deadlinePassed = (provider: Provider): AppError => {
  const text = `${provider.name} took too long; narrow the date range or try again later.`;
  return errorOf(provider, 'timeout', 'operation_timeout', text);
};

export const timeLeft = (provider: Provider, untilMs: number, nowMs: number): number => {
  if (untilMs <= nowMs) throw deadlinePassed(provider);
  return untilMs - nowMs;
};

/** Upstreams with a handful of requests per day get no retries. */
const retriesFor = ({ limits }: Provider, owner: QuotaOwner, retries: number): number => {
  const perDay = (owner.keyScope === 'none' ? limits.anonymous : limits.keyed)?.perDay;
  return perDay !== undefined && perDay <= 100 ? Math.min(1, retries) : retries;
};

const breakerOutcome = ({ error, status }: Outcome): 'ok' | 'down' | 'refused' => {
  if (error === undefined) return 'ok';
  return mayRetry(status, error) ? 'down' : 'refused';
};

export const createAttempts = (options: AttemptsOptions): Attempts => {
  const { access, provider, owner, subject, deadlineMs, prepare } = options;
  const { limiter, breaker, budget, telemetry, now } = access;
  const scope = scopeOf(owner);
  /**
   * Settles when the first request of the operation has its turn. Only that one is refused if the queue is long: the others wait for it, and
   * then until the deadline, since an operation that has begun must not fail for its last request.
   */
  let begun: Promise<void> | undefined;

  /** How long the upstream is not called after this refusal. */
  const holdLengthOf = (error: AppError): HoldLength => {
    const retryAfterMs = error.retryAfterSeconds === undefined ? undefined : error.retryAfterSeconds * 1000;
    const exact = retryAfterMs !== undefined && retryAfterMs <= access.maxHoldMs;
    return isDailyLimit(error) && !exact ? 'untilMidnight' : retryAfterMs;
  };

  /** The same outcome; the wait that a failure names is at most as long as a hold. */
  const withinHold = (outcome: Outcome): Outcome => {
    const { error } = outcome;
    const retryAfterSeconds = Math.min(error?.retryAfterSeconds ?? 0, access.maxHoldMs / 1000);
    if (error === undefined || retryAfterSeconds === 0) return outcome;
    return { ...outcome, error: copyOf(error, { cause: error.cause, retryAfterSeconds }) };
  };

  /** Holds the upstream. The error then gives the real length of the hold, which can differ from the upstream's Retry-After. */
  const hold = async (error: AppError): Promise<AppError> => {
    const heldMs = await limiter.hold(owner, holdLengthOf(error));
    const retryAfterSeconds = Math.max(1, Math.ceil(heldMs / 1000));
    return copyOf(error, { cause: error.cause, retryAfterSeconds });
  };

  /** Makes the last checks. If they refuse the first request after a hold, the next one takes its place. */
  const beforeSending = async <T>(careful: boolean, check: () => T): Promise<T> => {
    try {
      return check();
    } catch (error) {
      if (careful) await limiter.withdraw(owner);
      throw error;
    }
  };

  const sendOnce = async (
    request: UpstreamRequest,
    prepared: Prepared,
    untilMs: number,
    careful: boolean,
  ): Promise<Outcome> => {
    const timeoutMs = await beforeSending(careful, () => {
      const leftMs = timeLeft(provider, untilMs, now());
      breaker.pass(provider, scope, request.base);
      return Math.min(request.timeoutMs ?? provider.timeoutMs, leftMs);
    });
    const startedAt = now();
    const outcome = await prepared(timeoutMs);
    telemetry.upstreamCall(provider.slug, outcome.error?.kind ?? 'ok', (now() - startedAt) / 1000);
    breaker.record(provider, scope, breakerOutcome(outcome), request.base);
    if (outcome.error?.kind === 'rate_limited') return { ...outcome, error: await hold(outcome.error) };
    if (careful) await limiter.release(owner);
    return withinHold(outcome);
  };

  const inTurn = async (counted: boolean, work: (careful: boolean) => Promise<Outcome>): Promise<Outcome> => {
    if (begun !== undefined) {
      await begun;
      const mayWaitMs = deadlineMs === Number.POSITIVE_INFINITY ? undefined : deadlineMs - now();
      return limiter.run(owner, { counted, mayWaitMs }, work);
    }
    let [begin, refuse] = [(): void => undefined, (_: unknown): void => undefined];
    begun = new Promise<void>((resolve, reject) => {
      [begin, refuse] = [resolve, reject];
    });
    // Nobody may be waiting for it.
    begun.catch(() => {
      begun = undefined;
    });
    try {
      return await limiter.run(owner, { counted }, (careful) => {
        begin();
        return work(careful);
      });
    } catch (error) {
      refuse(error);
      throw error;
    }
  };

  const attempt = async (request: UpstreamRequest, prepared: Prepared, untilMs: number): Promise<Outcome> => {
    timeLeft(provider, untilMs, now());
    breaker.check(provider, scope, request.base);
    return inTurn(request.counted ?? true, (careful) => sendOnce(request, prepared, untilMs, careful));
  };

  return {
    async send(request, untilMs) {
      // A request that cannot be built takes no turn, and says nothing about the upstream.
      const prepared = prepare(request);
      budget.earn(provider.slug);
      let failed: { readonly error: AppError; readonly isDown: boolean; readonly waitMs: number } | undefined;
      const tryOnce = async (): Promise<UpstreamReply> => {
        if (failed !== undefined) await sleep(failed.waitMs);
        const outcome = await attempt(request, prepared, untilMs);
        if (outcome.reply !== undefined) return outcome.reply;
        const isLate = now() >= untilMs;
        const error = (isLate ? undefined : outcome.error) ?? deadlinePassed(provider);
        const waitMs = 1000 * (error.retryAfterSeconds ?? 0);
        failed = { error, isDown: breakerOutcome(outcome) === 'down', waitMs };
        const isSoon = waitMs <= longestRetryWaitMs && now() + waitMs < untilMs;
        throw new AttemptError(error, isSoon && failed.isDown);
      };
      try {
        return await repeat(tryOnce, {
          retries: retriesFor(provider, owner, access.retries),
          firstWaitMs: access.firstRetryWaitMs,
          allowed: () => untilMs > now() && budget.spend(provider.slug),
        });
      } catch (error) {
        if (failed?.isDown === true)
          breaker.fail(provider, subject ?? JSON.stringify([request.path, request.query]), request.base);
        // The circuit was opened between two attempts: the error of the upstream says more.
        const isOpen = isAppError(error) && error.code === 'upstream_circuit_open';
        throw isOpen && failed !== undefined ? failed.error : error;
      }
    },
  };
};

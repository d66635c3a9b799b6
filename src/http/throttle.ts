import { setTimeout as sleep } from 'node:timers/promises';
import { createCache } from '../lib/cache.js';
import { AppError } from '../lib/errors.js';

/**
 * Slows down addresses whose credentials are refused repeatedly. Only refusals wait, one after another. A request with a valid key from the
 * same address is answered at once, so no client locks out others behind the same proxy.
 */
export interface FailureThrottle {
  /**
   * Counts a refusal and waits for the delay of this address.
   * @returns seconds after which another attempt would not wait; undefined for an address with few failures
   * @throws AppError 429 at once if too many refusals of this address wait already.
   */
  refused(address: string, signal: AbortSignal): Promise<number | undefined>;
}

interface AddressRecord {
  failures: number;
  lastAt: number;
  /** Time at which the previous refusal is answered. */
  freeAt: number;
}

interface FailureThrottleOptions {
  readonly now?: () => number;
  /** Refusals without a delay. @default 10 */
  readonly free?: number;
  /** Longest delay of a refusal after the previous one; 0: no delays */
  readonly maxDelayMs: number;
  /** Milliseconds without a refusal after which an address starts from zero. @default 60000 */
  readonly forgetMs?: number;
  /** Waits before a refusal, in milliseconds; rejects when the signal is aborted. @default a timer */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Refusals with the longest delay that may wait one after another. */
const maxWaiting = 5;
/** Addresses in memory; beyond that the oldest are removed. */
const maxAddresses = 10_000;

const byTimer = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal });

const inSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000));

const tooMany = (waitMs: number): AppError =>
  new AppError(
    'rate_limited',
    'too_many_failures',
    'Too many requests from this address had invalid credentials; requests with a valid key are still answered.',
    { retryAfterSeconds: inSeconds(waitMs) },
  );

export const createFailureThrottle = (options: FailureThrottleOptions): FailureThrottle => {
  const { now: time = Date.now, free = 10, maxDelayMs, forgetMs = 60_000, wait = byTimer } = options;
  const addresses = createCache<AddressRecord>({ limit: maxAddresses, weigh: () => 1 });

  const touch = (address: string, now: number): AddressRecord => {
    const known = addresses.get(address);
    const fresh = known !== undefined && now - known.lastAt < forgetMs;
    const entry = fresh ? known : { failures: 0, lastAt: now, freeAt: now };
    entry.failures += 1;
    entry.lastAt = now;
    addresses.set(address, entry);
    return entry;
  };

  return {
    async refused(address, signal) {
      const now = time();
      const entry = touch(address, now);
      const over = entry.failures - free;
      if (over <= 0 || maxDelayMs === 0) return undefined;
      const delayMs = Math.min(maxDelayMs, 50 * 2 ** Math.min(over, 10));
      const until = Math.max(now, entry.freeAt) + delayMs;
      if (until - now > maxWaiting * maxDelayMs) throw tooMany(entry.freeAt - now);
      entry.freeAt = until;
      await wait(until - now, signal);
      return inSeconds(delayMs);
    },
  };
};

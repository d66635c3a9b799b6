import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../lib/clock.js';

/**
 * Slows down addresses whose credentials are refused again and again. Only refusals wait: a request with a
 * valid key from the same address is answered at once, so nobody locks out others behind the same proxy.
 */
export interface FailureThrottle {
  /** Notes a refusal and waits as long as this address has to, at most `maxDelayMs`. */
  refused(address: string, signal: AbortSignal): Promise<void>;
}

interface AddressRecord {
  failures: number;
  waiting: number;
  lastAt: number;
}

export interface FailureThrottleOptions {
  readonly clock: Clock;
  /** Refusals that cost nothing. @default 10 */
  readonly free?: number;
  /** 0 switches it off. @default 2000 */
  readonly maxDelayMs?: number;
  /** Milliseconds without a refusal after which an address starts anew. @default 60000 */
  readonly forgetMs?: number;
}

/** Refusals of one address that may wait at a time; further ones are answered at once. */
const maxWaiting = 50;
/** Addresses remembered; beyond it the oldest are forgotten. */
const maxAddresses = 10_000;

export const createFailureThrottle = (options: FailureThrottleOptions): FailureThrottle => {
  const { clock, free = 10, maxDelayMs = 2_000, forgetMs = 60_000 } = options;
  // Insertion order is order of last refusal: entries are re-inserted on use.
  const addresses = new Map<string, AddressRecord>();

  const touch = (address: string): AddressRecord => {
    const now = clock.now();
    const known = addresses.get(address);
    const fresh = known !== undefined && now - known.lastAt < forgetMs;
    const entry = fresh ? known : { failures: 0, waiting: known?.waiting ?? 0, lastAt: now };
    entry.failures += 1;
    entry.lastAt = now;
    addresses.delete(address);
    addresses.set(address, entry);
    if (addresses.size > maxAddresses) {
      const oldest = addresses.keys().next();
      if (!oldest.done) addresses.delete(oldest.value);
    }
    return entry;
  };

  return {
    async refused(address, signal) {
      const entry = touch(address);
      const over = entry.failures - free;
      if (over <= 0 || maxDelayMs === 0 || entry.waiting >= maxWaiting) return;
      const delayMs = Math.min(maxDelayMs, 50 * 2 ** Math.min(over, 10));
      entry.waiting += 1;
      try {
        await sleep(delayMs, undefined, { signal });
      } finally {
        entry.waiting -= 1;
      }
    },
  };
};

import { setTimeout as sleep } from 'node:timers/promises';
import Bottleneck from 'bottleneck';
import { AppError } from '../../lib/errors.js';
import type { Rate } from '../../providers/limits.js';
import type { Provider } from '../../providers/provider.js';
import { indexTask } from '../caller.js';
import type { Telemetry } from '../telemetry.js';
import type { QuotaUser } from './decision.js';
import type { Admission, UsageRecords } from './usage-records.js';
import { spacingOf } from './window.js';

/** Key and account for which a request is counted. */
export interface QuotaOwner {
  readonly provider: Provider;
  /** `none`, `service`, or `own:` and the fingerprint of the key. */
  readonly keyScope: string;
  /** Account or address whose fair share is counted. */
  readonly account: string;
}

/** Sends requests to upstreams no faster than they allow. No other file uses the limiter's library. */
export interface Limiter {
  /** Runs `send` at its turn. Throws `rate_limited` without running it if the wait would be too long. */
  run<T>(
    owner: QuotaOwner,
    /** `mayWaitMs`: longest wait for the turn if it is longer than the usual one. */
    options: { readonly counted: boolean; readonly mayWaitMs?: number | undefined },
    /** `careful`: the first request after a hold; `hold`, `release` or `withdraw` must follow. */
    send: (careful: boolean) => Promise<T>,
  ): Promise<T>;
  /** Stops requests after a refusal of the upstream. Returns the milliseconds until the next one may be sent. */
  hold(owner: QuotaOwner, length: HoldLength): Promise<number>;
  release(owner: QuotaOwner): Promise<void>;
  /** The first request after a hold was not sent: the next one is the first. */
  withdraw(owner: QuotaOwner): Promise<void>;
  /** Number of limiters in memory, each for an upstream and a key. */
  readonly size: number;
}

/** Milliseconds in the upstream's Retry-After, the end of its day, or undefined if it named no time. */
export type HoldLength = number | 'untilMidnight' | undefined;

export interface LimiterOptions {
  readonly usage: UsageRecords;
  readonly telemetry: Telemetry;
  /** Longest wait for a turn; then 429. */
  readonly maxWaitMs: number;
  /** Milliseconds without requests after which a limiter is dropped. */
  readonly idleMs?: number;
  readonly now?: () => number;
}

interface Entry {
  readonly bottleneck: Bottleneck;
  /** Waiting and running requests per account, so that accounts with few go first. */
  readonly load: Map<string, number>;
  usedAt: number;
}

export const scopeOf = ({ provider, keyScope }: QuotaOwner): string => `${provider.slug}/${keyScope}`;

/** Without a key the anonymous rate, otherwise the keyed one. An upstream with only one rate has it for both. */
export const rateOf = ({ provider, keyScope }: QuotaOwner): Rate => {
  const { anonymous, keyed } = provider.limits;
  return (keyScope === 'none' ? (anonymous ?? keyed) : (keyed ?? anonymous)) ?? {};
};

/** Time zone of the midnight at which the upstream's daily quota is reset. */
const zoneOf = ({ provider }: QuotaOwner): string => provider.limits.resetZone ?? 'UTC';

/** Own keys have their own limits. Jobs of the service are not accounts, and the search index can wait. */
export const quotaUserOf = ({ keyScope, account }: QuotaOwner): QuotaUser => {
  if (account === indexTask.share) return 'background';
  return keyScope.startsWith('own:') || account.startsWith('task:') ? 'alone' : 'account';
};

const words: Readonly<Record<string, string>> = { minute: 'per minute', hour: 'per hour', day: 'per day' };

const denial = (owner: QuotaOwner, admission: Extract<Admission, { granted: false }>): AppError => {
  const { provider, keyScope } = owner;
  const retryAfterSeconds = Math.max(1, Math.ceil(admission.retryAfterMs / 1000));
  const limit = admission.span === undefined ? 'rate limit' : `limit of requests ${words[admission.span]}`;
  const own = provider.key !== undefined && !keyScope.startsWith('own:') ? ' Your own key raises it.' : '';
  const texts: Partial<Record<typeof admission.reason, string>> = {
    share: `Your share of the ${limit} of ${provider.name} is used up; the rest is for others.`,
    held: `${provider.name} requested that no requests are sent for now.`,
  };
  const text = texts[admission.reason] ?? `The ${limit} of ${provider.name} is reached.`;
  return new AppError('rate_limited', 'upstream_rate_limited', `${text}${own}`, {
    details: { provider: provider.slug, reason: admission.reason },
    retryAfterSeconds,
  });
};

/** 0 is served first, 9 last: the more requests of an account wait, the lower the priority of its next one. */
const priorityOf = (load: number): number => Math.min(9, load);

export const createLimiter = (options: LimiterOptions): Limiter => {
  const { usage, telemetry, maxWaitMs, idleMs = 300_000, now = Date.now } = options;
  const entries = new Map<string, Entry>();

  const dropIdle = (): void => {
    for (const [scope, entry] of entries) {
      if (now() - entry.usedAt > idleMs && entry.load.size === 0) entries.delete(scope);
    }
  };

  const entryOf = (owner: QuotaOwner): Entry => {
    const scope = scopeOf(owner);
    const known = entries.get(scope);
    if (known !== undefined) {
      known.usedAt = now();
      return known;
    }
    dropIdle();
    const { maxConcurrent } = owner.provider.limits;
    const bottleneck = new Bottleneck({ maxConcurrent, minTime: spacingOf(rateOf(owner)) });
    const entry: Entry = { bottleneck, load: new Map(), usedAt: now() };
    entries.set(scope, entry);
    return entry;
  };

  const countLoad = ({ load }: Entry, account: string, by: 1 | -1): void => {
    const count = (load.get(account) ?? 0) + by;
    if (count === 0) load.delete(account);
    else load.set(account, count);
  };

  /** Queued requests that are sent before a new one of this priority. */
  const queuedBefore = ({ bottleneck }: Entry, priority: number): number =>
    Array.from({ length: priority + 1 }, (_, level) => bottleneck.queued(level)).reduce((sum, n) => sum + n);

  const deny = (
    owner: QuotaOwner,
    admission: Extract<Admission, { granted: false }>,
    reason: string,
  ): AppError => {
    telemetry.denied(owner.provider.slug, reason);
    return denial(owner, admission);
  };

  const admit = async (owner: QuotaOwner, counted: boolean, waitLeftMs: number): Promise<boolean> => {
    const admission = await usage.take({
      scope: scopeOf(owner),
      account: owner.account,
      rate: rateOf(owner),
      zone: zoneOf(owner),
      maxWaitMs: waitLeftMs,
      user: quotaUserOf(owner),
      counted,
    });
    if (!admission.granted) throw deny(owner, admission, admission.reason);
    if (admission.waitMs > 0) await sleep(admission.waitMs);
    return admission.careful;
  };

  /** Queues the request in Bottleneck. Rejects when the longest wait is over, even if it is still queued. */
  const enqueue = <T>(
    entry: Entry,
    owner: QuotaOwner,
    { priority, boundMs }: { readonly priority: number; readonly boundMs: number },
    work: (waitedMs: number) => Promise<T>,
  ): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const queuedAt = now();
      let isOver = false;
      const timer = setTimeout(() => {
        isOver = true;
        reject(deny(owner, { granted: false, reason: 'pace', retryAfterMs: maxWaitMs }, 'queue'));
      }, boundMs);
      const turn = async (): Promise<void> => {
        clearTimeout(timer);
        if (!isOver) await work(now() - queuedAt).then(resolve, reject);
      };
      entry.bottleneck.schedule({ priority }, turn).catch(reject);
    });

  return {
    async run(owner, { counted, mayWaitMs = 0 }, send) {
      const entry = entryOf(owner);
      const boundMs = Math.max(maxWaitMs, mayWaitMs);
      telemetry.queue(owner.provider.slug, entry.bottleneck.queued());
      const priority = priorityOf(entry.load.get(owner.account) ?? 0);
      const aheadMs = queuedBefore(entry, priority) * spacingOf(rateOf(owner));
      // A request that cannot be sent in time is refused at once.
      if (aheadMs > boundMs) {
        throw deny(owner, { granted: false, reason: 'pace', retryAfterMs: aheadMs }, 'queue');
      }
      countLoad(entry, owner.account, 1);
      try {
        return await enqueue(entry, owner, { priority, boundMs }, async (waitedMs) => {
          return send(await admit(owner, counted, Math.max(0, boundMs - waitedMs)));
        });
      } finally {
        countLoad(entry, owner.account, -1);
        entry.usedAt = now();
      }
    },
    hold: (owner, length) =>
      usage.hold(scopeOf(owner), length === 'untilMidnight' ? { midnightIn: zoneOf(owner) } : length),
    release: (owner) => usage.release(scopeOf(owner)),
    withdraw: (owner) => usage.withdrawProbe(scopeOf(owner)),
    get size() {
      return entries.size;
    },
  };
};

import { endOfBucket, type Span, type Window } from './window.js';

/** Requests counted in one window. */
export interface Usage {
  readonly span: Span;
  readonly used: number;
  readonly usedByAccount: number;
  /** Accounts with requests in the window, whether or not this one is among them. Jobs of the service are not accounts. */
  readonly accounts: number;
  /** The oldest bucket that counts. */
  readonly oldest: Date;
}

export interface Question {
  readonly nowMs: number;
  /** Time at which the pace allows the next request. */
  readonly nextAtMs: number;
  readonly spacingMs: number;
  /** Longest wait of the caller for its turn. */
  readonly maxWaitMs: number;
  readonly zone: string;
  readonly windows: readonly Window[];
  readonly usage: readonly Usage[];
  readonly user: QuotaUser;
}

/**
 * `account` shares a quota with other active accounts; `alone` uses its own key, or is a task that an operator started; `background` uses
 * what is left.
 */
export type QuotaUser = 'account' | 'alone' | 'background';

/** `held` is checked before: the upstream itself requested a hold. */
export type Denial = 'pace' | 'quota' | 'share' | 'background' | 'held';

export type Decision =
  | { readonly granted: true; readonly startMs: number }
  | { readonly granted: false; readonly reason: Denial; readonly retryAfterMs: number; readonly span?: Span };

/** Minimum share of every account, however many there are. */
const minShare = 0.1;

/** Background jobs use the remainder of a daily quota in this time before its reset. */
const leftoverMs = 30 * 60_000;

/**
 * Share of a quota that one account may use: an equal part among the accounts with requests in the same window, so all of it if there is no
 * other, and at least a tenth.
 */
export const shareOf = (limit: number, accounts: number): number =>
  Math.ceil(Math.max(limit / Math.max(1, accounts), limit * minShare));

/** Requests of a window that one user may send in all. A quota per second or minute recovers soon; only longer ones have to be divided. */
const partOf = ({ span, limit }: Window, found: Usage | undefined, user: QuotaUser): number => {
  if (user !== 'account' || span === 'minute') return limit;
  const accounts = (found?.accounts ?? 0) + ((found?.usedByAccount ?? 0) === 0 ? 1 : 0);
  return shareOf(limit, accounts);
};

/** Remaining requests of a window for this user: of the whole, and of its share. */
export const leftOf = (window: Window, found: Usage | undefined, user: QuotaUser): number =>
  Math.max(
    0,
    Math.min(
      window.limit - (found?.used ?? 0),
      partOf(window, found, user) - (user === 'account' ? (found?.usedByAccount ?? 0) : 0),
    ),
  );

/** Milliseconds for which a background job must leave a window to others; 0: none. */
const backgroundWaitMs = (
  { span, limit, bucket }: Window,
  used: number,
  { nowMs, zone }: Question,
): number => {
  if (span === 'day') return Math.max(0, endOfBucket('day', bucket, zone) - leftoverMs - nowMs);
  return used >= limit / 2 ? endOfBucket(span, bucket, zone) - nowMs : 0;
};

/** Decides whether a request may be sent, and when. A pure function, so that the arithmetic is tested without a database or a clock. */
export const decide = (question: Question): Decision => {
  const { nowMs, nextAtMs, maxWaitMs, windows, usage, zone, user } = question;
  const startMs = Math.max(nowMs, nextAtMs);
  for (const window of windows) {
    const { span, limit, bucket } = window;
    const found = usage.find((one) => one.span === span);
    const used = found?.used ?? 0;
    const retryAfterMs = Math.max(1_000, endOfBucket(span, found?.oldest ?? bucket, zone) - nowMs);
    if (used >= limit) return { granted: false, reason: 'quota', span, retryAfterMs };
    const leaveMs = user === 'background' ? backgroundWaitMs(window, used, question) : 0;
    if (leaveMs > 0) return { granted: false, reason: 'background', span, retryAfterMs: leaveMs };
    if (leftOf(window, found, user) === 0) return { granted: false, reason: 'share', span, retryAfterMs };
  }
  if (startMs - nowMs > maxWaitMs) return { granted: false, reason: 'pace', retryAfterMs: startMs - nowMs };
  return { granted: true, startMs };
};

import { endOfBucket, type Span, type Window } from './window.js';

/** What was used in one window. */
export interface Usage {
  readonly span: Span;
  readonly used: number;
  readonly usedByAccount: number;
  /** Accounts seen in the window, this one included or not. */
  readonly accounts: number;
  /** The oldest bucket that counts. */
  readonly oldest: Date;
}

export interface Question {
  readonly nowMs: number;
  /** When the pace allows the next request. */
  readonly nextAtMs: number;
  readonly spacingMs: number;
  /** How long the caller would wait for its turn. */
  readonly maxWaitMs: number;
  readonly zone: string;
  readonly windows: readonly Window[];
  readonly usage: readonly Usage[];
  /** Fraction of a shared quota that is handed out by accounts; undefined for a caller's own key. */
  readonly fairShare: number | undefined;
}

export type Denial = 'pace' | 'quota' | 'share';

export type Decision =
  | { readonly granted: true; readonly startMs: number }
  | { readonly granted: false; readonly reason: Denial; readonly retryAfterMs: number; readonly span?: Span };

/** Every account may always use this fraction, however many there are. */
const leastShare = 0.1;

/**
 * What one account may use of a shared quota: its part among the accounts seen in the window, at least a tenth
 * (rounded up: a small quota still gives everybody a request).
 */
export const shareOf = (limit: number, fairShare: number, accounts: number): number =>
  Math.max(1, Math.floor((limit * fairShare) / Math.max(1, accounts)), Math.ceil(limit * leastShare));

/**
 * Whether a request may be sent, and when. Pure: the same question has the same answer, so the arithmetic is
 * tested without a database or a clock.
 */
export const decide = (question: Question): Decision => {
  const { nowMs, nextAtMs, maxWaitMs, windows, usage, zone, fairShare } = question;
  const startMs = Math.max(nowMs, nextAtMs);
  for (const { span, limit, bucket } of windows) {
    const found = usage.find((one) => one.span === span);
    const used = found?.used ?? 0;
    const retryAfterMs = Math.max(1_000, endOfBucket(span, found?.oldest ?? bucket, zone) - nowMs);
    if (used >= limit) return { granted: false, reason: 'quota', span, retryAfterMs };
    const mine = found?.usedByAccount ?? 0;
    const accounts = (found?.accounts ?? 0) + (mine === 0 ? 1 : 0);
    // Minutes pass by themselves; only a quota that is gone for long has to be divided.
    if (fairShare !== undefined && span !== 'minute' && mine >= shareOf(limit, fairShare, accounts)) {
      return { granted: false, reason: 'share', span, retryAfterMs };
    }
  }
  if (startMs - nowMs > maxWaitMs) return { granted: false, reason: 'pace', retryAfterMs: startMs - nowMs };
  return { granted: true, startMs };
};

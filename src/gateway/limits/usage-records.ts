import type { Rate } from '../../providers/limits.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { type Decision, decide, leftOf, type QuotaUser, type Usage } from './decision.js';
import { endOfBucket, localMidnight, type Span, spacingOf, type Window, windowsOf } from './window.js';

export interface Request {
  /** Upstream and key. */
  readonly scope: string;
  /** Account or address whose fair share is counted. */
  readonly account: string;
  readonly rate: Rate;
  readonly zone: string;
  readonly maxWaitMs: number;
  readonly user: QuotaUser;
  /** False: spaced out, but not counted in windows. */
  readonly counted: boolean;
}

/** Decision on a request to an upstream: granted, with the milliseconds to wait, or denied. */
export type Admission =
  | {
      readonly granted: true;
      readonly waitMs: number;
      /** The first request after a hold: `release`, `hold` or `withdrawProbe` must follow; no other request is sent until then. */
      readonly careful: boolean;
    }
  | Extract<Decision, { granted: false }>;

/** Remaining quota of one account or address. */
export interface Allowed {
  readonly windows: readonly {
    readonly span: Span;
    readonly limit: number;
    /** Remaining requests of the limit, or of the account's share of it. */
    readonly left: number;
    /** Time at which the oldest counted request expires; for a day: the start of the next one. */
    readonly nextAt: Date;
  }[];
  /** End of the hold that the upstream requested. */
  readonly heldUntil: Date | undefined;
}

export interface UsageRecords {
  /** Remaining quota. Does not consume and does not block. */
  remaining(request: Pick<Request, 'scope' | 'account' | 'rate' | 'zone' | 'user'>): Promise<Allowed>;
  /** Counts a request and reserves the time at which it may be sent. Atomic across processes. */
  take(request: Request): Promise<Admission>;
  /**
   * Stops requests to this upstream with this key after a refusal. The length is the upstream's own retry time, capped by the longest hold;
   * the next midnight in a zone, for a daily limit; or, if undefined, a backoff that doubles with each hold in a row. Returns the
   * milliseconds until the hold ends.
   */
  hold(scope: string, length: number | { readonly midnightIn: string } | undefined): Promise<number>;
  /** The probe request after a hold succeeded. */
  release(scope: string): Promise<void>;
  /** The probe request was not sent: the next request is one. */
  withdrawProbe(scope: string): Promise<void>;
  /** Ends the holds of an upstream for all keys. Returns their scopes. */
  lift(provider: string): Promise<readonly string[]>;
  /** Deletes expired counts. */
  sweep(): Promise<void>;
}

interface PaceRow {
  next_at: number | null;
  now: number;
}

interface UsageRow {
  span: Usage['span'];
  used: number;
  mine: number;
  accounts: number;
  oldest: Date;
}

// The upsert locks the row of the scope until commit, so processes decide one after another.
const lockPace = `
  INSERT INTO gateway_pace AS pace (scope, next_at) VALUES ($1, '-infinity')
  ON CONFLICT (scope) DO UPDATE SET scope = pace.scope
  RETURNING CASE WHEN next_at = '-infinity' THEN NULL ELSE extract(epoch FROM next_at) * 1000 END::float8 AS next_at,
            (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`;

const readUsage = `
  SELECT usage.span, sum(used)::int AS used, min(bucket) AS oldest,
         (count(DISTINCT account) FILTER (WHERE account NOT LIKE 'task:%'))::int AS accounts,
         coalesce(sum(used) FILTER (WHERE account = $4), 0)::int AS mine
    FROM gateway_usage AS usage
    JOIN unnest($2::text[], $3::timestamptz[]) AS wanted(span, since) ON usage.span = wanted.span
   WHERE scope = $1 AND bucket >= wanted.since
   GROUP BY usage.span`;

const countRequest = `
  INSERT INTO gateway_usage AS usage (scope, span, bucket, account, used)
  SELECT $1, span, bucket, $4, 1 FROM unnest($2::text[], $3::timestamptz[]) AS window_(span, bucket)
  ON CONFLICT (scope, span, bucket, account) DO UPDATE SET used = usage.used + 1`;

const setPace = `UPDATE gateway_pace SET next_at = to_timestamp($2::float8 / 1000) WHERE scope = $1`;

const readHold = `
  SELECT (extract(epoch FROM until) * 1000)::float8 AS until, (extract(epoch FROM trying_until) * 1000)::float8 AS trying
    FROM gateway_holds WHERE scope = $1`;

const setTrying = `UPDATE gateway_holds SET trying_until = to_timestamp($2::float8 / 1000) WHERE scope = $1`;

// Refusals of requests that were in flight together count once, and none of them shortens the hold.
const setHold = `
  INSERT INTO gateway_holds AS hold (scope, provider, since, until)
  VALUES ($1, split_part($1, '/', 1), to_timestamp($2::float8 / 1000),
          to_timestamp(($2::float8 + coalesce($3::float8, least($4::float8, $5::float8))) / 1000))
  ON CONFLICT (scope) DO UPDATE SET trying_until = NULL,
    strikes = hold.strikes + CASE WHEN hold.until <= excluded.since THEN 1 ELSE 0 END,
    until = greatest(hold.until, CASE WHEN $3::float8 IS NOT NULL THEN excluded.until
      WHEN hold.until > excluded.since THEN hold.until ELSE
      to_timestamp(($2::float8 + least($4::float8, $5::float8 * 2 ^ least(20, hold.strikes))) / 1000) END)
  RETURNING (extract(epoch FROM until) * 1000)::float8 AS until`;

const clock = `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`;

/** First hold if the upstream names no time; each following one in a row is twice as long. */
const firstHoldMs = 30_000;
/** Milliseconds after which a probe request without an outcome is repeated. */
const tryMs = 120_000;
const oneHourMs = 3_600_000;

const toUsage = ({ span, used, mine, accounts, oldest }: UsageRow): Usage => ({
  span,
  used,
  usedByAccount: mine,
  accounts,
  oldest,
});

const usageOf = async (
  sql: Sql,
  scope: string,
  account: string,
  windows: readonly Window[],
): Promise<Usage[]> => {
  if (windows.length === 0) return [];
  const spans = windows.map(({ span }) => span);
  const since = windows.map((window) => window.since);
  return (await sql.query<UsageRow>(readUsage, [scope, spans, since, account])).map(toUsage);
};

export interface UsageRecordsOptions {
  readonly sql: Sql;
  /**
   * Milliseconds since the epoch, instead of the database's clock, for tests. The clock of the database is used otherwise, so that
   * processes with different clocks count alike.
   */
  readonly now?: () => number;
  /** Longest hold, even if the upstream requests a longer one. Default one hour. */
  readonly maxHoldMs?: number;
}

interface HoldRow {
  until: number;
  trying: number | null;
}

const readClock = async (sql: Sql, now: (() => number) | undefined): Promise<number> => {
  const [database] = now === undefined ? await sql.query<{ now: number }>(clock) : [];
  return now?.() ?? database?.now ?? 0;
};

const boundHold = (requestedMs: number | undefined, maxHoldMs: number): number | undefined =>
  requestedMs === undefined ? undefined : Math.min(maxHoldMs, Math.max(1_000, requestedMs));

const heldFor = (retryAfterMs: number): Admission => ({
  granted: false,
  reason: 'held',
  retryAfterMs: Math.max(1_000, retryAfterMs),
});

/**
 * Limits of upstreams, stored in PostgreSQL: a restart does not reset a quota, and any number of processes share it. The pace reserves
 * start times instead of leasing shares: it is exact for any number of processes, and a process that dies wastes one slot and not a lease.
 */
export const createUsageRecords = ({
  sql,
  now,
  maxHoldMs = oneHourMs,
}: UsageRecordsOptions): UsageRecords => ({
  take: (request) =>
    sql.tx(async (tx): Promise<Admission> => {
      const { scope, account, rate, zone } = request;
      const [pace] = await tx.query<PaceRow>(lockPace, [scope]);
      const nowMs = now?.() ?? pace?.now ?? 0;
      const [hold] = await tx.query<HoldRow>(readHold, [scope]);
      if (hold !== undefined && hold.until > nowMs) return heldFor(hold.until - nowMs);
      if (hold?.trying != null && hold.trying > nowMs) return heldFor(hold.trying - nowMs);
      const windows = request.counted ? windowsOf(rate, zone, nowMs) : [];
      const usage = await usageOf(tx, scope, account, windows);
      const spacingMs = spacingOf(rate);
      const decision = decide({ ...request, nowMs, nextAtMs: pace?.next_at ?? 0, spacingMs, windows, usage });
      if (!decision.granted) return decision;
      const spans = windows.map(({ span }) => span);
      if (windows.length > 0)
        await tx.query(countRequest, [scope, spans, windows.map(({ bucket }) => bucket), account]);
      await tx.query(setPace, [scope, decision.startMs + spacingMs]);
      if (hold !== undefined) await tx.query(setTrying, [scope, decision.startMs + tryMs]);
      return { granted: true, waitMs: decision.startMs - nowMs, careful: hold !== undefined };
    }),

  async remaining({ scope, account, rate, zone, user }) {
    const nowMs = await readClock(sql, now);
    const windows = windowsOf(rate, zone, nowMs);
    const usage = await usageOf(sql, scope, account, windows);
    const [hold] = await sql.query<HoldRow>(readHold, [scope]);
    return {
      windows: windows.map((window) => {
        const { span, limit, bucket } = window;
        const found = usage.find((one) => one.span === span);
        const nextAt = new Date(endOfBucket(span, found?.oldest ?? bucket, zone));
        return { span, limit, left: leftOf(window, found, user), nextAt };
      }),
      heldUntil: hold !== undefined && hold.until > nowMs ? new Date(hold.until) : undefined,
    };
  },

  async hold(scope, length) {
    const nowMs = await readClock(sql, now);
    const requestedMs =
      typeof length === 'object'
        ? localMidnight(length.midnightIn, nowMs, 1) - nowMs
        : boundHold(length, maxHoldMs);
    const [hold] = await sql.query<{ until: number }>(setHold, [
      scope,
      nowMs,
      requestedMs ?? null,
      maxHoldMs,
      firstHoldMs,
    ]);
    return (hold?.until ?? nowMs) - nowMs;
  },

  async release(scope) {
    await sql.query('DELETE FROM gateway_holds WHERE scope = $1 AND trying_until IS NOT NULL', [scope]);
  },

  async withdrawProbe(scope) {
    await sql.query('UPDATE gateway_holds SET trying_until = NULL WHERE scope = $1', [scope]);
  },

  async lift(provider) {
    const lifted = await sql.query<{ scope: string }>(
      'DELETE FROM gateway_holds WHERE provider = $1 RETURNING scope',
      [provider],
    );
    return lifted.map(({ scope }) => scope);
  },

  async sweep() {
    const nowMs = now?.() ?? Date.now();
    // The longest day has 25 hours; one more bucket for safety.
    await sql.query(`DELETE FROM gateway_usage WHERE bucket < $1`, [new Date(nowMs - 50 * 3_600_000)]);
    await sql.query(`DELETE FROM gateway_pace AS pace WHERE next_at < $1 AND next_at <> '-infinity'`, [
      new Date(nowMs - 50 * 3_600_000),
    ]);
  },
});

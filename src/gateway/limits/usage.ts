import type { Rate } from '../../providers/provider.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { type Decision, decide, type Usage } from './decision.js';
import { type Window, windowsOf } from './window.js';

export interface Request {
  /** Upstream and key. */
  readonly scope: string;
  /** Who asks, for the fair share. */
  readonly account: string;
  readonly rate: Rate;
  readonly zone: string;
  readonly maxWaitMs: number;
  readonly fairShare: number | undefined;
  /** False: spaced, but not counted in windows. */
  readonly counted: boolean;
}

/** A place in the queue of an upstream: granted with the milliseconds to wait, or denied. */
export type Place =
  | {
      readonly granted: true;
      readonly waitMs: number;
      readonly left: readonly { span: string; left: number }[];
    }
  | Extract<Decision, { granted: false }>;

export interface UsageStore {
  /** Counts a request and reserves the moment at which it may be sent. Atomic over all processes. */
  take(request: Request): Promise<Place>;
  /** Nobody asks this upstream with this key for a while: it said so itself. */
  hold(scope: string, milliseconds: number): Promise<void>;
  /** Forgets what counts no longer. */
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

// The upsert locks the row of the scope until commit, so all processes decide one after the other.
const lockPace = `
  INSERT INTO gateway_pace AS pace (scope, next_at) VALUES ($1, '-infinity')
  ON CONFLICT (scope) DO UPDATE SET scope = pace.scope
  RETURNING CASE WHEN next_at = '-infinity' THEN NULL ELSE extract(epoch FROM next_at) * 1000 END::float8 AS next_at,
            (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`;

const readUsage = `
  SELECT usage.span, sum(used)::int AS used, min(bucket) AS oldest, count(DISTINCT account)::int AS accounts,
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

const holdPace = `
  INSERT INTO gateway_pace AS pace (scope, next_at) VALUES ($1, coalesce(to_timestamp($3::float8 / 1000), clock_timestamp()) + $2::float8 * interval '1 millisecond')
  ON CONFLICT (scope) DO UPDATE SET next_at = greatest(pace.next_at, excluded.next_at)`;

const spacingOf = ({ perSecond }: Rate): number =>
  perSecond === undefined ? 0 : Math.ceil(1000 / perSecond);

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

export interface UsageStoreOptions {
  readonly sql: Sql;
  /**
   * Milliseconds since the epoch in place of the database's clock, for tests. The database's own is used
   * otherwise, so that processes whose clocks differ count alike.
   */
  readonly now?: () => number;
}

/**
 * Limits of upstreams, kept in PostgreSQL: a restart does not refill a quota, and any number of processes share
 * it. The pace is a reservation of start times rather than leases of shares: exact for two processes as for
 * twenty, and a process that dies wastes one slot and not a lease.
 */
export const createUsageStore = ({ sql, now }: UsageStoreOptions): UsageStore => ({
  take: (request) =>
    sql.tx(async (tx): Promise<Place> => {
      const { scope, account, rate, zone } = request;
      const [pace] = await tx.query<PaceRow>(lockPace, [scope]);
      const nowMs = now?.() ?? pace?.now ?? 0;
      const windows = request.counted ? windowsOf(rate, zone, nowMs) : [];
      const usage = await usageOf(tx, scope, account, windows);
      const spacingMs = spacingOf(rate);
      const decision = decide({ ...request, nowMs, nextAtMs: pace?.next_at ?? 0, spacingMs, windows, usage });
      if (!decision.granted) return decision;
      const spans = windows.map(({ span }) => span);
      if (windows.length > 0)
        await tx.query(countRequest, [scope, spans, windows.map(({ bucket }) => bucket), account]);
      await tx.query(setPace, [scope, decision.startMs + spacingMs]);
      const usedOf = (span: string) => usage.find((one) => one.span === span)?.used ?? 0;
      return {
        granted: true,
        waitMs: decision.startMs - nowMs,
        left: windows.map(({ span, limit }) => ({ span, left: limit - usedOf(span) - 1 })),
      };
    }),

  async hold(scope, milliseconds) {
    await sql.query(holdPace, [scope, milliseconds, now?.() ?? null]);
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

import { isoUtc, isoUtcOrNull } from '../lib/time.js';
import type { Provider } from '../providers/provider.js';
import type { Sql } from '../storage/postgres/sql.js';
import { rateOf, scopeOf } from './limits/limiter.js';
import { type QuotaState, readQuotas } from './limits/quota-state.js';
import type { Breaker } from './upstream/breaker.js';

/** State of one upstream. Quotas of callers' own keys are not shown. */
export interface UpstreamState {
  readonly provider: string;
  /** Circuit breaker in this process. `testing`: one request is let through. */
  readonly circuit: 'closed' | 'open' | 'testing';
  /** Time at which the open circuit lets a request through. */
  readonly openUntil: string | null;
  /** Failures in a row. */
  readonly failures: number;
  /** End of the hold that the upstream requested for requests without a key or with that of the service. */
  readonly heldUntil: string | null;
  /** Every hold, the latest end first. `own`: for the key of a user. `trying`: a probe request is in flight. */
  readonly holds: readonly {
    readonly key: 'none' | 'service' | 'own';
    readonly since: string;
    readonly until: string;
    readonly state: 'held' | 'over' | 'trying';
  }[];
  /** Shared quotas: `none` without a key, `service` with the key of the service. */
  readonly quotas: readonly ({ readonly key: 'none' | 'service' } & QuotaState)[];
  /** Search index of the upstream's listing; null: it has its own search. */
  readonly index: {
    readonly items: number;
    readonly filledAt: string | null;
    /** Failed fillings in a row. */
    readonly failures: number;
    readonly dueAt: string | null;
    /** Parts of the last listing that could not be fetched. */
    readonly failedParts: number;
    /** Error of the last of them, or of the listing. */
    readonly lastError: string | null;
  } | null;
}

interface FillingRow {
  provider: string;
  items: number;
  filledAt: Date | null;
  dueAt: Date | null;
  failures: number;
  failedParts: number;
  lastError: string | null;
}

const fillingsSql = `
  SELECT provider, items, filled_at AS "filledAt", failures, failed_parts AS "failedParts", last_error AS "lastError",
         CASE WHEN due_at = '-infinity' THEN NULL ELSE due_at END AS "dueAt" FROM gateway_fillings`;

interface HoldRow {
  provider: string;
  scope: string;
  since: Date;
  until: Date;
  tryingUntil: Date | null;
}

const holdsSql = `
  SELECT provider, scope, since, until, trying_until AS "tryingUntil" FROM gateway_holds ORDER BY until DESC`;

const toHold = (
  { scope, since, until, tryingUntil }: HoldRow,
  nowMs: number,
): UpstreamState['holds'][number] => {
  const key = scope.slice(scope.indexOf('/') + 1);
  const trying = tryingUntil !== null && tryingUntil.getTime() > nowMs;
  return {
    // The remainder of an own scope is the fingerprint of a key.
    key: key === 'none' || key === 'service' ? key : 'own',
    since: isoUtc(since),
    until: isoUtc(until),
    state: until.getTime() > nowMs ? 'held' : trying ? 'trying' : 'over',
  };
};

export interface GatewayStateOptions {
  readonly sql: Sql;
  readonly providers: readonly Provider[];
  readonly serviceKeys: Readonly<Record<string, string>>;
  readonly breaker: Breaker;
  readonly now: () => number;
}

/** All upstreams, in the order of the catalog. */
export const readGatewayState = async (options: GatewayStateOptions): Promise<UpstreamState[]> => {
  const { sql, providers, serviceKeys, breaker, now } = options;
  const ownersOf = (provider: Provider) =>
    (['none', 'service'] as const)
      .filter((key) =>
        key === 'none' ? provider.key?.required !== true : (serviceKeys[provider.slug] ?? '') !== '',
      )
      .map((key) => {
        const owner = { provider, keyScope: key, account: '' };
        return { key, scope: scopeOf(owner), rate: rateOf(owner), zone: provider.limits.resetZone ?? 'UTC' };
      });
  const scopes = await readQuotas(sql, providers.flatMap(ownersOf), now());
  const fillings = await sql.query<FillingRow>(fillingsSql);
  const holdRows = await sql.query<HoldRow>(holdsSql);

  return providers.map((provider): UpstreamState => {
    const owners = ownersOf(provider).map((owner) => ({ ...owner, quotas: scopes.get(owner.scope) ?? [] }));
    const holds = holdRows.filter((row) => row.provider === provider.slug).map((row) => toHold(row, now()));
    const held = holds.find(({ key, state }) => key !== 'own' && state === 'held');
    const { failures, openUntilMs, state: circuit } = breaker.view(provider);
    const filling = fillings.find((row) => row.provider === provider.slug);
    return {
      provider: provider.slug,
      circuit,
      openUntil: circuit === 'open' ? isoUtc(new Date(openUntilMs)) : null,
      failures,
      heldUntil: held?.until ?? null,
      holds,
      quotas: owners.flatMap(({ key, quotas }) => quotas.map((quota) => ({ key, ...quota }))),
      index:
        provider.listAll === undefined
          ? null
          : {
              items: filling?.items ?? 0,
              filledAt: isoUtcOrNull(filling?.filledAt ?? null),
              failures: filling?.failures ?? 0,
              dueAt: isoUtcOrNull(filling?.dueAt ?? null),
              failedParts: filling?.failedParts ?? 0,
              lastError: filling?.lastError ?? null,
            },
    };
  });
};

import { isoUtc, isoUtcOrNull } from '../lib/time.js';
import type { Provider } from '../providers/provider.js';
import type { Sql } from '../storage/postgres/sql.js';
import { rateOf, scopeOf } from './limits/limiter.js';
import { readQuotas } from './limits/quota-state.js';
import type { UpstreamState } from './state-schema.js';
import type { Breaker } from './upstream/breaker.js';

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

import { isoUtc } from '../lib/time.js';
import type { Provider } from '../providers/provider.js';
import type { QuotaAnswer } from './answer-schema.js';
import type { GatewayCaller } from './caller.js';
import { quotaUserOf, rateOf, scopeOf } from './limits/limiter.js';
import type { UsageRecords } from './limits/usage-records.js';
import type { Operations } from './operations.js';

export interface QuotaDeps {
  readonly operations: Pick<Operations, 'keyFor'>;
  readonly usage: Pick<UsageRecords, 'remaining'>;
}

/** Reads the remaining quota. Sends no request. */
export const readQuota = async (
  { operations, usage }: QuotaDeps,
  provider: Provider,
  caller: GatewayCaller,
): Promise<QuotaAnswer> => {
  const key = await operations.keyFor(provider, caller);
  const owner = { provider, keyScope: key.scope, account: caller.share };
  const rate = rateOf(owner);
  const { windows, heldUntil } = await usage.remaining({
    scope: scopeOf(owner),
    account: caller.share,
    rate,
    zone: provider.limits.resetZone ?? 'UTC',
    user: quotaUserOf(owner),
  });
  return {
    slug: provider.slug,
    key: key.kind,
    api_key_required: provider.key?.required === true,
    per_second: rate.perSecond ?? null,
    quotas: windows.map(({ nextAt, ...window }) => ({ ...window, next_at: isoUtc(nextAt) })),
    held_until: heldUntil === undefined ? null : isoUtc(heldUntil),
  };
};

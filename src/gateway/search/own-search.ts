import { setTimeout as sleep } from 'node:timers/promises';
import { isAppError } from '../../lib/errors.js';
import type { Item, Provider } from '../../providers/provider.js';
import type { GatewayCaller } from '../caller.js';
import type { Operations } from '../operations.js';

/** Providers with so few requests per day are searched only with a key of the caller. */
const fewPerDay = 100;

export interface OwnHits {
  readonly found: readonly { readonly provider: Provider; readonly items: readonly Item[] }[];
  /** Slugs of providers with an own search that were not searched, refused, or did not respond in time. */
  readonly notAsked: readonly string[];
}

/** Runs the own search of one provider; the answer is cached. */
export const runOwnSearch = async (
  operations: Operations,
  caller: GatewayCaller,
  provider: Provider,
  query: string,
): Promise<readonly Item[] | undefined> => {
  const search = provider.search?.bind(provider);
  if (search === undefined) return undefined;
  const { value } = await operations.run<readonly Item[]>({
    provider,
    caller,
    subject: { path: [] },
    parts: ['search', query],
    validity: 'list',
    work: (ctx) => search(query, ctx),
  });
  return value;
};

/** Returns true if a search may cost this caller a request of the provider. */
const mayAsk = async (
  operations: Operations,
  caller: GatewayCaller,
  provider: Provider,
): Promise<boolean> => {
  const key = await operations.keyFor(provider, caller);
  if (provider.key?.required === true && key.kind === 'none') return false;
  const { keyed, anonymous } = provider.limits;
  const perDay = (key.kind === 'none' ? anonymous : keyed)?.perDay;
  return key.kind === 'own' || perDay === undefined || perDay > fewPerDay;
};

/**
 * Runs the own searches of several providers concurrently.
 * @param waitMs Longest wait for all of them; later answers are cached for the next query.
 */
export const runOwnSearches = async (
  operations: Operations,
  caller: GatewayCaller,
  providers: readonly Provider[],
  query: string,
  waitMs = 1_000,
): Promise<OwnHits> => {
  const late = sleep(waitMs, undefined, { ref: false });
  const search = async (provider: Provider): Promise<readonly Item[] | undefined> => {
    try {
      if (!(await mayAsk(operations, caller, provider))) return undefined;
      return await runOwnSearch(operations, caller, provider, query);
    } catch (error) {
      // After a limit or an outage, the hits of the index are enough.
      if (isAppError(error)) return undefined;
      throw error;
    }
  };
  const answers = await Promise.all(
    providers.map(async (provider) => ({ provider, items: await Promise.race([search(provider), late]) })),
  );
  return {
    found: answers.flatMap(({ provider, items }) => (items === undefined ? [] : [{ provider, items }])),
    notAsked: answers.flatMap(({ provider, items }) => (items === undefined ? [provider.slug] : [])),
  };
};

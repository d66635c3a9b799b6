import { pick } from '../../lib/pick.js';
import type { Item, Provider } from '../../providers/provider.js';
import type { FoundItem } from '../answer-schema.js';
import { notImplemented, notSupported } from '../browse.js';
import type { GatewayCaller } from '../caller.js';
import type { Operations } from '../operations.js';
import { formatPath } from '../path.js';
import type { ItemIndex } from './item-index.js';
import type { Hit } from './item-search.js';
import { runOwnSearch, runOwnSearches } from './own-search.js';
import { relevantItems } from './relevance.js';

export type FoundAnywhere = FoundItem & { readonly provider: string };

export interface Found<T> {
  readonly items: readonly T[];
  /** The corrected query that was answered, if nothing matches the original one. */
  readonly corrected?: string;
}

export interface FoundAll extends Found<FoundAnywhere> {
  /** Slugs of providers whose own search may have more hits: it was not needed, or did not respond in time. */
  readonly notAsked: readonly string[];
}

export interface Searcher {
  /** Searches one upstream: by its own search if that is good, otherwise in the index. */
  search(caller: GatewayCaller, provider: Provider, query: string): Promise<Found<FoundItem>>;
  /** Searches the index over all upstreams and, if it has few hits, the upstreams' own searches. */
  searchAll(
    caller: GatewayCaller,
    query: string,
    providers: readonly Provider[],
    limit: number,
  ): Promise<FoundAll>;
}

const maxFound = 50;

/** With this many hits in the index, no upstream is searched. */
const enoughHits = 5;

/** Descriptions can be pages long; a list of hits shows their beginning. */
const shorten = (text: string): string => (text.length <= 300 ? text : `${text.slice(0, 297).trimEnd()}...`);

const toFound = (item: Item & Pick<Hit, 'params'>, provider: Provider | undefined): FoundItem => ({
  id: item.id,
  label: item.label,
  kind: item.kind ?? 'series',
  description: item.description && shorten(item.description),
  path: item.path && formatPath(item.path),
  ...pick(item, ['frequency', 'units', 'params']),
  api_key_required: provider?.key?.required === true ? true : undefined,
});

/** @param ownSearchWaitMs Longest wait for the own searches of all providers. */
export const createSearcher = (
  operations: Operations,
  index: ItemIndex,
  ownSearchWaitMs?: number,
): Searcher => {
  const searchIndex = async (query: string, provider: Provider): Promise<Found<FoundItem>> => {
    const { hits, ...rest } = await index.search(query, { providers: [provider.slug], limit: maxFound });
    return { ...rest, items: hits.map((hit) => toFound(hit, provider)) };
  };

  return {
    async search(caller, provider, query) {
      if (!provider.capabilities.includes('search')) throw notSupported(provider, 'searching');
      const text = query.trim();
      if (text === '') return { items: [] };
      const search = provider.search?.bind(provider);
      if (search === undefined) {
        if (provider.listAll === undefined) throw notImplemented(provider, 'searching');
        return searchIndex(text, provider);
      }
      const key = await operations.keyFor(provider, caller);
      // Without the key that its search needs, the bundled list is searched.
      if (provider.key?.required === true && key.kind === 'none') return searchIndex(text, provider);
      const items = (await runOwnSearch(operations, caller, provider, text)) ?? [];
      return { items: items.map((item) => toFound(item, provider)) };
    },
    async searchAll(caller, query, providers, limit) {
      const { hits, ...rest } = await index.search(query, {
        providers: providers.map(({ slug }) => slug),
        limit,
      });
      const items = hits.map((hit) => ({
        provider: hit.provider,
        ...toFound(
          hit,
          providers.find(({ slug }) => slug === hit.provider),
        ),
      }));
      const own = providers.filter(({ search }) => search !== undefined);
      const text = query.trim();
      if (items.length >= enoughHits || text === '') {
        return { ...rest, items, notAsked: own.map(({ slug }) => slug) };
      }
      const { found, notAsked } = await runOwnSearches(operations, caller, own, text, ownSearchWaitMs);
      const more = found.flatMap(({ provider, items: others }) =>
        relevantItems(provider, others, text).map((item) => ({
          provider: provider.slug,
          ...toFound(item, provider),
        })),
      );
      // Hits of the index come first, since they are ranked together.
      const all = new Map([...more, ...items].map((item) => [`${item.provider} ${item.id}`, item]));
      const keyOf = ({ provider, id }: FoundAnywhere): string => `${provider} ${id}`;
      const ordered = [...new Set([...items, ...more].map(keyOf))].flatMap((key) => all.get(key) ?? []);
      return { ...(items.length === 0 ? {} : rest), items: ordered.slice(0, limit), notAsked };
    },
  };
};

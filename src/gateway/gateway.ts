import { AppError, invalid } from '../lib/errors.js';
import type { Page, Provider } from '../providers/provider.js';
import type {
  BrowseEntry,
  FoundItem,
  ProviderDetail,
  ProviderEntry,
  ProviderMatch,
  QuotaAnswer,
} from './answer-schema.js';
import { createBrowser, deepest, type SeriesList } from './browse.js';
import type { GatewayCaller } from './caller.js';
import { createCatalog, toDetail, toEntry, toMatch } from './catalog.js';
import { type CheckResult, checkProvider } from './check.js';
import type { GivenParams } from './datasets/wanted-series.js';
import { createFeed, type Feed } from './feed.js';
import { createParts, type GatewayParts } from './gateway-parts.js';
import { matchProviders } from './match.js';
import type { WithAge } from './operations.js';
import { createPanelReader, type PanelReader, withPanelHint } from './panel.js';
import { readQuota } from './quota.js';
import { createSearcher, type Found, type FoundAll } from './search/searcher.js';
import { createWithSimilar } from './search/similar.js';
import { createSeriesReader, type SeriesReader } from './series.js';
import type { UpstreamState } from './state-schema.js';

/** The method, with the slug of a provider instead of the provider. */
type BySlug<Method> = Method extends (
  caller: GatewayCaller,
  provider: Provider,
  ...more: infer Rest
) => infer Answer
  ? (caller: GatewayCaller, slug: string, ...more: Rest) => Answer
  : never;

export interface Gateway {
  list(): readonly ProviderEntry[];
  detail(caller: GatewayCaller, slug: string): Promise<ProviderDetail>;
  /** Remaining quota of the caller at an upstream. */
  quota(caller: GatewayCaller, slug: string): Promise<QuotaAnswer>;
  /** At most 5 matches; an empty query is a 400. */
  match(caller: GatewayCaller, query: string): Promise<readonly ProviderMatch[]>;
  browse(
    caller: GatewayCaller,
    slug: string,
    options: { path: string; depth: number },
  ): Promise<WithAge<readonly BrowseEntry[]>>;
  seriesAt(
    caller: GatewayCaller,
    slug: string,
    options: { path: string; limit: number; offset: number },
  ): Promise<WithAge<SeriesList>>;
  search(caller: GatewayCaller, slug: string, query: string): Promise<{ query: string } & Found<FoundItem>>;
  searchAll(caller: GatewayCaller, query: string, limit: number): Promise<{ query: string } & FoundAll>;
  readonly preview: BySlug<SeriesReader['preview']>;
  readonly fullSeries: BySlug<SeriesReader['full']>;
  /** Several series at once. @throws AppError 400 for more observations than a panel may have. */
  readonly panel: BySlug<PanelReader['read']>;
  readonly lastUpdate: BySlug<SeriesReader['lastUpdate']>;
  readonly vintageDays: BySlug<SeriesReader['vintageDays']>;
  readonly vintages: BySlug<SeriesReader['vintages']>;
  readonly userKeys: {
    list(accountId: number): Promise<Readonly<Record<string, true>>>;
    put(
      accountId: number,
      slug: string,
      key: string | null | undefined,
    ): Promise<{ slug: string; has_key: boolean }>;
    rotate(): Promise<number>;
  };
  readonly feed: Feed;
  /** Sends one small request to each upstream. */
  check(slugs?: readonly string[]): Promise<readonly CheckResult[]>;
  /** Ends the holds of an upstream. @returns their number @throws AppError 404 */
  lift(slug: string): Promise<number>;
  /** State of each upstream, for operators. */
  state(): Promise<readonly UpstreamState[]>;
  /** Adds the bundled lists to the search index. Idempotent. */
  seed(): Promise<void>;
  /** Deletes old answers and old counts of requests. */
  trim(): Promise<void>;
  /** Fills the parts of the search index that are due, in one process at a time. `stop` ends it early. */
  fillIndex(stop: AbortSignal): Promise<void>;
}

/** Everything that the routes of providers, user keys and the feed use. */
export const createGateway = (parts: GatewayParts): Gateway => {
  const { settings, telemetry, now = Date.now } = parts;
  const { userKeys, usage, cache, operations, index, indexer, state } = createParts(parts);
  const catalog = createCatalog(settings.providers);
  const browser = createBrowser(operations, index, now);
  const today = (): string => new Date(now()).toISOString().slice(0, 10);
  const reader = createSeriesReader({
    operations,
    telemetry,
    withVintages: settings.providers.filter(({ vintages }) => vintages !== undefined).map(({ slug }) => slug),
    titleOf: async (slug, id) => (await index.titles(slug, [id])).get(id),
    today,
  });
  const panels = createPanelReader({
    operations,
    titlesOf: (slug, ids) => index.titles(slug, ids),
    today,
  });
  const searcher = createSearcher(operations, index, settings.ownSearchWaitMs);
  const withSimilar = createWithSimilar(parts.sql);
  const explained = <T>(provider: Provider, seriesId: string, work: () => Promise<T>): Promise<T> =>
    withSimilar(provider, seriesId, () => withPanelHint(provider, seriesId, work));

  /** The provider if the caller's plan includes it. */
  const open = (caller: GatewayCaller, slug: string): Provider => {
    const provider = catalog.require(slug);
    if (settings.paidProviders.includes(provider.slug) && !caller.mayUsePaid) {
      throw new AppError('quota', 'paid_provider', `${provider.name} needs a higher plan.`);
    }
    return provider;
  };

  /** Opens the provider with the slug, then calls the method. */
  const bySlug =
    <Rest extends unknown[], Answer>(
      method: (caller: GatewayCaller, provider: Provider, ...rest: Rest) => Promise<Answer>,
    ) =>
    async (caller: GatewayCaller, slug: string, ...rest: Rest): Promise<Answer> =>
      method(caller, open(caller, slug), ...rest);

  /** All providers, without paid ones that the caller may not use. */
  const openTo = (caller: GatewayCaller): readonly Provider[] =>
    catalog.providers.map((provider) => {
      const { search: _, ...unasked } = provider;
      const isClosed = settings.paidProviders.includes(provider.slug) && !caller.mayUsePaid;
      return isClosed ? unasked : provider;
    });

  const hasKey = async ({ accountId }: GatewayCaller, { slug }: Provider): Promise<boolean> =>
    accountId !== undefined && (await userKeys.has(accountId, slug));

  const feedOf = (): Feed => createFeed(catalog.require(settings.feedProvider), searcher, reader);

  return {
    list: () => catalog.providers.map(toEntry),
    async detail(caller, slug) {
      const provider = catalog.require(slug);
      return toDetail(provider, await hasKey(caller, provider));
    },
    quota: async (caller, slug) => readQuota({ operations, usage }, catalog.require(slug), caller),
    async match(caller, query) {
      if (query.trim() === '') throw invalid('missing_query', `'q' must not be empty.`);
      const keys = caller.accountId === undefined ? {} : await userKeys.list(caller.accountId);
      return matchProviders(catalog.providers, query).map((provider) =>
        toMatch(provider, provider.slug in keys),
      );
    },
    browse: bySlug((caller, provider, { path, depth }: { path: string; depth: number }) =>
      browser.folders(caller, provider, path, Math.min(deepest, Math.max(1, depth))),
    ),
    seriesAt: bySlug((caller, provider, { path, ...page }: Page & { path: string }) =>
      browser.series(caller, provider, path, page),
    ),
    search: bySlug(async (caller, provider, query: string) => ({
      query,
      ...(await searcher.search(caller, provider, query)),
    })),
    searchAll: async (caller, query, limit) => ({
      query,
      ...(await searcher.searchAll(caller, query, openTo(caller), limit)),
    }),
    preview: bySlug((caller, provider, seriesId: string) =>
      explained(provider, seriesId, () => reader.preview(caller, provider, seriesId)),
    ),
    fullSeries: bySlug((caller, provider, seriesId: string, params: GivenParams) =>
      explained(provider, seriesId, () => reader.full(caller, provider, seriesId, params)),
    ),
    panel: bySlug((caller, provider, seriesId: string, params: GivenParams) =>
      withSimilar(provider, seriesId, () => panels.read(caller, provider, seriesId, params)),
    ),
    lastUpdate: bySlug(reader.lastUpdate),
    vintageDays: bySlug(reader.vintageDays),
    vintages: bySlug(reader.vintages),
    userKeys: {
      list: (accountId) => userKeys.list(accountId),
      put: async (accountId, slug, key) => userKeys.put(accountId, catalog.require(slug).slug, key),
      rotate: () => userKeys.rotate(),
    },
    feed: {
      search: async (caller, query) => feedOf().search(caller, query),
      data: async (caller, symbol, range) => feedOf().data(caller, symbol, range),
    },
    async check(slugs) {
      const wanted = slugs === undefined ? catalog.providers : slugs.map((slug) => catalog.require(slug));
      const results: CheckResult[] = [];
      for (const provider of wanted) results.push(await checkProvider(operations, provider, now));
      return results;
    },
    lift: async (slug) => (await usage.lift(catalog.require(slug).slug)).length,
    state,
    seed: () => indexer.seed(),
    async trim() {
      await cache.trim();
      await usage.sweep();
    },
    async fillIndex(stop) {
      await indexer.fillDue(stop);
    },
  };
};

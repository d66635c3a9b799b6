import { AppError, invalid } from '../lib/errors.js';
import { pick } from '../lib/pick.js';
import type { Folder, Item, Page, Provider, SeriesPage } from '../providers/provider.js';
import type { BrowseEntry } from './answer-schema.js';
import type { GatewayCaller } from './caller.js';
import type { Operations, WithAge } from './operations.js';
import { formatPath, parsePath } from './path.js';
import type { ItemIndex } from './search/item-index.js';

export interface SeriesList {
  readonly items: readonly BrowseEntry[];
  /** Number of series at the path; undefined if the upstream does not give it. */
  readonly total: number | undefined;
}

export interface Browser {
  folders(
    caller: GatewayCaller,
    provider: Provider,
    path: string,
    depth: number,
  ): Promise<WithAge<readonly BrowseEntry[]>>;
  series(caller: GatewayCaller, provider: Provider, path: string, page: Page): Promise<WithAge<SeriesList>>;
}

export const deepest = 3;

/**
 * Limits of prefetching, since a wide tree would need hundreds of requests at depth 3. Folders beyond them have no `children` and are
 * browsed by their path. No prefetching at upstreams that count requests by hour or day.
 */
const prefetchMs = 10_000;
const maxPrefetched = 40;
const maxPrefetchedOfFew = 5;

interface Allowance {
  requests: number;
  readonly untilMs: number;
}

const allowanceFor = ({ limits }: Provider, nowMs: number): Allowance => {
  const rates = [limits.anonymous, limits.keyed];
  const few = rates.some((rate) => (rate?.perHour ?? rate?.perDay ?? Number.POSITIVE_INFINITY) < 1_000);
  return { requests: few ? maxPrefetchedOfFew : maxPrefetched, untilMs: nowMs + prefetchMs };
};

export const notSupported = (provider: Provider, what: string): AppError =>
  invalid('operation_not_supported', `${provider.name} does not support ${what}.`, {
    capabilities: provider.capabilities,
  });

export const notImplemented = (provider: Provider, what: string): AppError =>
  new AppError(
    'not_implemented',
    'operation_not_implemented',
    `The connector of ${provider.name} does not implement ${what}.`,
  );

const toSeriesEntry = (at: readonly string[], item: Item): BrowseEntry => ({
  label: item.label,
  path: formatPath(item.path ?? [...at, item.id]),
  series_id: item.id,
  ...pick(item, ['description', 'frequency', 'units']),
});

export const createBrowser = (
  operations: Operations,
  index: Pick<ItemIndex, 'titles'>,
  now: () => number,
): Browser => {
  /** Items without a title from their upstream get that of the index. */
  const withTitles = async ({ slug }: Provider, items: readonly Item[]): Promise<readonly Item[]> => {
    const untitled = items.filter(({ id, label }) => label === id).map(({ id }) => id);
    if (untitled.length === 0) return items;
    const titles = await index.titles(slug, untitled);
    return items.map((item) =>
      item.label === item.id ? { ...item, label: titles.get(item.id) ?? item.id } : item,
    );
  };

  const requireHierarchy = async (provider: Provider, caller: GatewayCaller): Promise<void> => {
    if (!provider.capabilities.includes('hierarchical')) throw notSupported(provider, 'browsing');
    await operations.requireKey(provider, caller);
  };

  const foldersAt = (
    caller: GatewayCaller,
    provider: Provider,
    path: readonly string[],
  ): Promise<WithAge<readonly Folder[]>> => {
    const browse = provider.browse?.bind(provider);
    if (browse === undefined) throw notImplemented(provider, 'browsing');
    return operations.run({
      provider,
      caller,
      subject: { path },
      parts: ['browse', path],
      validity: 'structure',
      work: (ctx) => browse(path, ctx),
    });
  };

  /** One level at a time, so that the limit on requests leaves the upper levels complete. */
  const expand = async (
    caller: GatewayCaller,
    provider: Provider,
    at: readonly string[],
    folders: readonly Folder[],
    depth: number,
    left: Allowance,
  ): Promise<BrowseEntry[]> => {
    const entries: BrowseEntry[] = [];
    for (const { segment, label, leaf, children } of folders) {
      const path = [...at, segment];
      const entry = { label, path: formatPath(path) };
      const below =
        depth <= 1
          ? undefined
          : (children ?? (leaf === true ? [] : await prefetch(caller, provider, path, left)));
      entries.push(
        below === undefined
          ? entry
          : { ...entry, children: await expand(caller, provider, path, below, depth - 1, left) },
      );
    }
    return entries;
  };

  const prefetch = async (
    caller: GatewayCaller,
    provider: Provider,
    path: readonly string[],
    left: Allowance,
  ): Promise<readonly Folder[] | undefined> => {
    if (left.requests <= 0 || now() >= left.untilMs) return undefined;
    left.requests -= 1;
    try {
      return (await foldersAt(caller, provider, path)).value;
    } catch (error) {
      // The requested level is complete; levels that could not be prefetched are fetched when they are browsed.
      if (error instanceof AppError && error.kind !== 'unexpected') {
        left.requests = 0;
        return undefined;
      }
      throw error;
    }
  };

  return {
    async folders(caller, provider, path, depth) {
      await requireHierarchy(provider, caller);
      const at = parsePath(path);
      const { value, ...age } = await foldersAt(caller, provider, at);
      return {
        value: await expand(caller, provider, at, value, depth, allowanceFor(provider, now())),
        ...age,
      };
    },
    async series(caller, provider, path, page) {
      await requireHierarchy(provider, caller);
      const seriesAt = provider.seriesAt?.bind(provider);
      if (seriesAt === undefined) throw notImplemented(provider, 'lists of series');
      const at = parsePath(path);
      const { value, ...age } = await operations.run<SeriesPage>({
        provider,
        caller,
        subject: { path: at },
        parts: ['series at', at, page.limit, page.offset],
        validity: 'list',
        work: (ctx) => seriesAt(at, page, ctx),
      });
      const items = await withTitles(provider, value.items);
      return {
        value: { items: items.map((item) => toSeriesEntry(at, item)), total: value.total },
        ...age,
      };
    },
  };
};

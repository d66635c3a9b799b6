import { unknownPath } from '../errors.js';
import { allPages } from '../listing.js';
import type { Context, Folder } from '../provider.js';
import { filled, readShape } from '../shape.js';
import {
  type Category,
  datasetsReply,
  named,
  providerReply,
  providersReply,
  seriesReply,
} from './replies.js';

/** Most datasets in one reply. */
const datasetsPerPage = 500;

interface Entry {
  readonly code: string;
  readonly name: string;
}

/** All entries of a paged list. */
const fetchAll = async (
  fetchPage: (
    offset: number,
  ) => Promise<{ docs: readonly { code: string; name?: string | null | undefined }[]; num_found: number }>,
): Promise<readonly Entry[]> => {
  const { items } = await allPages(named, async (offset) => {
    const { docs, num_found: total } = await fetchPage(offset);
    return { total, items: docs.map(({ code, name }): Entry => ({ code, name: filled(name) ?? code })) };
  });
  return items;
};

export const fetchProviders = ({ http }: Context): Promise<readonly Entry[]> =>
  fetchAll(async (offset) => {
    const query = offset === 0 ? {} : { offset };
    const payload = await http.json({ path: ['providers'], query, keep: 'structure' });
    return readShape(named, providersReply, payload).providers;
  });

const fetchDatasets = (provider: string, { http }: Context): Promise<readonly Entry[]> =>
  fetchAll(async (offset) => {
    const query = { limit: datasetsPerPage, offset };
    const payload = await http.json({ path: ['datasets', provider], query, keep: 'structure' });
    return readShape(named, datasetsReply, payload).datasets;
  });

/** The tree of a provider; if it has none, its datasets as a flat list. */
const fetchTree = async (provider: string, ctx: Context): Promise<readonly Category[]> => {
  const payload = await ctx.http.json({ path: ['providers', provider], keep: 'structure' });
  const { category_tree: tree } = readShape(named, providerReply, payload);
  return tree === null || tree === undefined || tree.length === 0 ? fetchDatasets(provider, ctx) : tree;
};

const segmentOf = ({ code, name }: Category): string => filled(code) ?? filled(name) ?? '';

const isDataset = ({ children }: Category): boolean => children === null || children === undefined;

export const toFolders = (categories: readonly Category[]): Folder[] => {
  const folders = new Map<string, Folder>();
  for (const one of categories) {
    const segment = segmentOf(one);
    if (segment === '' || folders.has(segment)) continue;
    const label = filled(one.name) ?? segment;
    folders.set(
      segment,
      isDataset(one)
        ? { segment, label, leaf: true }
        : { segment, label, children: toFolders(one.children ?? []) },
    );
  }
  return [...folders.values()];
};

const requireDataset = async (provider: string, dataset: string, { http }: Context): Promise<void> => {
  const query = { observations: 0, metadata: 0, limit: 1, offset: 0 };
  readShape(
    named,
    seriesReply,
    await http.json({ path: ['series', provider, dataset], query, keep: 'list' }),
  );
};

/** Categories or the dataset at a path below the root. */
export const openPath = async (
  path: readonly string[],
  ctx: Context,
): Promise<{ readonly categories: readonly Category[] } | { readonly dataset: string }> => {
  const [provider = '', ...segments] = path;
  let categories = await fetchTree(provider, ctx);
  for (const [index, segment] of segments.entries()) {
    const found = categories.find((one) => segmentOf(one) === segment);
    const last = index === segments.length - 1;
    if (found === undefined && last && index === 0) {
      await requireDataset(provider, segment, ctx);
      return { dataset: segment };
    }
    if (found === undefined || (isDataset(found) && !last)) throw unknownPath(named, path);
    if (isDataset(found)) return { dataset: segment };
    categories = found.children ?? [];
  }
  return { categories };
};

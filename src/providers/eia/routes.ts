import { unknownPath } from '../errors.js';
import { loadPart } from '../listing.js';
import type { Context, Folder, Item, Page, SeriesPage, UpstreamHttp } from '../provider.js';
import { capitalised, readShape } from '../shape.js';
import { facetReply, type Node, named, nodeReply } from './reply.js';

/** Parts after a leaf route that are not routes. */
const reserved: ReadonlySet<string> = new Set(['data', 'facet', 'seriesid']);

export const isRoute = (parts: readonly string[]): boolean =>
  parts.every((part) => /^[\w-]{1,60}$/.test(part) && !reserved.has(part.toLowerCase()));

export const fetchNode = async (route: readonly string[], http: UpstreamHttp): Promise<Node> =>
  readShape(named, nodeReply, await http.json({ path: [...route, ''], keep: 'structure' }));

const fetchFacet = async (route: readonly string[], facet: string, http: UpstreamHttp) =>
  readShape(named, facetReply, await http.json({ path: [...route, 'facet', facet, ''], keep: 'structure' }));

/** Hours in local time: their periods have a zone, and the same hours are available in UTC. */
export const isLocal = (frequency: string): boolean => frequency === 'local-hourly';

/** If there is a facet of series codes, it names every series; the other facets only repeat parts of it. */
const facetsToChoose = ({ facets }: Node): readonly string[] => {
  const ids = facets.map(({ id }) => id);
  const series = ids.find((id) => id === 'series' || id === 'seriesId');
  return series === undefined ? ids : [series];
};

interface BrowsedRoute {
  readonly route: readonly string[];
  readonly node: Node;
  /** `facet=code` of the selected facets. */
  readonly chosen: readonly string[];
  /** The facets of a leaf that are not selected yet; the last of them determines the series. */
  readonly open: readonly string[];
}

/** First the routes, then `facet=code` for each facet in order, except the last one. */
const findRoute = async (path: readonly string[], http: UpstreamHttp): Promise<BrowsedRoute> => {
  const cut = path.findIndex((part) => part.includes('='));
  const route = cut === -1 ? path : path.slice(0, cut);
  const chosen = cut === -1 ? [] : path.slice(cut);
  if (!isRoute(route)) throw unknownPath(named, path);
  const node = await fetchNode(route, http);
  const facets = node.routes === undefined ? facetsToChoose(node) : [];
  if (chosen.length > 0 && chosen.length >= facets.length) throw unknownPath(named, path);
  for (const [index, part] of chosen.entries()) {
    const facet = facets[index] ?? '';
    const known = part.startsWith(`${facet}=`) ? await fetchFacet(route, facet, http) : [];
    if (!known.some(({ id }) => part === `${facet}=${id}`)) throw unknownPath(named, path);
  }
  return { route, node, chosen, open: facets.slice(chosen.length) };
};

export const browse = async (path: readonly string[], { http }: Context): Promise<readonly Folder[]> => {
  const { route, node, open } = await findRoute(path, http);
  if (node.routes !== undefined) {
    return node.routes.map(({ id, name }) => ({ segment: id, label: name || id }));
  }
  const [facet] = open;
  if (facet === undefined || open.length === 1) return [];
  const values = await fetchFacet(route, facet, http);
  return values.map(({ id, name }) => ({
    segment: `${facet}=${id}`,
    label: name,
    leaf: open.length === 2,
  }));
};

/** Combinations of codes of the last facet, frequencies and data columns, in this order. */
export const seriesAt = async (
  path: readonly string[],
  { limit, offset }: Page,
  { http }: Context,
): Promise<SeriesPage> => {
  const { route, node, chosen, open } = await findRoute(path, http);
  if (node.routes !== undefined || open.length > 1) return { items: [], total: 0 };
  const [facet] = open;
  const values =
    facet === undefined ? [{ id: '', name: node.name ?? '' }] : await fetchFacet(route, facet, http);
  const columns = Object.entries(node.data ?? {});
  const kinds = node.frequency
    .filter(({ id }) => !isLocal(id))
    .flatMap((frequency) =>
      columns.map(([column, described]) => ({ frequency: frequency.id, column, described })),
    );
  const total = values.length * kinds.length;
  const items: Item[] = [];
  for (let index = offset; index < Math.min(offset + limit, total); index += 1) {
    const value = values[Math.floor(index / kinds.length)];
    const kind = kinds[index % kinds.length];
    if (value === undefined || kind === undefined) break;
    const { frequency, column, described } = kind;
    const code = facet === undefined ? [] : [`${facet}=${value.id}`];
    items.push({
      id: [...route, frequency, column, ...chosen, ...code].join('/'),
      label: [
        value.name,
        ...(columns.length > 1 ? [described.alias || column] : []),
        capitalised(frequency),
      ].join(', '),
      description: node.name || undefined,
      frequency: capitalised(frequency),
      units: described.units || undefined,
      path,
    });
  }
  return { items, total };
};

/** All routes, some 300 requests. The series of the routes are millions of combinations. */
export const listAll = async function* (ctx: Context): AsyncGenerator<Item> {
  const waiting: string[][] = [[]];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const route = path;
    const load = () => fetchNode(route, ctx.http);
    // The root is required; any other node may be missing.
    const node = route.length === 0 ? await load() : await loadPart(ctx, route.join('/'), load);
    for (const { id, name, description } of node?.routes ?? []) {
      const below = [...path, id];
      if (!isRoute(below)) continue;
      waiting.push(below);
      yield {
        id: below.join('/'),
        label: name || id,
        description: description || undefined,
        kind: 'folder',
        path: below,
      };
    }
  }
};

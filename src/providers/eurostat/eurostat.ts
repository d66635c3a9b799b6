import type { AppError } from '../../lib/errors.js';
import { isSeriesMissing, unknownPath } from '../errors.js';
import { readCube, readCubeSeries } from '../json-stat.js';
import { pageOf } from '../listing.js';
import type { Context, Folder, Item, Provider, SeriesData } from '../provider.js';
import { rangeParameters, withinBounds } from '../range.js';
import type { Dimension } from '../sdmx/structure.js';
import { keyNotFound } from '../series-key.js';
import { findEntry, listDatasets, readContents, toFolders } from './contents.js';
import { metadataOf, withoutEmptyTwins } from './cube.js';
import { fetchDimensions, hasCode, selectionOf } from './dimensions.js';
import { families, listFamilies, popularSeries } from './families.js';
import { named, seriesIdPlaceholder, timeDimension } from './named.js';
import { explainNotice } from './notices.js';
import { panel } from './panel.js';

const fetchContents = async ({ http }: Context) => {
  const { text } = await http.text({
    path: ['catalogue', 'toc', 'txt'],
    query: { lang: 'en' },
    keep: 'structure',
    timeoutMs: 60_000,
  });
  return readContents(text);
};

const fetchSeries = async (
  seriesId: string,
  lastTimePeriod: number | undefined,
  ctx: Context,
): Promise<SeriesData> => {
  const { dataset, query } = await selectionOf(seriesId, ctx);
  const request = {
    path: ['statistics', '1.0', 'data', dataset],
    query: { format: 'JSON', lang: 'EN', ...query, lastTimePeriod },
  };
  const payload = await ctx.http.json(request).catch(async (error: unknown) => {
    throw isSeriesMissing(error) ? await nothingThere(seriesId, ctx) : error;
  });
  const cube = readCube(named, payload);
  const codes = cube.dimensions.flatMap(({ id, codes: [one] }) =>
    id === timeDimension || one === undefined ? [] : [one.label],
  );
  const data = withoutEmptyTwins(readCubeSeries(named, seriesId, cube, timeDimension));
  return {
    label: `${cube.label ?? dataset}: ${codes.join(' - ')}`,
    metadata: metadataOf(cube, payload, data),
    data,
  };
};

/** The codes of a series are checked before the request, so a refusal means that their combination has no data. */
const nothingThere = async (seriesId: string, ctx: Context): Promise<AppError> => {
  const { dataset, query } = await selectionOf(seriesId, ctx);
  return keyNotFound(named, seriesId, await fetchDimensions(dataset, ctx), Object.values(query));
};

/** Time of the last change of the dataset, from a cube of one period. */
const lastUpdate = async (seriesId: string, ctx: Context): Promise<string | undefined> => {
  const { dataset, query } = await selectionOf(seriesId, ctx);
  const payload = await ctx.http.json({
    path: ['statistics', '1.0', 'data', dataset],
    query: { format: 'JSON', lang: 'EN', ...query, lastTimePeriod: 1 },
  });
  return readCube(named, payload).updated;
};

const isEmpty = ({ data }: SeriesData): boolean => data.every(({ value }) => value === null);

const fetchWhole = async (seriesId: string, ctx: Context): Promise<SeriesData> => {
  const series = await fetchSeries(seriesId, undefined, ctx);
  // Known codes whose combination has no data are answered with empty cells.
  if (isEmpty(series)) throw await nothingThere(seriesId, ctx);
  return series;
};

const openDataset = async (
  path: readonly string[],
  dataset: string,
  codes: readonly string[],
  ctx: Context,
) => {
  const dimensions = await fetchDimensions(dataset, ctx);
  const known =
    codes.length < dimensions.length && codes.every((code, index) => hasCode(dimensions[index], code));
  if (!known) throw unknownPath(named, path);
  return dimensions;
};

const foldersOf = (dimensions: readonly Dimension[], depth: number): Folder[] => {
  const next = dimensions[depth];
  if (next === undefined || depth === dimensions.length - 1) return [];
  const leaf = depth + 2 === dimensions.length;
  return [...next.codes].map(([segment, label]) => ({ segment, label, leaf: leaf || undefined }));
};

/**
 * Paths are folders of the table of contents, a dataset, then codes of its dimensions; the last dimension, usually the country, is the list
 * of series. A series id is `dataset/CODE.CODE…`, one code per dimension except time.
 */
export const eurostat: Provider = {
  ...named,
  provider: 'Eurostat, European Commission',
  description:
    'Official statistics of the European Union: economy (GDP), prices (inflation, HICP), population, labour, trade, industry, environment, regions.',
  capabilities: ['hierarchical', 'search'],
  license: 'CC BY 4.0, Eurostat copyright notice: https://ec.europa.eu/eurostat/help/copyright-notice',
  attribution: 'Source: Eurostat',
  parameters: rangeParameters('period'),
  popularSeries,
  patterns: families,
  seriesIdPlaceholder,
  browseRootLabel: 'Table of contents',

  baseUrl: 'https://ec.europa.eu/eurostat/api/dissemination',
  // No rate is published; a reply has at most 5,000,000 cells.
  limits: { anonymous: { perSecond: 3 }, resetZone: 'Europe/Brussels', maxConcurrent: 2 },
  validity: { structure: 43_200, list: 43_200, series: 21_600 },
  timeoutMs: 30_000,

  explain: explainNotice,

  async browse(path, ctx) {
    const { entries, dataset, codes } = findEntry(await fetchContents(ctx), path);
    if (dataset === undefined) return toFolders(entries);
    return foldersOf(await openDataset(path, dataset.code, codes, ctx), codes.length);
  },

  async seriesAt(path, page, ctx) {
    const { dataset, codes } = findEntry(await fetchContents(ctx), path);
    if (dataset === undefined) return { items: [], total: 0 };
    const dimensions = await openDataset(path, dataset.code, codes, ctx);
    const last = dimensions.at(-1);
    // At higher levels the list would be a product of code lists, most of which has no data.
    if (last === undefined || codes.length < dimensions.length - 1) return { items: [], total: 0 };
    const chosen = codes.map((code, index) => dimensions[index]?.codes.get(code) ?? code);
    const items = [...last.codes].map(
      ([code, label]): Item => ({
        id: `${dataset.code}/${[...codes, code].join('.')}`,
        label: [...chosen, label].join(' - '),
        path,
      }),
    );
    return pageOf(items, page);
  },

  async *listAll(ctx) {
    yield* listDatasets(await fetchContents(ctx));
    yield* listFamilies(ctx);
  },

  async preview(seriesId, _params, ctx) {
    const newest = await fetchSeries(seriesId, 24, ctx);
    // The last periods are those of the dataset, so a series that ended before must be fetched whole.
    return isEmpty(newest) ? fetchWhole(seriesId, ctx) : newest;
  },

  /** The format of a bound depends on the frequency of the dataset, and one series is small, so the range is selected here. */
  async series(seriesId, params, ctx) {
    return withinBounds(await fetchWhole(seriesId, ctx), params);
  },

  lastUpdate: (seriesId, _params, ctx) => lastUpdate(seriesId, ctx),
  panel,
};

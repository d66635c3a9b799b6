import { z } from 'zod';
import { unknownPath } from '../errors.js';
import { joinedPanel } from '../panel.js';
import type { Folder, Provider } from '../provider.js';
import { filled, readShape } from '../shape.js';
import { titledLines } from '../titled-lines.js';
import { createPreview, lastUpdate, series } from './observations.js';
import { vintagePanel } from './panel.js';
import { parameters } from './parameters.js';
import { explain, named, seriesList, toItem } from './reply.js';
import { vintages } from './vintages.js';

const categoriesReply = z.object({
  categories: z.array(z.object({ id: z.number().int().nonnegative(), name: z.string() })),
});

const popularSeries = titledLines('popular/fred.txt');

const rootCategory = '0';

/**
 * `32992-national-accounts`: the number is FRED's, the words are for readers. Only the number identifies the category, so paths survive a
 * rename.
 */
const toFolder = ({ id, name }: { readonly id: number; readonly name: string }): Folder => {
  const words = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return { segment: [id, ...words].join('-'), label: filled(name) ?? String(id) };
};

const categoryOf = (path: readonly string[]): string => {
  const segment = path.at(-1);
  if (segment === undefined) return rootCategory;
  const id = /^(\d{1,9})(?:-.*)?$/u.exec(segment)?.[1];
  if (id === undefined) throw unknownPath(named, path);
  return id;
};

/** Documentation: https://fred.stlouisfed.org/docs/api/fred/ */
export const fred: Provider = {
  ...named,
  provider: 'Federal Reserve Bank of St. Louis',
  description:
    'Economic time series of the United States and other countries from more than a hundred sources: national accounts (GDP), prices (inflation, CPI), employment, interest and exchange rates, money, banking, trade, regional data.',
  capabilities: ['hierarchical', 'search', 'direct'],
  license:
    'FRED API terms of use: https://fred.stlouisfed.org/docs/api/terms_of_use.html. Series of third parties keep their own rights; see `copyright` of the series.',
  attribution:
    'This product uses the FRED API but is not endorsed or certified by the Federal Reserve Bank of St. Louis.',
  parameters,
  popularSeries,
  home: 'US',
  seriesIdPlaceholder: 'GDP',
  browseRootLabel: 'Categories',
  anonymousLimitMessage: 'Without a key only previews are available.',

  baseUrl: 'https://api.stlouisfed.org/fred',
  otherBaseUrls: { public: 'https://fred.stlouisfed.org/graph' },
  key: {
    label: 'FRED API key',
    url: 'https://fred.stlouisfed.org/docs/api/api_key.html',
    hint: 'Request a free key of 32 letters and digits at fred.stlouisfed.org and store it as your FRED key.',
    required: true,
    where: { in: 'query', name: 'api_key' },
    publicPreview: true,
  },
  // Documented as 120 per minute, enforced since 2026 as 2 per second. The limit of the website is not known.
  limits: { anonymous: { perSecond: 1 }, keyed: { perSecond: 2, perMinute: 120 }, maxConcurrent: 2 },
  validity: { structure: 86_400, list: 21_600, series: 3_600 },
  timeoutMs: 20_000,

  explain,

  async browse(path, { http }) {
    const payload = await http.json({
      path: ['category', 'children'],
      query: { category_id: categoryOf(path), file_type: 'json' },
      keep: 'structure',
    });
    return readShape(named, categoriesReply, payload).categories.map(toFolder);
  },

  async seriesAt(path, { limit, offset }, { http }) {
    const category = categoryOf(path);
    // The root has no series.
    if (category === rootCategory) return { items: [], total: 0 };
    const payload = await http.json({
      path: ['category', 'series'],
      query: { category_id: category, file_type: 'json', limit, offset },
    });
    const { count: total, seriess } = readShape(named, seriesList, payload);
    return { items: seriess.map((entry) => toItem(entry, path)), total };
  },

  async search(query, { http }) {
    const payload = await http.json({
      path: ['series', 'search'],
      query: { search_text: query, file_type: 'json', limit: 50 },
    });
    return readShape(named, seriesList, payload).seriess.map((entry) => toItem(entry));
  },

  preview: createPreview(new Map(popularSeries.map(({ id, label }) => [id, label]))),
  series,
  panel: async (seriesId, params, ctx) =>
    (await vintagePanel(seriesId, params, ctx)) ?? joinedPanel(fred, seriesId, params, ctx),
  lastUpdate,
  vintages,
};

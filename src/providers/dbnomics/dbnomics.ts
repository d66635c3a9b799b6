import { ambiguousSeries, malformedSeriesId, seriesNotFound } from '../errors.js';
import type { Context, Provider, SeriesData } from '../provider.js';
import { rangeParameters, withinBounds } from '../range.js';
import { filled, readShape } from '../shape.js';
import { titledLines } from '../titled-lines.js';
import { explainError } from './errors.js';
import { metadataOf, named, observationsOf, searchReply, seriesReply } from './replies.js';
import { fetchProviders, openPath, toFolders } from './tree.js';

/** Most entries in one reply. */
const seriesPerPage = 1000;
const hitsPerPage = 100;

const idForm = /^([^/\s,]+)\/([^/\s,]+)\/([^\s,]+)$/;

const fetchSeries = async (seriesId: string, ctx: Context): Promise<SeriesData> => {
  const [, provider = '', dataset = '', code = ''] = idForm.exec(seriesId) ?? [];
  if (code === '') throw malformedSeriesId(named, seriesId, dbnomics.seriesIdPlaceholder);
  const payload = await ctx.http.json({
    path: ['series', provider, dataset, code],
    // Two are enough to detect that a mask names several.
    query: { observations: 1, metadata: 1, limit: 2 },
  });
  const reply = readShape(named, seriesReply, payload);
  const [series] = reply.series.docs;
  if (series === undefined) throw seriesNotFound(named, seriesId);
  if (reply.series.docs.length > 1 || reply.series.num_found > 1) {
    throw ambiguousSeries(named, seriesId, 'a mask names several, give the code of one');
  }
  const data = observationsOf(series);
  return {
    label: filled(series.series_name) ?? series.series_code,
    metadata: metadataOf(seriesId, reply, series, data, ctx.today),
    data,
  };
};

/**
 * Paths are provider, categories, dataset; the service lists the series of a dataset page by page. `provider/dataset` is a path of a
 * dataset too, which the search uses.
 */
export const dbnomics: Provider = {
  ...named,
  provider: 'DBnomics, Cepremap',
  description:
    'Series of some ninety statistical offices, central banks and international organisations, copied and kept under one form.',
  capabilities: ['hierarchical', 'search'],
  license: 'The terms of the provider of the series; see its metadata and https://db.nomics.world/',
  attribution: 'Source: DBnomics and the provider of the series',
  parameters: rangeParameters('date'),
  popularSeries: titledLines('popular/dbnomics.txt'),
  seriesIdPlaceholder: 'AMECO/ZUTN/EA19.1.0.0.0.ZUTN',
  browseRootLabel: 'Providers',

  baseUrl: 'https://api.db.nomics.world/v22',
  // No limit is published.
  limits: { anonymous: { perSecond: 5 }, resetZone: 'Europe/Paris', maxConcurrent: 2 },
  validity: { structure: 86_400, list: 21_600, series: 21_600 },
  timeoutMs: 30_000,

  explain: explainError,

  async browse(path, ctx) {
    if (path.length === 0) {
      return (await fetchProviders(ctx)).map(({ code, name }) => ({ segment: code, label: name }));
    }
    const place = await openPath(path, ctx);
    return 'dataset' in place ? [] : toFolders(place.categories);
  },

  async seriesAt(path, { limit, offset }, ctx) {
    if (path.length === 0) return { items: [], total: 0 };
    const place = await openPath(path, ctx);
    if (!('dataset' in place)) return { items: [], total: 0 };
    const [provider = ''] = path;
    const payload = await ctx.http.json({
      path: ['series', provider, place.dataset],
      query: { observations: 0, metadata: 0, limit: Math.min(limit, seriesPerPage), offset },
      keep: 'list',
    });
    const { series } = readShape(named, seriesReply, payload);
    const items = series.docs.map((doc) => ({
      id: `${provider}/${place.dataset}/${doc.series_code}`,
      label: filled(doc.series_name) ?? doc.series_code,
      path,
      frequency: filled(doc['@frequency']),
    }));
    return { items, total: series.num_found };
  },

  /** Finds datasets; their series are listed at the path. */
  async search(query, { http }) {
    const payload = await http.json({
      path: ['search'],
      query: { q: query, limit: hitsPerPage },
      keep: 'list',
    });
    return readShape(named, searchReply, payload).results.docs.map((doc) => ({
      id: `${doc.provider_code}/${doc.code}`,
      label: filled(doc.name) ?? doc.code,
      kind: 'folder',
      path: [doc.provider_code, doc.code],
      description: filled(doc.description) ?? filled(doc.provider_name),
    }));
  },

  /** The service has no filter for periods, so the gateway selects the range. */
  preview: (seriesId, _params, ctx) => fetchSeries(seriesId, ctx),

  async series(seriesId, params, ctx) {
    return withinBounds(await fetchSeries(seriesId, ctx), params);
  },
};

import { invalid } from '../../lib/errors.js';
import { isSeriesMissing, seriesNotFound } from '../errors.js';
import { commonMetadata } from '../panel.js';
import type { Params } from '../parameter.js';
import type { Context, PanelData } from '../provider.js';
import { withinBounds } from '../range.js';
import { checkId, fetchRange, toSeries } from './observations.js';
import { named } from './reply.js';

/** Series that one request may name. */
const idsPerRequest = ({ key }: Context): number => (key === 'none' ? 25 : 50);

/** Series of one panel: with a key, two requests for each 20 years. */
const mostIds = 100;

/** The service refuses a request for one series that it does not know; of several it gives the others. */
const fetchSome = (ids: readonly string[], params: Params, ctx: Context): ReturnType<typeof fetchRange> =>
  fetchRange(ids, params, ctx).catch((error: unknown) => {
    if (!isSeriesMissing(error)) throw error;
    return { found: ids.map(() => undefined), requests: 1 };
  });

/** Series whose ids are joined by `+`, as many in one request as the service allows. */
export const panel = async (seriesId: string, params: Params, ctx: Context): Promise<PanelData> => {
  const ids = [...new Set(seriesId.split('+'))];
  for (const id of ids) checkId(id);
  if (ids.length > mostIds) {
    throw invalid(
      'panel_too_large',
      `A panel of ${named.name} has at most ${mostIds} series, not ${ids.length}.`,
      { provider: named.slug, series: ids.length, limit: mostIds },
    );
  }
  const series = [];
  const missing: string[] = [];
  let requests = 0;
  for (let first = 0; first < ids.length; first += idsPerRequest(ctx)) {
    const some = ids.slice(first, first + idsPerRequest(ctx));
    const { found, requests: sent } = await fetchSome(some, params, ctx);
    requests += sent;
    for (const [place, id] of some.entries()) {
      const one = found[place];
      if (one === undefined) missing.push(id);
      else series.push({ ...withinBounds(toSeries(id, one), params), id });
    }
  }
  if (series.length === 0) throw seriesNotFound(named, seriesId, 'It knows none of them.', { missing });
  return {
    label: series.length > 3 ? `${series.length} series` : series.map(({ label }) => label).join('; '),
    metadata: { ...commonMetadata(series), upstream_requests: requests },
    dimensions: [{ id: 'series', label: 'Series' }],
    series: series.map(({ id, label, data }) => ({ codes: [id], labels: [label], data })),
    ...(missing.length === 0 ? {} : { missing }),
  };
};

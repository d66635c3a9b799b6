import { isSeriesMissing } from '../errors.js';
import { joinedIds, panelOfSeries } from '../panel.js';
import type { Params } from '../parameter.js';
import type { Context, PanelData, SeriesData } from '../provider.js';
import { withinBounds } from '../range.js';
import { checkId, fetchRange, toSeries } from './observations.js';
import { named } from './reply.js';

/** Maximum series of one request. */
const idsPerRequest = ({ key }: Context): number => (key === 'none' ? 25 : 50);

/** Maximum series of one panel: with a key, two requests per 20 years. */
const maxIds = 100;

/** The service refuses a request for a single unknown series; of several it returns the known ones. */
const fetchSome = (ids: readonly string[], params: Params, ctx: Context): ReturnType<typeof fetchRange> =>
  fetchRange(ids, params, ctx).catch((error: unknown) => {
    if (!isSeriesMissing(error)) throw error;
    return { found: ids.map(() => undefined), requests: 1 };
  });

/** Series whose ids are joined with `+`, as many per request as the service allows. */
export const panel = async (seriesId: string, params: Params, ctx: Context): Promise<PanelData> => {
  const ids = joinedIds(named, seriesId, maxIds);
  for (const id of ids) checkId(id);
  const series = new Map<string, SeriesData | undefined>();
  let requests = 0;
  for (let first = 0; first < ids.length; first += idsPerRequest(ctx)) {
    const some = ids.slice(first, first + idsPerRequest(ctx));
    const { found, requests: sent } = await fetchSome(some, params, ctx);
    requests += sent;
    for (const [place, id] of some.entries()) {
      const one = found[place];
      series.set(id, one === undefined ? undefined : withinBounds(toSeries(id, one), params));
    }
  }
  const joined = panelOfSeries(named, seriesId, series);
  return { ...joined, metadata: { ...joined.metadata, upstream_requests: requests } };
};

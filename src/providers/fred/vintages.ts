import { z } from 'zod';
import { malformedSeriesId, unexpectedReply } from '../errors.js';
import { allPages } from '../listing.js';
import { readValue } from '../numbers.js';
import type { Params } from '../parameter.js';
import type { Context, UpstreamHttp, VintageValue } from '../provider.js';
import { count, day, readShape, written } from '../shape.js';
import { idForm, missing, optionsOf, pageSize } from './observations.js';
import { isNotPublished, named } from './reply.js';

/**
 * ALFRED, the archive of FRED: the values of a series on each day on which it was published or revised. Documentation:
 * https://fred.stlouisfed.org/docs/api/fred/series_vintagedates.html and realtime_period.html
 */

/** Maximum days of one page. */
const daysPageSize = 10_000;

const daysReply = z.object({ count, vintage_dates: z.array(day) });

const observationsReply = z.object({
  count,
  observations: z.array(
    z.object({ realtime_start: day, realtime_end: day, date: day, value: written.optional() }),
  ),
});

/** Values of a window, each once per revision: far more than a series has. */
const mostValues = 2_000_000;

/** Days of all vintages, oldest first. */
const days = async (seriesId: string, { http }: Context): Promise<readonly string[]> => {
  if (!idForm.test(seriesId)) throw malformedSeriesId(named, seriesId, 'GDP');
  const { items: found } = await allPages(named, async (offset) => {
    const payload = await http.json({
      path: ['series', 'vintagedates'],
      query: { series_id: seriesId, file_type: 'json', limit: daysPageSize, offset },
    });
    const reply = readShape(named, daysReply, payload);
    return { total: reply.count, items: reply.vintage_dates };
  });
  return [...new Set(found)].sort();
};

const fetchWindow = (seriesId: string, params: Params, window: readonly string[], http: UpstreamHttp) =>
  allPages(
    named,
    async (offset) => {
      const payload = await http.json({
        path: ['series', 'observations'],
        query: {
          series_id: seriesId,
          file_type: 'json',
          ...optionsOf(params),
          // Values with their real-time periods, limited to the window; FRED refuses windows of more than 2,000 vintages.
          realtime_start: window[0],
          realtime_end: window.at(-1),
          output_type: 1,
          limit: pageSize,
          offset,
        },
      });
      const reply = readShape(named, observationsReply, payload);
      const items = reply.observations.map(
        ({ realtime_start, realtime_end, date, value }): VintageValue => ({
          date,
          ...readValue(value, missing),
          from: realtime_start,
          until: realtime_end,
        }),
      );
      return { total: reply.count, items };
    },
    mostValues,
  );

export const vintages = {
  days,
  async values(
    seriesId: string,
    params: Params,
    window: readonly string[],
    { http }: Context,
  ): Promise<readonly VintageValue[]> {
    const values = await fetchWindow(seriesId, params, window, http).catch((error: unknown) => {
      // Datasets of several series also have vintages from before the first one of this series.
      if (isNotPublished(error)) return undefined;
      throw error;
    });
    if (values === undefined) return [];
    // Over its limit FRED may return no rows at all; without bounds no series is empty.
    if (values.items.length === 0 && params.start === undefined && params.end === undefined)
      throw unexpectedReply(named, 'no observations in a vintage');
    return values.items;
  },
};

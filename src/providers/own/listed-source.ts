import { seriesNotFound } from '../errors.js';
import type { Context, Provider, SeriesData } from '../provider.js';
import { rangeParameters, withinBounds } from '../range.js';

/** Properties of the provider that are the same for every kind of source. */
export type Base = Omit<Provider, 'capabilities' | 'parameters' | 'preview' | 'series'>;

interface ListedSeries {
  readonly id: string;
  readonly label: string;
  readonly description?: string | undefined;
  readonly frequency?: string | undefined;
}

/**
 * A source with the series listed in its record.
 * @param fetch Reads the whole series; ranges are selected here.
 */
export const createListedSource = <S extends ListedSeries>(
  base: Base,
  listed: readonly S[],
  fetch: (series: S, ctx: Context) => Promise<SeriesData>,
): Provider => {
  const read = async (seriesId: string, ctx: Context): Promise<SeriesData> => {
    const series = listed.find(({ id }) => id === seriesId);
    if (series === undefined) throw seriesNotFound(base, seriesId);
    return fetch(series, ctx);
  };
  return {
    ...base,
    capabilities: ['search'],
    parameters: rangeParameters('date'),
    async *listAll() {
      for (const { id, label, description, frequency } of listed) yield { id, label, description, frequency };
    },
    preview: (seriesId, _params, ctx) => read(seriesId, ctx),
    series: async (seriesId, params, ctx) => withinBounds(await read(seriesId, ctx), params),
  };
};

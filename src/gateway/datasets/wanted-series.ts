import type { SeriesAnswer } from '../series-answer.js';

/** Parameters as the caller sent them. */
export type GivenParams = Readonly<Record<string, unknown>>;

/** One series of a dataset. */
export interface WantedSeries {
  /** Value of the column Series. */
  readonly name: string;
  readonly id: string;
  readonly params: GivenParams;
}

export type UnnamedSeries = Omit<WantedSeries, 'name'>;

const sorted = (params: GivenParams): [string, unknown][] =>
  Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1));

const spelled = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * Names series for the column Series and removes duplicates. The name is the id; series with the same id also have the parameters in which
 * they differ: `SP.POP.TOTL?country=NOR`.
 */
export const nameSeries = (given: readonly UnnamedSeries[]): WantedSeries[] => {
  const unique = new Map(given.map((one) => [JSON.stringify([one.id, sorted(one.params)]), one]));
  return [...unique.values()].map((one) => {
    const others = [...unique.values()].filter((other) => other !== one && other.id === one.id);
    const differing = sorted(one.params)
      .filter(([key, value]) => others.some(({ params }) => spelled(params[key]) !== spelled(value)))
      .map(([key, value]) => `${key}=${spelled(value)}`);
    return { ...one, name: differing.length === 0 ? one.id : `${one.id}?${differing.join('&')}` };
  });
};

/** Stores a start that the provider chose, so that it does not move from year to year. */
export const withChosenStart = (
  series: readonly WantedSeries[],
  answers: readonly Pick<SeriesAnswer, 'params'>[],
): WantedSeries[] =>
  series.map((one, place) => {
    const start = answers[place]?.params.start;
    return start === undefined ? one : { ...one, params: { ...one.params, start } };
  });

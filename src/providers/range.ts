import { boundDay } from './dates.js';
import type { Parameter, Params } from './parameter.js';
import type { SeriesData } from './provider.js';

/** Parameters for the bounds of the range, by days or by periods. */
export const rangeParameters = (
  unit: 'date' | 'period',
  location: Parameter['location'] = 'query',
): readonly Parameter[] => [
  { key: 'start', label: `First ${unit}`, type: 'text', location, format: 'date' },
  { key: 'end', label: `Last ${unit}`, type: 'text', location, format: 'date' },
];

/** The caller's bound as a day: the first or the last one of its year or month. */
export const boundOf = (params: Params, side: 'start' | 'end'): string | undefined =>
  params[side] === undefined ? undefined : boundDay(String(params[side]), side);

export const yearOf = (bound: string | number | undefined): number | undefined =>
  bound === undefined ? undefined : Number(String(bound).slice(0, 4));

/** Selects the requested range, for services that do not apply both bounds. */
export const withinBounds = (series: SeriesData, params: Params): SeriesData => {
  const from = boundOf(params, 'start') ?? '';
  const to = boundOf(params, 'end') ?? '9999';
  return { ...series, data: series.data.filter(({ date }) => date >= from && date <= to) };
};

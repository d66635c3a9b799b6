import { boundDay } from './dates.js';
import type { Parameter, Params } from './parameter.js';
import type { SeriesData } from './provider.js';

/** The bounds of the range, by days or by periods of any length. */
export const rangeParameters = (
  unit: 'date' | 'period',
  location: Parameter['location'] = 'query',
): readonly Parameter[] => [
  { key: 'start', label: `First ${unit}`, type: 'text', location, format: 'date' },
  { key: 'end', label: `Last ${unit}`, type: 'text', location, format: 'date' },
];

/** The caller's bound as a day: the first or the last of the year or month that it names. */
export const boundOf = (params: Params, side: 'start' | 'end'): string | undefined =>
  params[side] === undefined ? undefined : boundDay(String(params[side]), side);

/** Year of a bound, if the bound is set. */
export const yearOf = (bound: string | number | undefined): number | undefined =>
  bound === undefined ? undefined : Number(String(bound).slice(0, 4));

/** Cuts to the caller's bounds, for services that do not apply both. */
export const withinBounds = (series: SeriesData, params: Params): SeriesData => {
  const from = boundOf(params, 'start') ?? '';
  const to = boundOf(params, 'end') ?? '9999';
  return { ...series, data: series.data.filter(({ date }) => date >= from && date <= to) };
};

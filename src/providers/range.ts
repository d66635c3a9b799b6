import { boundDay } from './dates.js';
import type { Parameter, Params, SeriesData } from './provider.js';

/** The bounds of the range, by days or by periods of any length. */
export const rangeParameters = (
  unit: 'date' | 'period',
  location: Parameter['location'] = 'query',
): readonly Parameter[] => [
  { key: 'start', label: `First ${unit}`, type: 'text', location, format: 'date' },
  { key: 'end', label: `Last ${unit}`, type: 'text', location, format: 'date' },
];

/** Cuts to the caller's bounds, for services that do not apply both. */
export const withinBounds = (series: SeriesData, { start, end }: Params): SeriesData => {
  const from = start === undefined ? '' : (boundDay(String(start), 'start') ?? '');
  const to = end === undefined ? '9999' : (boundDay(String(end), 'end') ?? '9999');
  return { ...series, data: series.data.filter(({ date }) => date >= from && date <= to) };
};

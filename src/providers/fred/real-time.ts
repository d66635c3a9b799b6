import { invalid } from '../../lib/errors.js';
import { ambiguousSeries } from '../errors.js';
import type { Params } from '../parameter.js';
import { named } from './reply.js';

/** First and last day of a real-time period; undefined without one. @throws AppError 400. */
export const periodOf = (
  params: Params,
): { readonly start: string; readonly end: string; readonly others: Params } | undefined => {
  const { realtimeStart, realtimeEnd, asOf, ...others } = params;
  if (realtimeStart === undefined && realtimeEnd === undefined) return undefined;
  const refuse = (text: string) =>
    invalid('invalid_parameter', `${text} (${named.name}).`, { parameter: 'realtimeStart' });
  if (asOf !== undefined)
    throw refuse(`'asOf' is a real-time period of one day: leave 'realtimeStart' and 'realtimeEnd' out`);
  const [start, end] = [String(realtimeStart ?? realtimeEnd), String(realtimeEnd ?? realtimeStart)];
  if (start > end) throw refuse(`'realtimeStart' must not be after 'realtimeEnd'`);
  return { start, end, others };
};

/** The parameters of one series: a real-time period of one day becomes `asOf`, a longer one has several vintages. */
export const withAsOf = (seriesId: string, params: Params): Params => {
  const period = periodOf(params);
  if (period === undefined) return params;
  const { start, end, others } = period;
  if (start === end) return { ...others, asOf: start };
  throw ambiguousSeries(
    named,
    seriesId,
    `${start} to ${end} may have several vintages, give one day as 'asOf'`,
  );
};

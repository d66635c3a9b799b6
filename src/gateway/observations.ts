import { parseDay } from '../providers/dates.js';
import { ambiguousSeries, unexpectedReply } from '../providers/errors.js';
import { parseDecimal } from '../providers/numbers.js';
import type { Observation, Provider } from '../providers/provider.js';

export const previewLength = 24;

const byDate = (a: Observation, b: Observation): number => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0);

/**
 * Sorts observations, oldest first, one per date. Equal duplicates (of overlapping pages) are dropped; two different values for one date
 * mean that the id names several series.
 */
export const orderObservations = (
  provider: Provider,
  seriesId: string,
  observations: readonly Observation[],
): Observation[] => {
  const ordered: Observation[] = [];
  for (const one of [...observations].sort(byDate)) {
    if (parseDay(one.date) === undefined) throw unexpectedReply(provider, 'a date that is not one');
    if (one.value !== null && parseDecimal(one.value) !== one.value)
      throw unexpectedReply(provider, 'a value that is not a number');
    const before = ordered.at(-1);
    if (before?.date !== one.date) ordered.push(one);
    else if (before.value !== one.value) {
      throw ambiguousSeries(
        provider,
        seriesId,
        `there are two values for ${one.date}; name every part of the id`,
      );
    }
  }
  return ordered;
};

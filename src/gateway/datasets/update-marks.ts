import { isAppError } from '../../lib/errors.js';
import { storableText } from '../../lib/well-formed.js';
import type { GatewayCaller } from '../caller.js';
import type { Gateway } from '../gateway.js';
import type { SeriesAnswer } from '../series-answer.js';
import type { UpdateMarks } from './series-dataset-records.js';
import type { WantedSeries } from './wanted-series.js';

interface Wanted {
  readonly slug: string;
  readonly series: readonly WantedSeries[];
  readonly nowMs: number;
}

/** A mark that is only a day does not cover later updates on that day. */
const isSettled = (mark: string, nowMs: number): boolean =>
  !/^\d{4}-\d{2}-\d{2}$/.test(mark) || mark < new Date(nowMs - 86_400_000).toISOString().slice(0, 10);

/** Reads the last update of each series. Returns none if one of them is unknown, since all values must be requested then. */
export const readMarks = async (
  gateway: Pick<Gateway, 'lastUpdate'>,
  caller: GatewayCaller,
  { slug, series, nowMs }: Wanted,
): Promise<UpdateMarks> => {
  const marks: string[] = [];
  for (const { id, params } of series) {
    try {
      const mark = await gateway.lastUpdate(caller, slug, id, params);
      if (mark === undefined || !isSettled(mark, nowMs)) return [];
      marks.push(storableText(mark));
    } catch (error) {
      // The request for the values follows and reports the error.
      if (isAppError(error)) return [];
      throw error;
    }
  }
  return marks;
};

/** Returns true if no series changed since its values were fetched. */
export const sameMarks = (before: UpdateMarks, now: UpdateMarks): boolean =>
  now.length > 0 && now.length === before.length && now.every((mark, place) => mark === before[place]);

/** Returns the marks to store: none if values come from the cache, which may be older than the updates of the marks. */
export const marksToKeep = (
  marks: UpdateMarks,
  answers: readonly Pick<SeriesAnswer, 'ageSeconds'>[],
): UpdateMarks => (answers.some(({ ageSeconds }) => ageSeconds > 0) ? [] : marks);

import { isAppError } from '../../lib/errors.js';
import type { GatewayCaller } from '../caller.js';
import type { Gateway } from '../gateway.js';
import type { SeriesAnswer } from '../series-answer.js';
import type { UpdateMarks } from './series-dataset-records.js';

interface Wanted {
  readonly slug: string;
  readonly seriesIds: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  readonly nowMs: number;
}

/** A mark that names a day alone says nothing of what is published later on that day. */
const isSettled = (mark: string, nowMs: number): boolean =>
  !/^\d{4}-\d{2}-\d{2}$/.test(mark) || mark < new Date(nowMs - 86_400_000).toISOString().slice(0, 10);

/** When each series changed last; ends at the first that is not told, since all have to be asked for then. */
export const readMarks = async (
  gateway: Pick<Gateway, 'lastUpdate'>,
  caller: GatewayCaller,
  { slug, seriesIds, params, nowMs }: Wanted,
): Promise<UpdateMarks> => {
  const marks: string[] = [];
  for (const id of seriesIds) {
    try {
      const mark = await gateway.lastUpdate(caller, slug, id, params);
      if (mark === undefined || !isSettled(mark, nowMs)) return [];
      marks.push(mark);
    } catch (error) {
      // The values are asked for, and what is wrong is told there.
      if (isAppError(error)) return [];
      throw error;
    }
  }
  return marks;
};

/** Returns true if no series changed since its values were asked for. */
export const sameMarks = (before: UpdateMarks, now: UpdateMarks): boolean =>
  now.length > 0 && now.length === before.length && now.every((mark, place) => mark === before[place]);

/** The marks to keep: values that were kept from before the marks were read may lack what a mark tells of. */
export const marksToKeep = (
  marks: UpdateMarks,
  answers: readonly Pick<SeriesAnswer, 'ageSeconds'>[],
): UpdateMarks => (answers.some(({ ageSeconds }) => ageSeconds > 0) ? [] : marks);

import type { ProcessError } from '../../model/process.js';
import type { Layout } from '../layout/layout.js';
import type { UploadState } from './process-records.js';
import { maxRejects } from './rejects.js';

const tooMany = (state: UploadState, limit: string): ProcessError => ({
  code: 'too_many_bad_rows',
  message: `The file has ${state.rejectedRows} bad rows so far; ${limit}.`,
});

/** Most bad rows of a file. A share of the rows may be lower and is checked after the last chunk. */
export const maxBadRowsOf = ({ maxBadRows }: Layout): number =>
  Math.min(maxBadRows !== undefined && 'count' in maxBadRows ? maxBadRows.count : maxRejects, maxRejects);

/** Checks the number of bad rows after each chunk. Returns undefined if it is within the limit. */
export const beyondCount = (state: UploadState, layout: Layout): ProcessError | undefined => {
  const limit = maxBadRowsOf(layout);
  return state.rejectedRows <= limit ? undefined : tooMany(state, `at most ${limit} are set aside`);
};

/** Checks the share of bad rows after the last chunk. */
export const beyondShare = (state: UploadState, { maxBadRows }: Layout): ProcessError | undefined => {
  if (maxBadRows === undefined || !('percent' in maxBadRows)) return undefined;
  const records = state.insertedRows + state.rejectedRows;
  if (state.rejectedRows * 100 <= maxBadRows.percent * records) return undefined;
  return tooMany(state, `at most ${maxBadRows.percent}% of ${records} records are set aside`);
};

import type { Log } from '../../lib/log.js';
import { segmentId, timeColumnOf } from '../../model/version.js';
import { namedColumn, type Write } from '../../rows/index.js';
import { storedColumns, tableColumns } from '../layout/layout.js';
import { beyondShare } from '../lifecycle/bad-row-limits.js';
import type { Outcome } from '../lifecycle/outcome.js';
import { type ProcessRecords, requireLayout, type UploadState } from '../lifecycle/process-records.js';

/**
 * Counts the rows of a segment after all chunks of the attempt are recorded. If the number differs from the recorded one, a new
 * attempt replays the upload.
 */
type SegmentVerifier = (state: UploadState) => Promise<Outcome>;

interface SegmentVerifierOptions {
  readonly write: Pick<Write, 'seal'>;
  readonly processes: Pick<ProcessRecords, 'layout'>;
  readonly onMiscount: () => void;
  readonly log: Log;
}

/** After this many attempts a wrong count fails the upload. */
const maxAttempts = 8;

const miscounted: Outcome = {
  kind: 'fail',
  error: {
    code: 'miscounted',
    message: 'The rows could not be stored completely. Send the upload again.',
  },
};

export const createSegmentVerifier = (options: SegmentVerifierOptions): SegmentVerifier => {
  const { write, processes, onMiscount, log } = options;

  return async (state) => {
    const { processId, attempt, place, insertedRows, receivedBytes } = state;
    const layout = await requireLayout(processes, processId);
    const error = beyondShare(state, layout);
    if (error !== undefined) return { kind: 'fail', error };
    const date = timeColumnOf(storedColumns(layout));
    const to = { segment: segmentId(processId, attempt), place };
    const columns = tableColumns(layout);
    const sealed = await write.seal(to, insertedRows, columns, date && namedColumn(date));
    if (sealed.kind === 'whole')
      return { kind: 'verified', facts: { ...sealed.facts, bytes: receivedBytes } };
    onMiscount();
    log.error(
      { process: processId, attempt, counted: sealed.rows, recorded: insertedRows },
      'segment miscounted',
    );
    return attempt >= maxAttempts ? miscounted : { kind: 'miscounted', layout };
  };
};

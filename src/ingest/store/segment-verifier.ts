import type { Log } from '../../lib/log.js';
import { storageName } from '../../model/column.js';
import { dateColumnOf, frequencyOf, type SegmentFacts, segmentId } from '../../model/version.js';
import type { ClickHouse } from '../../storage/clickhouse/client.js';
import { countSegments } from '../../storage/clickhouse/segments.js';
import { storedColumns } from '../layout/layout.js';
import { beyondShare } from '../lifecycle/bad-row-limits.js';
import type { Outcome } from '../lifecycle/outcome.js';
import { type ProcessStore, requireLayout, type UploadState } from '../lifecycle/process-store.js';

/**
 * Counts the segment of an attempt whose chunks are all recorded. As many rows as were recorded: the process is
 * complete. Otherwise a new attempt reads the upload again.
 */
export type SegmentVerifier = (state: UploadState) => Promise<Outcome>;

export interface SegmentVerifierOptions {
  readonly clickhouse: ClickHouse;
  readonly processes: Pick<ProcessStore, 'layout'>;
  readonly onMiscount: () => void;
  readonly log: Log;
}

/** Attempts after which counting wrong is no accident. */
const maxAttempts = 8;

const miscounted: Outcome = {
  kind: 'fail',
  error: {
    code: 'miscounted',
    message: 'The rows could not be stored completely. The upload can be sent again.',
  },
};

export const createSegmentVerifier = (options: SegmentVerifierOptions): SegmentVerifier => {
  const { clickhouse, processes, onMiscount, log } = options;

  return async (state) => {
    const { processId, attempt, storeId, insertedRows, receivedBytes } = state;
    const layout = await requireLayout(processes, processId);
    const error = beyondShare(state, layout);
    if (error !== undefined) return { kind: 'fail', error };
    const date = dateColumnOf(storedColumns(layout));
    const counted = await countSegments(
      clickhouse,
      storeId,
      { segmentIds: [segmentId(processId, attempt)] },
      date && { name: storageName(date), physical: date.physical },
    );
    if (counted.rows === insertedRows) {
      const { minDate, maxDate, medianGapDays } = counted;
      const facts: SegmentFacts = {
        rows: insertedRows,
        bytes: receivedBytes,
        minDate,
        maxDate,
        frequency: medianGapDays === null ? null : frequencyOf(medianGapDays),
      };
      return { kind: 'verified', facts };
    }
    onMiscount();
    log.error(
      { process: processId, attempt, counted: counted.rows, recorded: insertedRows },
      'segment miscounted',
    );
    return attempt >= maxAttempts ? miscounted : { kind: 'miscounted', layout };
  };
};

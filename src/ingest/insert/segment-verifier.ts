import type { Log } from '../../lib/log.js';
import { type SegmentFacts, segmentId, timeColumnOf } from '../../model/version.js';
import { countSegments, datesOf, isEverywhere, isPooled, namedColumn } from '../../rows/index.js';
import type { StoreTables } from '../../rows/tables.js';
import type { ClickHouseServers } from '../../storage/clickhouse/client.js';
import { storedColumns, tableColumns } from '../layout/layout.js';
import { beyondShare } from '../lifecycle/bad-row-limits.js';
import type { Outcome } from '../lifecycle/outcome.js';
import { type ProcessRecords, requireLayout, type UploadState } from '../lifecycle/process-records.js';

/**
 * Counts the segment of an attempt whose chunks are all recorded. As many rows as were recorded: the process is
 * complete. Otherwise a new attempt reads the upload again.
 */
export type SegmentVerifier = (state: UploadState) => Promise<Outcome>;

export interface SegmentVerifierOptions {
  readonly clickhouse: ClickHouseServers;
  readonly tables: Pick<StoreTables, 'ensure' | 'forget' | 'handOver' | 'dropIntake'>;
  readonly processes: Pick<ProcessRecords, 'layout'>;
  readonly onMiscount: () => void;
  readonly log: Log;
}

/** Attempts after which counting wrong is no accident. */
const maxAttempts = 8;

const miscounted: Outcome = {
  kind: 'fail',
  error: {
    code: 'miscounted',
    message: 'The rows could not be stored completely. Send the upload again.',
  },
};

export const createSegmentVerifier = (options: SegmentVerifierOptions): SegmentVerifier => {
  const { clickhouse, tables, processes, onMiscount, log } = options;

  return async (state) => {
    const { processId, attempt, placement, insertedRows, receivedBytes } = state;
    const layout = await requireLayout(processes, processId);
    const error = beyondShare(state, layout);
    if (error !== undefined) return { kind: 'fail', error };
    const date = timeColumnOf(storedColumns(layout));
    const segment = segmentId(processId, attempt);
    // A version is readable only where its table has all columns: each shard has them, also one that got no chunk, and
    // a table that got no row at all.
    if (insertedRows === 0) tables.forget(placement);
    if (isEverywhere(placement) || insertedRows === 0) await tables.ensure(placement, tableColumns(layout));
    if (insertedRows > 0) await tables.handOver(placement, segment, insertedRows);
    const counted = await countSegments(
      clickhouse,
      placement,
      { segmentIds: [segment] },
      date && namedColumn(date),
    );
    if (counted.rows === insertedRows) {
      if (!isPooled(placement)) await tables.dropIntake(segment);
      const { rows, ...dates } = counted;
      const facts: SegmentFacts = { rows, bytes: receivedBytes, ...datesOf(dates) };
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

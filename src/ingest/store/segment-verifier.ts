import type { Log } from '../../lib/log.js';
import { storageName } from '../../model/column.js';
import { dateColumnOf, frequencyOf, type SegmentFacts, segmentId } from '../../model/version.js';
import type { ClickHouse } from '../../storage/clickhouse/client.js';
import { countSegments } from '../../storage/clickhouse/segments.js';
import { storedColumns } from '../layout/layout.js';
import type { ProcessStore, UploadState } from '../processes/process-store.js';
import type { VersionPublisher } from '../versions/version-publisher.js';
import type { BadRowBounds } from './bad-row-bounds.js';

/** Ends an attempt whose chunks are all recorded. */
export interface SegmentVerifier {
  /**
   * Counts the segment in ClickHouse. As many rows as were recorded: the process is complete and is published
   * in its turn. Otherwise a new attempt reads the upload again.
   */
  verify(state: UploadState): Promise<void>;
}

export interface SegmentVerifierOptions {
  readonly clickhouse: ClickHouse;
  readonly processes: ProcessStore;
  readonly publisher: VersionPublisher;
  readonly bounds: BadRowBounds;
  readonly startReplay: (processId: number) => void;
  readonly onMiscount: () => void;
  readonly log: Log;
}

/** Attempts after which counting wrong is no accident. */
const maxAttempts = 8;

export const createSegmentVerifier = (options: SegmentVerifierOptions): SegmentVerifier => {
  const { clickhouse, processes, publisher, bounds, startReplay, onMiscount, log } = options;

  return {
    async verify(state) {
      const { processId, attempt, storeId, datasetId, insertedRows, receivedBytes } = state;
      const layout = await processes.layout(processId);
      if (layout === undefined || (await bounds.refuseShare(state, layout))) return;
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
        await publisher.complete(processId, datasetId, attempt, facts);
        return;
      }
      onMiscount();
      log.error(
        { process: processId, attempt, counted: counted.rows, recorded: insertedRows },
        'segment miscounted',
      );
      if (attempt >= maxAttempts) {
        const message = 'The rows could not be stored completely. The upload can be sent again.';
        await processes.fail(processId, { code: 'miscounted', message });
        await publisher.publishDue(datasetId);
        return;
      }
      await processes.beginAttempt(processId, attempt, layout);
      startReplay(processId);
    },
  };
};

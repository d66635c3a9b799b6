/** Checks and encodes the content of a chunk for the place where it will be stored. */

import { createChunkEncoder } from '../../csv/encoder.js';
import type { ChunkEncoder } from '../../csv/types.js';
import { runSliced } from '../../lib/time-slicing.js';
import type { Chunk } from '../../model/chunk.js';
import { ChunkFault } from '../../model/chunk-fault.js';
import type { StoredColumn } from '../../model/column.js';
import { type DateFacts, type DaySet, dateFactsOf, dayText } from '../../model/day-set.js';
import type { ProcessError } from '../../model/process.js';
import { type SegmentFacts, segmentId, timeColumnOf } from '../../model/version.js';
import { encodeColumns, type Layout, storedColumns } from '../layout/layout.js';
import { maxBadRowsOf } from '../lifecycle/bad-row-limits.js';
import type { UploadState } from '../lifecycle/process-records.js';
import type { Reject } from '../lifecycle/rejects.js';
import { badRowError, rejectOf, violationError } from './bad-rows.js';
import { recordsOf } from './chunk-checks.js';

export type EncodedRows =
  /** A value does not fit the proposed type of its column: the column has to be widened. */
  | { readonly kind: 'violation'; readonly error: ProcessError }
  /** The file itself is wrong. */
  | { readonly kind: 'bad_file'; readonly error: ProcessError }
  /** More bad rows than a file may have. `rejects` are the first of them, enough to exceed the limit. */
  | { readonly kind: 'too_many_bad_rows'; readonly rejects: readonly Reject[] }
  | {
      readonly kind: 'encoded';
      readonly rows: number;
      /** Valid until the encoder's next call. */
      readonly block: readonly Buffer[];
      readonly rejects: readonly Reject[];
      /** Dates of the rows; undefined: ClickHouse has to compute them. */
      readonly dates: (DateFacts & Pick<SegmentFacts, 'days'>) | undefined;
    };

export const encoderOf = (layout: Layout, { place }: Pick<UploadState, 'place'>): ChunkEncoder => {
  const { dialect, fieldCount } = layout;
  return createChunkEncoder({
    dialect,
    fieldCount,
    columns: encodeColumns(layout, place),
    onBadRow: layout.onBadRow === 'quarantine' ? 'collect' : 'fail',
    maxBadRows: maxBadRowsOf(layout),
  });
};

/** Checks and encodes a chunk. Returns before the insert, so the decompressed text is not kept in memory meanwhile. */
export const encodeChunk = async (
  encoder: ChunkEncoder,
  { processId, attempt, uploadNumber }: UploadState,
  layout: Layout,
  chunk: Chunk,
): Promise<EncodedRows> => {
  const bytes = await recordsOf(chunk);
  // In time slices: a chunk of a long upload takes some hundred milliseconds, and short uploads would wait for it.
  const target = { segment: segmentId(processId, attempt), uploadNumber };
  const encoded = await runSliced(encoder.encodeInSteps(bytes, chunk, target)).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error;
    // The encoder throws it if the chunk has a different number of records than its header says.
    throw new ChunkFault('content', error.message, { cause: error });
  });
  if (encoded.kind === 'violation')
    return { kind: 'violation', error: violationError(encoded.violation, layout) };
  if (encoded.kind === 'bad_row') return { kind: 'bad_file', error: badRowError(encoded.badRow, layout) };
  const rejects = encoded.badRows.map((bad) => rejectOf(bad, bytes, layout));
  if (encoded.kind === 'too_many_bad_rows') return { kind: 'too_many_bad_rows', rejects };
  const { rows, block, daysOf } = encoded;
  const time = timeColumnOf(storedColumns(layout));
  return {
    kind: 'encoded',
    rows,
    block,
    rejects,
    dates: datesOf(time, time && daysOf(layout.columns.findIndex(({ id }) => id === time.id))),
  };
};

const datesOf = (
  time: StoredColumn | undefined,
  days: DaySet | undefined,
): (DateFacts & Pick<SegmentFacts, 'days'>) | undefined => {
  if (time === undefined) return { minDate: null, maxDate: null, frequency: null };
  return days && { ...dateFactsOf(days, time.years === true), days: dayText(days) };
};

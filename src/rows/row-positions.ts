/** Positions of rows of several segments within the one segment that they are copied into. */
import type { SegmentList } from '../model/version.js';
import type { Connection, QueryParams } from '../storage/clickhouse/client.js';

/** Position of a row of the version before, with the parameters `base` (its segments) and `starts`. */
export const inBase = '_row + transform(_seg, {base:Array(UInt64)}, {starts:Array(UInt64)}, toUInt64(0))';

export interface SegmentStarts {
  /** Position of the first row of each segment. */
  readonly starts: readonly number[];
  /** The first position behind all of them. */
  readonly total: number;
}

/** Where each segment of a list begins when they stand one behind the other. */
export const segmentStarts = async (
  clickhouse: Connection,
  { segmentIds }: SegmentList,
  rows: { readonly from: string; readonly params: QueryParams },
): Promise<SegmentStarts> => {
  const found = await clickhouse.rows<{ seg: string; next: string }>(
    `SELECT toString(_seg) AS seg, toString(max(_row) + 1) AS next ${rows.from} GROUP BY _seg`,
    { params: rows.params, settings: { max_threads: 2, max_execution_time: 0 } },
  );
  const next = new Map(found.map((row) => [Number(row.seg), Number(row.next)]));
  let total = 0;
  const starts = segmentIds.map((segment) => {
    const start = total;
    total += next.get(segment) ?? 0;
    return start;
  });
  return { starts, total };
};

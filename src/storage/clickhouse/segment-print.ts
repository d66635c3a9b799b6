import type { ClickHouse } from './client.js';
import { tableName } from './store-table.js';

/** What tells whether two segments hold the same rows in the same places. */
export interface SegmentPrint {
  readonly rows: number;
  /** Sum of the hashes of all rows, position included. */
  readonly hash: string;
}

/** @param columns Names of stored columns; both segments must have values in these alone. */
export const printSegment = async (
  clickhouse: ClickHouse,
  storeId: number,
  segmentId: number,
  columns: readonly string[],
): Promise<SegmentPrint> => {
  // Null and an empty text are different things.
  const values = columns.map((name) => `, isNull(${name}), ifNull(toString(${name}), '')`).join('');
  const [row] = await clickhouse.rows<{ rows: string; hash: string }>(
    `SELECT toString(count()) AS rows, toString(sum(sipHash64(_row${values}))) AS hash
     FROM ${clickhouse.database}.${tableName(storeId)} WHERE _seg = {segment:UInt64}`,
    {
      params: { segment: segmentId },
      settings: {
        max_threads: 2,
        max_execution_time: 0,
        max_query_size: '67108864',
        max_ast_elements: '1000000',
        max_expanded_ast_elements: '2000000',
      },
    },
  );
  return { rows: Number(row?.rows ?? 0), hash: row?.hash ?? '0' };
};

import { backgroundSettings } from './background-settings.js';
import type { ClickHouse, QueryParams } from './client.js';
import { tableName } from './store-table.js';

/** What tells whether two sets of rows are the same, each row in the same place. */
export interface SegmentFingerprint {
  readonly rows: number;
  /** Sum of the hashes of all rows, position included. */
  readonly hash: string;
}

export interface FingerprintedRows {
  readonly storeId: number;
  /** Names of stored columns; values in others are not looked at. */
  readonly columns: readonly string[];
  /** Position of a row, as SQL. */
  readonly position: string;
  /** Which rows, as SQL. */
  readonly where: string;
  readonly params: QueryParams;
}

export const fingerprintRows = async (
  clickhouse: ClickHouse,
  { storeId, columns, position, where, params }: FingerprintedRows,
  signal?: AbortSignal,
): Promise<SegmentFingerprint> => {
  const values = columns.map((name) => `, ${name}`).join('');
  // Within a tuple null, zero and an empty text have hashes of their own.
  const [row] = await clickhouse.rows<{ rows: string; hash: string }>(
    `SELECT toString(count()) AS rows, toString(sum(sipHash64(tuple(${position}${values})))) AS hash
     FROM ${clickhouse.database}.${tableName(storeId)} WHERE ${where}`,
    {
      params,
      settings: backgroundSettings(columns.length),
      ...(signal === undefined ? {} : { signal }),
    },
  );
  return { rows: Number(row?.rows ?? 0), hash: row?.hash ?? '0' };
};

/** The rows of one segment. */
export const fingerprintSegment = (
  clickhouse: ClickHouse,
  storeId: number,
  segmentId: number,
  columns: readonly string[],
  signal?: AbortSignal,
): Promise<SegmentFingerprint> =>
  fingerprintRows(
    clickhouse,
    {
      storeId,
      columns,
      position: '_row',
      where: '_seg = {segment:UInt64}',
      params: { segment: segmentId },
    },
    signal,
  );

/** Reads of whole segments in the background, and fingerprints by which a copy is compared with its source. */
import type { NamedColumn, Placement } from '../model/placement.js';
import type { SegmentList } from '../model/version.js';
import type {
  ClickHouseServers,
  Connection,
  QueryParams,
  QuerySettings,
} from '../storage/clickhouse/client.js';
import { sourceOf } from './places.js';
import { segmentRows } from './source.js';

export const gib = 1024 ** 3;

/** Cells of one block, so that thousands of columns take no more memory than a few. */
const cellsPerBlock = 1_048_576;

/** Of a statement that reads every column of many rows in the background: one thread, bounded memory, no hurry. */
export const backgroundSettings = (columns: number): QuerySettings => ({
  max_threads: 1,
  max_memory_usage: String(2 * gib),
  max_block_size: String(Math.max(1_024, Math.min(65_536, Math.floor(cellsPerBlock / (columns + 2))))),
  max_execution_time: 0,
  max_query_size: '67108864',
  max_ast_elements: '1000000',
  max_expanded_ast_elements: '2000000',
});

/** Of an insert of rows that are stored: one at a time writes, in blocks of a bounded size; none is taken for a duplicate. */
export const copySettings: QuerySettings = {
  max_insert_threads: '1',
  insert_deduplicate: 0,
  async_insert: 0,
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: String(gib / 8),
};

/** The same of the rows of many segments, which lie in as many partitions. */
export const manySegmentSettings: QuerySettings = {
  ...copySettings,
  max_threads: 1,
  max_partitions_per_insert_block: '0',
  max_memory_usage: String(2 * gib),
  max_execution_time: 0,
  max_query_size: '67108864',
};

/** Reads one row of some segments in all of its columns; the values are not looked at. */
export const readOneRow = async (
  servers: ClickHouseServers,
  placement: Placement,
  segments: SegmentList,
  columns: readonly NamedColumn[],
): Promise<void> => {
  const where = segmentRows(segments);
  const names = columns.map(({ name }) => name).join(', ');
  await servers
    .at(placement)
    .command(
      `SELECT ${names} FROM ${sourceOf(servers.database, placement, columns)} WHERE ${where.sql} LIMIT 1 FORMAT Null`,
      { params: where.params, settings: backgroundSettings(columns.length) },
    );
};

/** What tells whether two sets of rows are the same, each row in the same place. */
export interface SegmentFingerprint {
  readonly rows: number;
  /** Sum of the hashes of all rows, position included. */
  readonly hash: string;
}

export interface FingerprintedRows {
  /** Sets of rows, each `FROM … WHERE …` with the SQL of a row's position and of its values; others are not looked at. */
  readonly parts: readonly {
    readonly from: string;
    readonly position: string;
    readonly values: readonly string[];
  }[];
  readonly params: QueryParams;
  /** Beside those of work in the background. */
  readonly settings?: QuerySettings;
}

export const fingerprintRows = async (
  clickhouse: Connection,
  { parts, params, settings = {} }: FingerprintedRows,
  signal?: AbortSignal,
): Promise<SegmentFingerprint> => {
  // Within a tuple null, zero and an empty text have hashes of their own.
  const hashes = parts.map(
    ({ from, position, values }) =>
      `SELECT sipHash64(tuple(${[position, ...values].join(', ')})) AS h ${from}`,
  );
  const [row] = await clickhouse.rows<{ rows: string; hash: string }>(
    `SELECT toString(count()) AS rows, toString(sum(h)) AS hash FROM (${hashes.join(' UNION ALL ')})`,
    {
      params,
      settings: { ...backgroundSettings(parts[0]?.values.length ?? 0), ...settings },
      ...(signal === undefined ? {} : { signal }),
    },
  );
  return { rows: Number(row?.rows ?? 0), hash: row?.hash ?? '0' };
};

/** The rows of one segment. */
export const fingerprintSegment = (
  servers: ClickHouseServers,
  placement: Placement,
  segmentId: number,
  columns: readonly NamedColumn[],
  signal?: AbortSignal,
): Promise<SegmentFingerprint> =>
  fingerprintRows(
    servers.at(placement),
    {
      parts: [
        {
          from: `FROM ${sourceOf(servers.database, placement, columns)} WHERE _seg = {segment:UInt64}`,
          position: '_row',
          values: columns.map(({ name }) => name),
        },
      ],
      params: { segment: segmentId },
    },
    signal,
  );

/** @throws Error when a copy is not what it was made of. */
export const requireEqualRows = (
  before: SegmentFingerprint,
  after: SegmentFingerprint,
  rows: number,
): void => {
  if (before.hash === after.hash && before.rows === rows && after.rows === rows) return;
  throw new Error(
    `a copy differs from what it was made of: ${after.rows} rows of ${before.rows}, ${rows} expected, hash ${after.hash} of ${before.hash}`,
  );
};

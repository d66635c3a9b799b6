/**
 * Hashes of stored segments. The hash of a segment is the sum of the hashes of its values, each with its column and position. Nulls do not
 * count, so columns that are added to the table later do not change it.
 */
import type { Place } from '../model/version.js';
import type { ClickHouseServers, Connection, QueryParams } from '../storage/clickhouse/client.js';
import { ifTableExists } from '../storage/clickhouse/errors.js';
import { lowPriority } from '../storage/clickhouse/low-priority.js';
import { valueColumns } from './copy.js';
import { firstPosition, insideOf, statedTable } from './place.js';
import { backgroundSettings } from './statement-settings.js';

export interface HashedSegment {
  readonly segmentId: number;
  readonly rows: number;
  /** Unsigned 64-bit number in decimal digits. */
  readonly hash: string;
}

/** Columns that one expression adds up. */
const columnsPerSum = 100;

const hashOf = (column: string): string =>
  `if(isNull(${column}), 0, cityHash64('${column}', _row, assumeNotNull(${column})))`;

const sumsOf = (columns: readonly string[]): string[] => {
  const sums = ['sum(cityHash64(_row))'];
  // A chain of additions would take 50 percent longer for 5,000 columns, since each contains all before it.
  for (let at = 0; at < columns.length; at += columnsPerSum) {
    const values = columns.slice(at, at + columnsPerSum).map(hashOf);
    sums.push(`sum(arraySum([${values.join(', ')}]))`);
  }
  return sums;
};

/** SQL of the sums as an array of texts: equal for equal rows at equal positions, even if a column is Nullable or has a dictionary. */
export const hashSums = (columns: readonly string[]): string => {
  const sums = sumsOf(columns).map((sum) => `toString(${sum})`);
  return `[${sums.join(', ')}]`;
};

/** Hash of rows from the hashes of their columns, or of parts of them. */
export const addHashes = (hashes: readonly string[]): string =>
  String(
    BigInt.asUintN(
      64,
      hashes.reduce((total, hash) => total + BigInt(hash), 0n),
    ),
  );

/**
 * Hashes of rows by segment, in one pass at low priority.
 * @param columns All columns of the table, as `valueColumns` returns them.
 * @param from `FROM … WHERE …`
 */
export const hashRows = async (
  clickhouse: Connection,
  columns: readonly string[],
  from: string,
  params: QueryParams,
  signal?: AbortSignal,
): Promise<HashedSegment[]> => {
  const rows = await clickhouse.rows<{ segment: string; n: string; sums: string[] }>(
    `SELECT toString(_seg) AS segment, toString(count()) AS n, ${hashSums(columns)} AS sums ${from} GROUP BY _seg`,
    {
      params,
      settings: { ...backgroundSettings(columns.length), ...(await lowPriority(clickhouse)) },
      ...(signal === undefined ? {} : { signal }),
    },
  );
  return rows.map(({ segment, n, sums }) => ({
    segmentId: Number(segment),
    rows: Number(n),
    hash: addHashes(sums),
  }));
};

/** Hashes of segments of one table. Leaves out segments without rows; empty if the table does not exist. */
export const hashSegments = (
  servers: ClickHouseServers,
  place: Place,
  segmentIds: readonly number[],
  signal?: AbortSignal,
): Promise<HashedSegment[]> =>
  ifTableExists(
    async () =>
      hashRows(
        servers.at(insideOf(place)),
        await valueColumns(servers, place),
        `FROM ${statedTable(servers.database, place)} WHERE _seg IN {segments:Array(UInt64)}`,
        { segments: segmentIds },
        signal,
      ),
    [],
  );

/** Counts rows of a segment from uploads before `uploadNumber`. */
export const countBefore = (
  servers: ClickHouseServers,
  place: Place,
  segmentId: number,
  uploadNumber: number,
): Promise<number> =>
  ifTableExists(async () => {
    const [row] = await servers.at(insideOf(place)).rows<{ n: string }>(
      `SELECT toString(count()) AS n FROM ${statedTable(servers.database, place)}
       WHERE _seg = {segment:UInt64} AND _row < ${firstPosition('{uploadNumber:UInt64}')}`,
      { params: { segment: segmentId, uploadNumber } },
    );
    return Number(row?.n ?? 0);
  }, 0);

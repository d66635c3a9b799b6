/**
 * Hashes of segments as they are in their table. The hash of a segment is the sum of one hash per value that is not null,
 * made of the column, the position and the value: columns that a table gets later, null in older segments, change nothing.
 */
import type { Place } from '../model/version.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import { ifTableExists } from '../storage/clickhouse/errors.js';
import { lowPriority } from '../storage/clickhouse/low-priority.js';
import { valueColumns } from './copy.js';
import { firstPosition, insideOf, statedTable } from './place.js';
import { backgroundSettings } from './statement-settings.js';

export interface HashedSegment {
  readonly segmentId: number;
  readonly rows: number;
  /** Digits of a number of 64 bits. */
  readonly hash: string;
}

/** Values of one row that are added up in one expression. */
const columnsPerSum = 100;

const hashOf = (column: string): string =>
  `if(isNull(${column}), 0, cityHash64('${column}', _row, assumeNotNull(${column})))`;

const sumsOf = (columns: readonly string[]): string[] => {
  const sums = ['sum(cityHash64(_row))'];
  // A chain of additions costs half as much again for 5,000 columns: each names all before it.
  for (let at = 0; at < columns.length; at += columnsPerSum) {
    const values = columns.slice(at, at + columnsPerSum).map(hashOf);
    sums.push(`sum(arraySum([${values.join(', ')}]))`);
  }
  return sums;
};

/** The sums as one value of texts: equal for equal rows at equal positions, whether a column is Nullable or has a dictionary. */
export const hashSums = (columns: readonly string[]): string => {
  const sums = sumsOf(columns).map((sum) => `toString(${sum})`);
  return `[${sums.join(', ')}]`;
};

/** The hash of a segment, from the sums of its columns. */
const addHashes = (hashes: readonly string[]): string =>
  String(
    BigInt.asUintN(
      64,
      hashes.reduce((total, hash) => total + BigInt(hash), 0n),
    ),
  );

/** Hashes of those segments of one table that have rows, in one pass over them; none when there is no such table. */
export const hashSegments = (
  servers: ClickHouseServers,
  place: Place,
  segmentIds: readonly number[],
  signal?: AbortSignal,
): Promise<HashedSegment[]> =>
  ifTableExists(async () => {
    const clickhouse = servers.at(insideOf(place));
    const columns = await valueColumns(servers, place);
    const rows = await clickhouse.rows<{ segment: string; n: string; sums: string[] }>(
      `SELECT toString(_seg) AS segment, toString(count()) AS n, ${hashSums(columns)} AS sums
       FROM ${statedTable(servers.database, place)} WHERE _seg IN {segments:Array(UInt64)} GROUP BY _seg`,
      {
        params: { segments: segmentIds },
        settings: { ...backgroundSettings(columns.length), ...(await lowPriority(clickhouse)) },
        ...(signal === undefined ? {} : { signal }),
      },
    );
    return rows.map((row) => ({
      segmentId: Number(row.segment),
      rows: Number(row.n),
      hash: addHashes(row.sums),
    }));
  }, []);

/** Rows of a segment that are from uploads before one. */
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

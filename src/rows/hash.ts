/**
 * Hashes of segments as they are in their table. The hash of a segment is the sum of one hash per value that is not null,
 * made of the column, the position and the value: columns that a table gets later, null in older segments, change nothing.
 */
import type { Place } from '../model/version.js';
import type {
  ClickHouseServers,
  Connection,
  QueryParams,
  QuerySettings,
} from '../storage/clickhouse/client.js';
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

export interface SegmentHashes {
  /** Hashes of those segments of one table that have rows; none when there is no such table. */
  read(place: Place, segmentIds: readonly number[], signal?: AbortSignal): Promise<HashedSegment[]>;
  /** Rows of a segment that are from uploads before one. */
  countBefore(place: Place, segmentId: number, uploadNumber: number): Promise<number>;
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

/** The hash of rows in several places, from those of each. */
const addHashes = (hashes: readonly string[]): string =>
  String(
    BigInt.asUintN(
      64,
      hashes.reduce((total, hash) => total + BigInt(hash), 0n),
    ),
  );

interface HashedRows {
  /** With its database. */
  readonly table: string;
  readonly columns: readonly string[];
  /** Condition, with the values of `params`. */
  readonly where: string;
  readonly params?: QueryParams;
}

/** One pass over the rows of segments. */
const hashRows = async (
  clickhouse: Connection,
  { table, columns, where, params = {} }: HashedRows,
  settings: QuerySettings,
  signal?: AbortSignal,
): Promise<HashedSegment[]> => {
  const rows = await clickhouse.rows<{ segment: string; n: string; sums: string[] }>(
    `SELECT toString(_seg) AS segment, toString(count()) AS n,
       [${sumsOf(columns)
         .map((sum) => `toString(${sum})`)
         .join(', ')}] AS sums
     FROM ${table} WHERE ${where} GROUP BY _seg`,
    {
      params,
      settings: { ...backgroundSettings(columns.length), ...settings },
      ...(signal === undefined ? {} : { signal }),
    },
  );
  return rows.map((row) => ({
    segmentId: Number(row.segment),
    rows: Number(row.n),
    hash: addHashes(row.sums),
  }));
};

export const createSegmentHashes = (servers: ClickHouseServers): SegmentHashes => {
  const { database } = servers;

  return {
    read: (place, segmentIds, signal) =>
      ifTableExists(async () => {
        const clickhouse = servers.at(insideOf(place));
        const columns = await valueColumns(servers, place);
        return hashRows(
          clickhouse,
          {
            table: statedTable(database, place),
            columns,
            where: '_seg IN {segments:Array(UInt64)}',
            params: { segments: segmentIds },
          },
          await lowPriority(clickhouse),
          signal,
        );
      }, []),

    countBefore: (place, segmentId, uploadNumber) =>
      ifTableExists(async () => {
        const [row] = await servers.at(insideOf(place)).rows<{ n: string }>(
          `SELECT toString(count()) AS n FROM ${statedTable(database, place)}
           WHERE _seg = {segment:UInt64} AND _row < ${firstPosition('{uploadNumber:UInt64}')}`,
          { params: { segment: segmentId, uploadNumber } },
        );
        return Number(row?.n ?? 0);
      }, 0),
  };
};

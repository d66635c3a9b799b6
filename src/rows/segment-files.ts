/**
 * Rows of segments as files: blocks of ClickHouse's Native format, columns as they lie in their table. What is spread is read
 * and written through the entry, in the same order.
 */
import type { Readable } from 'node:stream';
import { anyShardOf, type ClickHouseServers, type QuerySettings } from '../storage/clickhouse/client.js';
import type { Reader } from '../storage/clickhouse/reader.js';
import { type ColumnDefinition, statedTable, type TablePlace, tableOf } from './places.js';
import { backgroundSettings, manySegmentSettings } from './segments.js';

export interface SegmentRows {
  readonly place: TablePlace;
  /** `_seg` and `_row` among them. */
  readonly columns: readonly ColumnDefinition[];
  readonly segmentIds: readonly number[];
}

export interface SegmentFiles {
  /** Columns of a table in its order; none without a table. */
  columns(place: TablePlace): Promise<ColumnDefinition[]>;
  /** Blocks of the rows, in reading order. Ends with an error when it is not all of them. */
  open(rows: SegmentRows, queryId: string): Promise<Readable>;
  /**
   * Inserts those rows of a file that belong to the segments. `frames`: blocks as zstd. Not to be repeated.
   * @param as Id of the segment that they make; undefined: the one that they had.
   */
  load(rows: SegmentRows, frames: Readable, as?: number): Promise<void>;
}

/** Blocks have the columns of the structure with these very types, and no others: a file may come from anywhere. */
const exactBlocks: QuerySettings = {
  input_format_native_allow_types_conversion: 0,
  input_format_native_decode_types_in_binary_format: 0,
  input_format_skip_unknown_fields: 0,
};

const ids = (segmentIds: readonly number[]): string => segmentIds.map(Number).join(', ');

/** Both connect to one database of the same servers. */
export const createSegmentFiles = (servers: ClickHouseServers, reader: Reader): SegmentFiles => {
  const { database } = servers;
  return {
    columns: (place) =>
      anyShardOf(servers, place).rows<ColumnDefinition>(
        `SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {table:String}
         ORDER BY position`,
        { params: { database, table: tableOf(place) } },
      ),

    open({ place, columns, segmentIds }, queryId) {
      const names = columns.map(({ name }) => name).join(', ');
      const { max_block_size = '65536' } = backgroundSettings(columns.length);
      return reader.open({
        sql: `SELECT ${names} FROM ${statedTable(database, place)} WHERE _seg IN (${ids(segmentIds)})
          ORDER BY _seg, _row FORMAT Native`,
        values: {},
        place,
        settings: { max_threads: 1, max_block_size: String(max_block_size) },
        queryId,
      });
    },

    async load({ place, columns, segmentIds }, frames, as) {
      const names = columns.map(({ name }) => name).join(', ');
      // Without an alias: the condition is about the id that they had.
      const values = columns
        .map(({ name, type }) =>
          name === '_seg' && as !== undefined ? `CAST(${Number(as)}, '${type}')` : name,
        )
        .join(', ');
      const structure = columns.map(({ name, type }) => `${name} ${type}`).join(', ');
      await servers.at(place).insert(
        `INSERT INTO ${statedTable(database, place)} (${names}) SELECT ${values} FROM input('${structure}')
         WHERE _seg IN (${ids(segmentIds)}) FORMAT Native`,
        frames,
        { settings: { ...manySegmentSettings, ...exactBlocks }, encoding: 'zstd' },
      );
    },
  };
};

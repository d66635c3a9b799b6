/**
 * Rows of segments as files: blocks of ClickHouse's Native format, columns as they lie in their table. What is spread is read
 * and written through the entry, in the same order.
 */
import type { Readable } from 'node:stream';
import type { Place } from '../model/version.js';
import { anyShardOf, type ClickHouseServers, type QuerySettings } from '../storage/clickhouse/client.js';
import type { Reader } from '../storage/clickhouse/reader.js';
import { CopyDiffers } from './copy.js';
import { insideOf, statedTable, tableOf } from './place.js';
import type { SegmentHashes } from './segment-hashes.js';
import type { ColumnDefinition } from './slots.js';
import { backgroundSettings, manySegmentSettings } from './statement-settings.js';

export interface SegmentRows {
  readonly place: Place;
  /** `_seg` and `_row` among them. */
  readonly columns: readonly ColumnDefinition[];
  readonly segmentIds: readonly number[];
}

export interface SegmentFiles {
  /** Columns of a table in its order; none without a table. */
  columns(place: Place): Promise<ColumnDefinition[]>;
  /** Blocks of the rows, in reading order. Ends with an error when it is not all of them. */
  open(rows: SegmentRows, queryId: string): Promise<Readable>;
  /**
   * Inserts the rows of saved segments out of a file and compares them with the count and hash that they were saved with.
   * Not to be repeated.
   * @param frames Blocks as zstd; rows of other segments in them are skipped.
   * @throws CopyDiffers
   */
  load(saved: SavedRows, frames: Readable): Promise<void>;
}

/** Id, rows and hash of a segment when it was saved. */
export type SavedSegment = readonly [id: number, rows: number, hash: string];

export interface SavedRows extends Omit<SegmentRows, 'segmentIds'> {
  readonly segments: readonly SavedSegment[];
  /** Ids that the segments get, by those that they had. @default the same */
  readonly as?: ReadonlyMap<number, number> | undefined;
}

/** Blocks have the columns of the structure with these very types, and no others: a file may come from anywhere. */
const exactBlocks: QuerySettings = {
  input_format_native_allow_types_conversion: 0,
  input_format_native_decode_types_in_binary_format: 0,
  input_format_skip_unknown_fields: 0,
};

const ids = (segmentIds: readonly number[]): string => segmentIds.map(Number).join(', ');

export interface SegmentFilesOptions {
  readonly clickhouse: ClickHouseServers;
  /** Connects to the same database of the same servers. */
  readonly reader: Reader;
  readonly hashes: Pick<SegmentHashes, 'read'>;
}

export const createSegmentFiles = ({
  clickhouse: servers,
  reader,
  hashes,
}: SegmentFilesOptions): SegmentFiles => {
  const { database } = servers;
  return {
    columns: (place) =>
      anyShardOf(servers, insideOf(place)).rows<ColumnDefinition>(
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
        place: insideOf(place),
        settings: { max_threads: 1, max_block_size: String(max_block_size) },
        queryId,
      });
    },

    async load({ place, columns, segments, as }, frames) {
      const segmentIds = segments.map(([id]) => id);
      const names = columns.map(({ name }) => name).join(', ');
      // Without an alias: the condition is about the id that they had.
      const renamed =
        as === undefined
          ? '_seg'
          : `transform(_seg, [${ids(segmentIds)}], [${ids(segmentIds.map((id) => as.get(id) ?? id))}], 0)`;
      const values = columns
        .map(({ name, type }) => (name === '_seg' ? `CAST(${renamed}, '${type}')` : name))
        .join(', ');
      const structure = columns.map(({ name, type }) => `${name} ${type}`).join(', ');
      await servers.at(insideOf(place)).insert(
        `INSERT INTO ${statedTable(database, place)} (${names}) SELECT ${values} FROM input('${structure}')
         WHERE _seg IN (${ids(segmentIds)}) FORMAT Native`,
        frames,
        { settings: { ...manySegmentSettings, ...exactBlocks }, encoding: 'zstd' },
      );
      const written = segments.map(([id, ...rest]) => [as?.get(id) ?? id, ...rest] as const);
      const found = await hashes.read(
        place,
        written.map(([id]) => id),
      );
      for (const [id, rows, hash] of written) {
        const copy = found.find(({ segmentId }) => segmentId === id);
        if (copy?.rows !== rows || copy.hash !== hash)
          throw new CopyDiffers(`the rows of segment ${id} are not those that were saved`);
      }
    },
  };
};

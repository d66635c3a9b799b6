/**
 * Rows of segments as files: blocks of ClickHouse's Native format, columns as they are in their table. Those on all shards are read
 * and written through the entry, in the same order.
 */
import type { Readable } from 'node:stream';
import { conflict } from '../lib/errors.js';
import { namedColumnOf } from '../model/column.js';
import type { Place } from '../model/version.js';
import type { ClickHouseServers, QuerySettings } from '../storage/clickhouse/client.js';
import type { Reader } from '../storage/clickhouse/reader.js';
import { CopyDiffers, columnsOfPlace } from './copy.js';
import { hashSegments } from './hash.js';
import type { ReferencedSegment } from './hashes.js';
import { insideOf, isBookColumn, statedTable, tableOf, tablePlace } from './place.js';
import type { ColumnDefinition, PoolClass } from './slots.js';
import { backgroundSettings, manySegmentSettings } from './statement-settings.js';
import type { RowTables } from './tables.js';

export interface SegmentFiles {
  /**
   * Rows of segments of one table, compared with count and hash. Reading them ends with an error when it is not all of them.
   * @throws AppError 409 `rows_damaged`.
   */
  save(
    segments: readonly ReferencedSegment[],
    queryId: string,
  ): Promise<SavedTable & { readonly blocks: Readable }>;
  /**
   * Inserts the rows of saved segments out of a file and compares them with the count and hash that they were saved with.
   * Not to be repeated.
   * @param open Opens the blocks as zstd; rows of other segments in them are skipped.
   * @throws CopyDiffers
   */
  load(saved: SavedRows, open: () => Promise<Readable>): Promise<void>;
}

/** Id, rows and hash of a segment when it was saved. */
export type SavedSegment = readonly [id: number, rows: number, hash: string];

/** Rows of segments in the columns of their table. */
export interface SavedTable {
  /** Number of the store. */
  readonly storeId: number;
  /** Null: an own table. */
  readonly pool: PoolClass | null;
  /** With `_seg`, `_row` and, of an own table, `_gone`. */
  readonly columns: readonly ColumnDefinition[];
  readonly segments: readonly SavedSegment[];
}

export interface SavedRows extends Omit<SavedTable, 'storeId'> {
  /** Any place of the store that gets the rows: in its own table, or in the pool that they were in. */
  readonly target: Place;
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
  readonly tables: Pick<RowTables, 'ensure'>;
}

export const createSegmentFiles = ({
  clickhouse: servers,
  reader,
  tables,
}: SegmentFilesOptions): SegmentFiles => {
  const { database } = servers;

  const requireSound = async (
    segments: readonly ReferencedSegment[],
    place: Place,
  ): Promise<SavedSegment[]> => {
    const read = await hashSegments(
      servers,
      place,
      segments.map(({ id }) => id),
    );
    const found = new Map(read.map((one) => [one.segmentId, one]));
    return segments.map(({ id, rows, hash }) => {
      const seen = found.get(id);
      if (seen?.rows !== rows || (hash !== null && seen.hash !== hash))
        throw conflict(
          'rows_damaged',
          `ClickHouse has not the rows that segment ${id} in ${tableOf(place)} was published with: run verify --repair first. No backup was made.`,
        );
      return [id, rows, seen.hash];
    });
  };

  /** The table that takes saved rows, with their columns. */
  const ensureTable = async ({ target, pool, columns }: SavedRows): Promise<Place> => {
    const place = tablePlace({ ...insideOf(target), pool });
    const own = columns.filter(({ name }) => !isBookColumn(name));
    await tables.ensure(place, pool === null ? own.map(({ name }) => namedColumnOf(name)) : []);
    return place;
  };

  return {
    async save(segments, queryId) {
      const { storeId, pool } = segments[0]!;
      const place = tablePlace(segments[0]!);
      const checked = await requireSound(segments, place);
      const columns = await columnsOfPlace(servers, place);
      const { max_block_size = '65536' } = backgroundSettings(columns.length);
      const blocks = await reader.open({
        sql: `SELECT ${columns.map(({ name }) => name).join(', ')} FROM ${statedTable(database, place)}
          WHERE _seg IN (${ids(segments.map(({ id }) => id))}) ORDER BY _seg, _row FORMAT Native`,
        values: {},
        place: insideOf(place),
        settings: { max_threads: 1, max_block_size: String(max_block_size) },
        queryId,
      });
      return { storeId, pool, columns, segments: checked, blocks };
    },

    async load(saved, open) {
      const { columns, segments, as } = saved;
      const place = await ensureTable(saved);
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
        await open(),
        { settings: { ...manySegmentSettings, ...exactBlocks }, encoding: 'zstd' },
      );
      const written = segments.map(([id, ...rest]) => [as?.get(id) ?? id, ...rest] as const);
      const found = await hashSegments(
        servers,
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

/**
 * Rows of segments as files: blocks in ClickHouse's Native format, with the columns of their table. Rows on all shards are read and
 * written through the entry, in the same order.
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
   * Opens the rows of segments of one table, whose count and hash were checked. The stream fails unless it delivers all of them.
   * @throws AppError 409 `rows_damaged`.
   */
  save(
    segments: readonly ReferencedSegment[],
    queryId: string,
  ): Promise<SavedTable & { readonly blocks: Readable }>;
  /**
   * Inserts rows of saved segments from a file and compares them with the saved count and hash. Must not be repeated.
   * @param open Opens the blocks, compressed with zstd; rows of other segments are skipped.
   * @throws CopyDiffers
   */
  load(saved: SavedRows, open: () => Promise<Readable>): Promise<void>;
}

/** Id, rows and hash of a segment at the time of saving. */
export type SavedSegment = readonly [id: number, rows: number, hash: string];

/** Segments of one table. */
export interface SavedTable {
  /** Number of the store. */
  readonly storeId: number;
  /** Null: an own table. */
  readonly pool: PoolClass | null;
  /** Includes `_seg`, `_row` and, in an own table, `_gone`. */
  readonly columns: readonly ColumnDefinition[];
  readonly segments: readonly SavedSegment[];
}

export interface SavedRows extends Omit<SavedTable, 'storeId'> {
  /** Any place of the store that receives the rows, in its own table or in a pool of the same class. */
  readonly target: Place;
  /** New ids of the segments by their old ids. @default unchanged */
  readonly as?: ReadonlyMap<number, number> | undefined;
}

/** Accepts only blocks with exactly the expected columns and types: a file may come from anywhere. */
const exactBlocks: QuerySettings = {
  input_format_native_allow_types_conversion: 0,
  input_format_native_decode_types_in_binary_format: 0,
  input_format_skip_unknown_fields: 0,
};

const ids = (segmentIds: readonly number[]): string => segmentIds.map(Number).join(', ');

export interface SegmentFilesOptions {
  readonly clickhouse: ClickHouseServers;
  /** Reads the same database on the same servers. */
  readonly reader: Reader;
  readonly tables: Pick<RowTables, 'ensure'>;
}

export const createSegmentFiles = ({
  clickhouse: servers,
  reader,
  tables,
}: SegmentFilesOptions): SegmentFiles => {
  const { database } = servers;

  const requireIntact = async (
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
          `Segment ${id} in ${tableOf(place)} does not have the rows that it was published with: run verify --repair first. No backup was made.`,
        );
      return [id, rows, seen.hash];
    });
  };

  /** Creates the table for saved rows, with their columns. Returns its place. */
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
      const checked = await requireIntact(segments, place);
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
      // Without an alias, since the condition refers to the old id.
      const newId =
        as === undefined
          ? '_seg'
          : `transform(_seg, [${ids(segmentIds)}], [${ids(segmentIds.map((id) => as.get(id) ?? id))}], 0)`;
      const values = columns
        .map(({ name, type }) => (name === '_seg' ? `CAST(${newId}, '${type}')` : name))
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
          throw new CopyDiffers(`the rows of segment ${id} differ from the saved ones`);
      }
    },
  };
};

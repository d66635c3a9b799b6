/** Rows of segments on their way into files of a backup and back, in bundles of one table each. */
import { conflict } from '../lib/errors.js';
import { compressZstd } from '../lib/zstd.js';
import { namedColumnOf } from '../model/column.js';
import type { Place } from '../model/version.js';
import { CopyDiffers, rowOrder, type SegmentFiles } from '../rows/index.js';
import { type TablePlace, tableOf, tablePlace } from '../rows/place.js';
import type { SegmentHashes } from '../rows/segment-hashes.js';
import type { PoolClass } from '../rows/slots.js';
import type { StoreTables } from '../rows/tables.js';
import type { ShardNumber } from '../storage/clickhouse/client.js';
import { type BackupFolder, damaged } from './backup-folder.js';
import type { SegmentFile } from './manifest.js';

/** A segment that has to be in the backup. */
export interface NeededSegment {
  readonly id: number;
  /** Number of the tables of its store. */
  readonly storeId: number;
  readonly shard: ShardNumber;
  readonly pool: PoolClass | null;
  readonly rows: number;
  /** Null: not known. */
  readonly hash: string | null;
}

export interface SegmentArchive {
  /** Writes the rows of segments below `prefix`. @throws AppError 409 `rows_damaged`. */
  write(prefix: string, segments: readonly NeededSegment[]): Promise<SegmentFile[]>;
  /**
   * Brings rows of segments in a file to a place, compares them with count and hash, and gives their number.
   * @param as Ids that the segments get there, by those that they had; undefined: the same.
   */
  load(
    file: SegmentFile,
    segments: readonly SavedSegment[],
    place: RestoredPlace,
    as?: ReadonlyMap<number, number>,
  ): Promise<number>;
}

/** Where rows are brought to: into the table of a store, or the pool that they were in. */
export type RestoredPlace = Pick<TablePlace, 'storeId' | 'shard'>;

/** Id, rows and hash of a segment in a file. */
export type SavedSegment = SegmentFile['segments'][number];

export interface SegmentArchiveOptions {
  readonly folder: BackupFolder;
  readonly files: SegmentFiles;
  readonly hashes: SegmentHashes;
  readonly tables: Pick<StoreTables, 'ensure'>;
}

/** A bundle has so many rows, or one segment that has more; and so many segments. */
const bundleRows = 1_000_000;
const bundleSegments = 1_000;

const frameBytes = 4 * 1024 * 1024;

/** The bytes as zstd frames, one behind the other. */
async function* framesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of source) {
    parts.push(part);
    bytes += part.length;
    if (bytes < frameBytes) continue;
    yield await compressZstd(Buffer.concat(parts));
    parts = [];
    bytes = 0;
  }
  if (bytes > 0) yield await compressZstd(Buffer.concat(parts));
}

/**
 * Segments never change, and their hash is that of the columns of their table: one of the same id, pool, rows and hash is the
 * same one, on whichever shard and in a table of whatever number.
 */
export const isSavedIn = (
  { pool }: Pick<SegmentFile, 'pool'>,
  [id, rows, hash]: SavedSegment,
  segment: Omit<NeededSegment, 'storeId' | 'shard'>,
): boolean =>
  segment.id === id &&
  segment.pool === pool &&
  segment.rows === rows &&
  (segment.hash === null || segment.hash === hash);

/** Segments of one table of one shard each, or of one that is spread, in order. */
const bundlesOf = (segments: readonly NeededSegment[]): NeededSegment[][] => {
  const open = new Map<string, { bundle: NeededSegment[]; rows: number }>();
  const bundles: NeededSegment[][] = [];
  for (const segment of segments) {
    const table = `${segment.shard}/${tableOf(tablePlace(segment))}`;
    const last = open.get(table);
    if (last !== undefined && last.rows + segment.rows <= bundleRows && last.bundle.length < bundleSegments) {
      last.bundle.push(segment);
      last.rows += segment.rows;
    } else {
      const bundle = [segment];
      open.set(table, { bundle, rows: segment.rows });
      bundles.push(bundle);
    }
  }
  return bundles;
};

export const createSegmentArchive = ({
  folder,
  files,
  hashes,
  tables,
}: SegmentArchiveOptions): SegmentArchive => {
  const requireSound = async (bundle: readonly NeededSegment[]): Promise<SegmentFile['segments']> => {
    const place = tablePlace(bundle[0]!);
    const found = new Map(
      (
        await hashes.read(
          place,
          bundle.map(({ id }) => id),
        )
      ).map((one) => [one.segmentId, one]),
    );
    return bundle.map(({ id, rows, hash }) => {
      const seen = found.get(id);
      if (seen?.rows !== rows || (hash !== null && seen.hash !== hash))
        throw conflict(
          'rows_damaged',
          `ClickHouse has not the rows that segment ${id} in ${tableOf(place)} was published with: run verify --repair first. No backup was made.`,
        );
      return [id, rows, seen.hash];
    });
  };

  /** Where the rows of a file lie when they are there. */
  const ensureTable = async (file: SegmentFile, target: RestoredPlace): Promise<Place> => {
    const own = file.columns
      .filter(({ name }) => !rowOrder.some((key) => key === name))
      .map(({ name }) => name);
    const place = tablePlace({ ...target, pool: file.pool });
    await tables.ensure(place, file.pool === null ? own.map(namedColumnOf) : []);
    return place;
  };

  const bring = async (
    file: SegmentFile,
    segments: readonly SavedSegment[],
    target: RestoredPlace,
    as?: ReadonlyMap<number, number>,
  ): Promise<void> => {
    const place = await ensureTable(file, target);
    const frames = await folder.read(file);
    try {
      await files.load({ place, columns: file.columns, segments, as }, frames);
    } catch (error) {
      if (!(error instanceof CopyDiffers)) throw error;
      throw damaged(`${file.key}: ${error.message}`);
    }
  };

  return {
    async write(prefix, segments) {
      const written: SegmentFile[] = [];
      for (const bundle of bundlesOf(segments)) {
        const { storeId, pool } = bundle[0]!;
        const place = tablePlace(bundle[0]!);
        const checked = await requireSound(bundle);
        const columns = await files.columns(place);
        const rows = { place, columns, segmentIds: bundle.map(({ id }) => id) };
        const key = `${prefix}/${written.length + 1}.native.zst`;
        const file = await folder.write(key, framesOf(await files.open(rows, `backup/${key}`)));
        written.push({
          ...file,
          storeId,
          pool,
          columns,
          segments: checked,
        });
      }
      return written;
    },

    async load(file, segments, target, as) {
      await bring(file, segments, target, as);
      return segments.reduce((sum, [, rows]) => sum + rows, 0);
    },
  };
};

/** Writes rows of segments to files of a backup, and reads them back, in bundles of one table each. */
import { compressZstd } from '../lib/zstd.js';
import type { Place } from '../model/version.js';
import { byTable, CopyDiffers, type ReferencedSegment, type SegmentFiles } from '../rows/index.js';
import { type BackupFolder, damaged } from './backup-folder.js';
import type { SegmentFile } from './manifest.js';

export interface SegmentArchive {
  /** Writes the rows of segments below `prefix`. @throws AppError 409 `rows_damaged`. */
  write(prefix: string, segments: readonly ReferencedSegment[]): Promise<SegmentFile[]>;
  /**
   * Loads segments of a file into a store, compares them with count and hash, and returns the number of rows.
   * @param as New ids of the segments, by their ids in the file; undefined: the same ids.
   */
  load(
    file: SegmentFile,
    segments: readonly SavedSegment[],
    target: Place,
    as?: ReadonlyMap<number, number>,
  ): Promise<number>;
}

/** Id, rows and hash of a segment in a file. */
export type SavedSegment = SegmentFile['segments'][number];

interface SegmentArchiveOptions {
  readonly folder: BackupFolder;
  readonly files: SegmentFiles;
}

/** Limits of a bundle: rows (a larger segment has its own bundle) and segments. */
const bundleRows = 1_000_000;
const bundleSegments = 1_000;

const frameBytes = 4 * 1024 * 1024;

/** The bytes as concatenated zstd frames. */
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

/** A segment that a file may have. */
export type WantedSegment = Pick<ReferencedSegment, 'id' | 'pool' | 'rows' | 'hash'>;

/**
 * Segments never change, and their hash covers the columns of their table: segments with the same id, pool, rows and hash are the same one,
 * on any shard and in a table of any number.
 */
export const isSavedIn = (
  { pool }: Pick<SegmentFile, 'pool'>,
  [id, rows, hash]: SavedSegment,
  segment: WantedSegment,
): boolean =>
  segment.id === id &&
  segment.pool === pool &&
  segment.rows === rows &&
  (segment.hash === null || segment.hash === hash);

/** Bundles of segments of one table on one shard, or of a table on all shards, in order. */
const bundlesOf = (segments: readonly ReferencedSegment[]): ReferencedSegment[][] => {
  const rows = new WeakMap<readonly ReferencedSegment[], number>();
  return byTable(segments, (bundle, next) => {
    const sum = (rows.get(bundle) ?? bundle[0]!.rows) + next.rows;
    rows.set(bundle, sum);
    return sum <= bundleRows && bundle.length < bundleSegments;
  });
};

export const createSegmentArchive = ({ folder, files }: SegmentArchiveOptions): SegmentArchive => ({
  async write(prefix, segments) {
    const written: SegmentFile[] = [];
    for (const bundle of bundlesOf(segments)) {
      const key = `${prefix}/${written.length + 1}.native.zst`;
      const { blocks, storeId, pool, columns, segments: saved } = await files.save(bundle, `backup/${key}`);
      const file = await folder.write(key, framesOf(blocks));
      written.push({ ...file, storeId, pool, columns: [...columns], segments: saved.map((one) => [...one]) });
    }
    return written;
  },

  async load(file, segments, target, as) {
    const { pool, columns } = file;
    try {
      await files.load({ target, pool, columns, segments, as }, () => folder.read(file));
    } catch (error) {
      if (!(error instanceof CopyDiffers)) throw error;
      throw damaged(`${file.key}: ${error.message}`);
    }
    return segments.reduce((sum, [, rows]) => sum + rows, 0);
  },
});

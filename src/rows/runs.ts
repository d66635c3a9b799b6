/** Chooses runs, neighbouring segments of a version that a compaction replaces by one, and derives the facts of the new segment. */
import { CopyDiffers } from './copy.js';

/** A segment of a version, as compaction uses it. */
export interface ListedSegment {
  readonly id: number;
  readonly uploadNumber: number;
  readonly rows: number;
  /** Raw bytes of its rows. */
  readonly bytes: number;
  readonly patch: boolean;
  /** Number of rows that a patch hides. */
  readonly hidden: number;
  /** False if the version includes only the first rows of the segment. */
  readonly whole: boolean;
  /** Hash of its rows, with which a join compares them; null: not recorded yet. */
  readonly hash?: string | null;
}

/** Content of a joined segment. */
export interface JoinedRows {
  readonly rows: number;
  /** Absent: recorded later, as that of an upload. */
  readonly hash?: string;
}

/** A dataset whose current version has many segments or patched rows. */
export interface CompactionCandidate {
  readonly storeId: number;
  readonly datasetId: number;
}

export interface RunBounds {
  /** Fewest segments worth joining. */
  readonly least: number;
  /** Maximum raw bytes of a joined segment. */
  readonly maxBytes: number;
}

/** Most segments of a run: the statement keeps a part open for each. */
const longestRun = 1_000;

/**
 * The longest run of neighbours that may be joined; undefined if none is worth joining.
 *
 * No segment of a run is larger than all others together. So the segment that a row is in at least doubles with each copy, and the number
 * of copies of a row is logarithmic in the size of the dataset.
 */
export const chooseRun = (
  segments: readonly ListedSegment[],
  { least, maxBytes }: RunBounds,
): readonly ListedSegment[] | undefined => {
  let best = { start: 0, length: 0 };
  for (let start = 0; start + Math.max(least, best.length + 1) <= segments.length; start += 1) {
    let total = 0;
    let largest = 0;
    for (let at = start; at < segments.length && at - start < longestRun; at += 1) {
      const { bytes, whole } = segments[at]!;
      // A segment without bytes still costs a part.
      const weight = Math.max(bytes, 1);
      total += weight;
      largest = Math.max(largest, weight);
      if (!whole || total > maxBytes) break;
      const length = at - start + 1;
      if (length >= least && length > best.length && largest * 2 <= total) best = { start, length };
    }
  }
  return best.length === 0 ? undefined : segments.slice(best.start, best.start + best.length);
};

/** Maximum patches of a current version: each slows down every read. */
export const maxPatches = 16;

/** Minimum patches worth joining while there are not too many. */
export const minPatches = 4;

/** The neighbours with the fewest bytes whose join leaves `maxPatches` patches. */
const cheapestRun = (patches: readonly ListedSegment[]): readonly ListedSegment[] => {
  const length = patches.length - maxPatches + 1;
  const bytesFrom = (start: number): number =>
    patches.slice(start, start + length).reduce((sum, { bytes }) => sum + bytes, 0);
  let best = 0;
  for (let start = 1; start + length <= patches.length; start += 1)
    if (bytesFrom(start) < bytesFrom(best)) best = start;
  return patches.slice(best, best + length);
};

/**
 * Chooses the next segments of a current version to join: bases with bases, or patches with patches, whose number stays bounded. Rows keep
 * their positions, so other segments may be between them.
 */
export const chooseNext = (
  segments: readonly ListedSegment[],
  bounds: RunBounds,
): readonly ListedSegment[] | undefined => {
  const bases = segments.filter(({ patch }) => !patch);
  const patches = segments.filter(({ patch }) => patch);
  return (
    chooseRun(bases, bounds) ??
    chooseRun(patches, { ...bounds, least: minPatches }) ??
    (patches.length > maxPatches ? cheapestRun(patches) : undefined)
  );
};

/** The segments to fold; undefined without patches, or if the version has only a part of a segment. */
export const foldOf = (segments: readonly ListedSegment[]): readonly ListedSegment[] | undefined =>
  segments.some(({ patch }) => patch) && segments.every(({ whole }) => whole) ? segments : undefined;

/** Raw bytes of the segments to fold, an upper bound for the fold. */
export const bytesOfFold = (run: readonly ListedSegment[]): number =>
  run.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * Facts of a joined segment. It is a patch if all segments of the run are; a fold becomes a base. Versions that have only a part of such a
 * run keep their segments (swap.ts).
 * @throws CopyDiffers if the copy does not have the rows of the versions
 */
export const joinedFacts = (run: readonly ListedSegment[], { rows, hash }: JoinedRows) => {
  const sum = (of: (segment: ListedSegment) => number): number =>
    run.reduce((total, segment) => total + of(segment), 0);
  const read = sum((segment) => segment.rows);
  const patch = run.every((segment) => segment.patch);
  // Versions keep their number of rows.
  const hidden = sum((segment) => segment.hidden) - read + rows;
  if (hidden < 0 || (!patch && hidden !== 0))
    throw new CopyDiffers(`${rows} rows were written in place of ${rows - hidden}`);
  const bytes = sum((segment) => segment.bytes);
  return { rows, hash, bytes: read === 0 ? bytes : Math.round((bytes / read) * rows), patch, hidden };
};

export type JoinedFacts = ReturnType<typeof joinedFacts>;

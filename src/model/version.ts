/**
 * The version model.
 *
 * Terms
 *   store     what a dataset and its clones share: segments of one are read by the others.
 *   segment   an immutable set of rows of a store, written by one attempt of one process. Where its rows are stored is
 *             known in rows/ alone: other rooms hold its place.
 *   version   an immutable list of segments plus the columns as they were. `versionId` names it.
 *   current   the version that a dataset points to; a pointer in PostgreSQL, moved in one transaction.
 *
 * Invariants
 *   1. A row in ClickHouse whose segment no version names does not exist for any reader.
 *   2. A segment is known in PostgreSQL before its first row is written; so whatever is stored in ClickHouse can be
 *      found, judged and dropped.
 *   3. A version is published only when ClickHouse holds, for its new segment, exactly as many rows as the
 *      chunks of the process that were recorded: counted there, or acknowledged for the one statement that wrote it.
 *   4. Segment ids grow in the order in which uploads of a dataset are accepted, which is the order in which
 *      they are published. So do upload numbers, and with them the positions of rows (position.ts): reading order is the order of
 *      positions, whatever segments have the rows.
 *   5. A segment is dropped when no version, no pending process and no running compaction names it, some time
 *      after the last version that did. Dropping is idempotent.
 *   6. A segment that was appended to a list of segments follows that same list in every version that
 *      names it: versions and clones are a tree of lists. So a run of segments can be joined into one for all
 *      versions at once; those that end inside of the run read its rows of uploads before a number (a cut).
 *   7. Ids of the versions of a dataset are in the order in which they were current. A vintage that is brought in later
 *      takes an id that was set aside before the first version, and has one segment that no other version has.
 *   8. All segments of a version have one place.
 *
 * The way of an upload from its first chunk to its version: uploads/lifecycle/transitions.ts.
 */
import type { DataType, StoredColumn } from './column.js';

declare const stored: unique symbol;

/** Location of the rows of a segment. Opaque: only src/rows makes places and looks into them. */
export interface Place {
  readonly [stored]: never;
}

/** A version that is made after those that come behind it: what its provider had published on a day. */
export interface Vintage {
  /** Set aside: lower than those of all versions of the dataset. */
  readonly versionId: number;
  /** ISO 8601. */
  readonly validFrom: string;
  /** From when on the oldest version of the dataset is valid; once that is another one, the upload is refused. */
  readonly validUntil: string;
}

/**
 * A segment's id is its process and a number below this. Numbers below `firstMerge` are attempts of the upload, above
 * them merges, from `firstCompaction` on compactions.
 */
export const segmentNumbers = { perProcess: 1_000, firstMerge: 500, firstCompaction: 800 } as const;

const { perProcess, firstMerge, firstCompaction } = segmentNumbers;

/** Id of the segment that an attempt of a process writes. Grows with the process id (invariant 4). */
export const segmentId = (processId: number, attempt: number): number => {
  if (attempt < 1 || attempt >= perProcess) throw new RangeError(`attempt ${attempt} is out of range`);
  return processId * perProcess + attempt;
};

/** Id of the segment that the n-th merge of a process writes, from 1. Behind all of the process's own ones. */
export const mergeSegmentId = (processId: number, number: number): number => {
  if (number < 1 || firstMerge + number >= firstCompaction)
    throw new RangeError(`merge ${number} is out of range`);
  return processId * perProcess + firstMerge + number;
};

/**
 * Ids that a segment may have which takes the place of a run of segments, by the first of the run: behind it and
 * before the next process. Whatever a version lists behind a part of the run is younger than its first segment,
 * so the order stays (invariant 4).
 */
export const compactedSegmentIds = (first: number): { readonly from: number; readonly to: number } => {
  const process = Math.floor(first / perProcess) * perProcess;
  return { from: process + firstCompaction, to: process + perProcess - 1 };
};

export const processOfSegment = (id: number): number => Math.floor(id / perProcess);

/** A joined segment of which a version has only the rows of uploads with a lower number. */
export interface SegmentCut {
  readonly segmentId: number;
  readonly beforeUpload: number;
}

/** Which rows of a store make a version. */
export interface SegmentList {
  /** In upload order, which is ascending. */
  readonly segmentIds: readonly number[];
  /** Absent where every segment is read whole. */
  readonly cuts?: readonly SegmentCut[];
  /**
   * Segments of the list whose rows replace or delete rows of earlier segments. Absent if there are none.
   */
  readonly patches?: readonly number[];
  /** Stored rows of each of `patches`; absent where they are not known. */
  readonly patchRows?: readonly number[];
}

/** Facts about the rows of a complete segment. */
export interface SegmentFacts {
  readonly rows: number;
  /** Raw bytes of the records that were received. */
  readonly bytes: number;
  /** First and last date (`YYYY-MM-DD`) of the dataset's date column; null without one. */
  readonly minDate: string | null;
  readonly maxDate: string | null;
  readonly frequency: Frequency | null;
  /** The days of the date column, as text (model/day-set.ts); absent where they are not known. */
  readonly days?: string;
}

export type Frequency = 'Daily' | 'Weekly' | 'Monthly' | 'Quarterly' | 'Semiannual' | 'Annual';

/**
 * Frequency of a series from the median distance between neighbouring distinct dates, in days.
 * Distances between the bands (irregular data) have no name: null.
 */
export const frequencyOf = (medianGapDays: number): Frequency | null => {
  if (medianGapDays >= 1 && medianGapDays <= 3) return 'Daily';
  if (medianGapDays >= 6 && medianGapDays <= 8) return 'Weekly';
  if (medianGapDays >= 28 && medianGapDays <= 31) return 'Monthly';
  if (medianGapDays >= 89 && medianGapDays <= 92) return 'Quarterly';
  if (medianGapDays >= 181 && medianGapDays <= 184) return 'Semiannual';
  if (medianGapDays >= 365 && medianGapDays <= 366) return 'Annual';
  return null;
};

/** A version as a reader needs it. */
export interface ReadableVersion extends SegmentList {
  readonly versionId: number;
  readonly datasetId: number;
  /** Version that this one is a clone or restored copy of; absent: this version itself. */
  readonly contentId?: number;
  /** Null: no segment, and therefore no rows. */
  readonly place: Place | null;
  readonly columns: readonly StoredColumn[];
  readonly rowCount: number;
  /** Stored rows of its segments that it does not have, because patches replace or delete them. @default 0 */
  readonly hidden?: number;
  readonly byteSize: number;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
}

/** How the columns of a version differ from those of the version before it. */
export interface ColumnChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly retyped: readonly { readonly name: string; readonly from: DataType; readonly to: DataType }[];
  /** Numbers of names that are left out of the lists; absent where none is. */
  readonly omitted?: { readonly added: number; readonly removed: number; readonly retyped: number };
}

/** Most names of a kind that a list of versions shows, and most characters of them together. */
export const changesShown = { names: 20, characters: 2_000 } as const;

/**
 * The column whose dates give a dataset its range: the first Date entity, otherwise the first Date column, otherwise the
 * first entity column of years.
 */
export const timeColumnOf = (columns: readonly StoredColumn[]): StoredColumn | undefined =>
  columns.find((column) => column.dataType === 'Date' && column.isEntity) ??
  columns.find((column) => column.dataType === 'Date') ??
  columns.find((column) => column.years === true && column.isEntity);

/**
 * The version model.
 *
 * Terms
 *   store     storage that a dataset shares with its clones, which read the same segments.
 *   segment   an immutable set of rows of a store, written by one attempt of one process. Only rows/ knows where its
 *             rows are stored: other rooms hold its place.
 *   version   an immutable list of segments, with the columns at that time. `versionId` identifies it.
 *   current   the version that a dataset points to; a pointer in PostgreSQL, changed in one transaction.
 *
 * Invariants
 *   1. A row in ClickHouse whose segment no version references is invisible for all readers.
 *   2. A segment is registered in PostgreSQL before its first row is written, so everything that is stored in ClickHouse
 *      can be found, checked and dropped.
 *   3. A version is published only if ClickHouse has exactly as many rows of its new segment as were recorded for the
 *      chunks of the process: counted there, or acknowledged for the only statement that wrote it.
 *   4. Segment ids grow in the order in which uploads of a dataset are accepted, which is the order in which
 *      they are published. So do upload numbers, and with them the positions of rows (position.ts): reading order is the order of
 *      positions, whatever segments have the rows.
 *   5. A segment is dropped when no version, no pending process and no running compaction references it, some time
 *      after the last version that did. Dropping is idempotent.
 *   6. A segment that was appended to a list of segments follows that same list in every version that
 *      references it: versions and clones are a tree of lists. So a run of segments can be joined into one for all
 *      versions at once; those that end inside of the run read only its rows of uploads before a number (a cut).
 *   7. Ids of the versions of a dataset are in the order in which they were current. A vintage that is loaded later
 *      gets an id that was reserved before the first version, and has one segment that no other version has.
 *   8. All segments of a version have one place.
 *
 * The states of an upload from its first chunk to its version are in uploads/lifecycle/transitions.ts.
 */
import type { DataType, StoredColumn } from './column.js';

declare const stored: unique symbol;

/** Location of the rows of a segment. Opaque: only src/rows creates and reads places. */
export interface Place {
  readonly [stored]: never;
}

/** A copy of the rows of a version that can be read in their place. Opaque: only src/rows makes copies and looks into them. */
export interface ReadCopy {
  readonly [stored]: never;
}

/** A version that is created after later ones: the values that a provider had published on a day. */
export interface Vintage {
  /** Reserved id, lower than those of all versions of the dataset. */
  readonly versionId: number;
  /** ISO 8601. */
  readonly validFrom: string;
  /** Start of validity of the dataset's oldest version. If that has changed, the upload is refused. */
  readonly validUntil: string;
}

/**
 * A segment id consists of its process and a number below `perProcess`. Numbers below `firstMerge` are attempts of the upload, the next
 * ones merges, and from `firstCompaction` on compactions.
 */
export const segmentNumbers = { perProcess: 1_000, firstMerge: 500, firstCompaction: 800 } as const;

const { perProcess, firstMerge, firstCompaction } = segmentNumbers;

/** Highest number of a merge of a process. */
export const lastMerge = firstCompaction - firstMerge - 1;

/** Id of the segment of an attempt of a process. Grows with the process id (invariant 4). */
export const segmentId = (processId: number, attempt: number): number => {
  if (attempt < 1 || attempt >= perProcess) throw new RangeError(`attempt ${attempt} is out of range`);
  return processId * perProcess + attempt;
};

/** Id of the segment of the n-th merge of a process, from 1. Higher than those of all attempts of the process. */
export const mergeSegmentId = (processId: number, number: number): number => {
  if (number < 1 || number > lastMerge) throw new RangeError(`merge ${number} is out of range`);
  return processId * perProcess + firstMerge + number;
};

/**
 * Ids for a segment that replaces a run of segments, from the first id of the run: higher than that, and lower than those of the next
 * process. All segments that follow a part of the run in any version are younger than its first segment, so the order is kept (invariant
 * 4).
 */
export const compactedSegmentIds = (first: number): { readonly from: number; readonly to: number } => {
  const process = Math.floor(first / perProcess) * perProcess;
  return { from: process + firstCompaction, to: process + perProcess - 1 };
};

export const processOfSegment = (id: number): number => Math.floor(id / perProcess);

/** A joined segment of which a version only has the rows of uploads with a lower number. */
export interface SegmentCut {
  readonly segmentId: number;
  readonly beforeUpload: number;
}

/** The rows of a version in its store. */
export interface SegmentList {
  /** In upload order, which is ascending. */
  readonly segmentIds: readonly number[];
  /** Absent if every segment is read whole. */
  readonly cuts?: readonly SegmentCut[];
  /**
   * Segments of the list whose rows replace or delete rows of earlier segments. Absent if there are none.
   */
  readonly patches?: readonly number[];
  /** Stored rows of each of `patches`; absent if unknown. */
  readonly patchRows?: readonly number[];
}

/** Facts about the rows of a complete segment. */
export interface SegmentFacts {
  readonly rows: number;
  /** Raw bytes of the received records. */
  readonly bytes: number;
  /** First and last date (`YYYY-MM-DD`) of the dataset's date column; null without one. */
  readonly minDate: string | null;
  readonly maxDate: string | null;
  readonly frequency: Frequency | null;
  /** The days of the date column, as text (model/day-set.ts); absent if unknown. */
  readonly days?: string;
}

export type Frequency = 'Daily' | 'Weekly' | 'Monthly' | 'Quarterly' | 'Semiannual' | 'Annual';

/** Frequency of a series from the median distance of consecutive distinct dates, in days. null for other distances (irregular data). */
export const frequencyOf = (medianGapDays: number): Frequency | null => {
  if (medianGapDays >= 1 && medianGapDays <= 3) return 'Daily';
  if (medianGapDays >= 6 && medianGapDays <= 8) return 'Weekly';
  if (medianGapDays >= 28 && medianGapDays <= 31) return 'Monthly';
  if (medianGapDays >= 89 && medianGapDays <= 92) return 'Quarterly';
  if (medianGapDays >= 181 && medianGapDays <= 184) return 'Semiannual';
  if (medianGapDays >= 365 && medianGapDays <= 366) return 'Annual';
  return null;
};

/** Name of the rows of a version in caches: a repair changes the rows, but not the id. */
export const contentName = ({
  versionId,
  repairs = 0,
}: Pick<ReadableVersion, 'versionId' | 'repairs'>): string => `${versionId}.${repairs}`;

/** The data of a version that a reader needs. */
export interface ReadableVersion extends SegmentList {
  readonly versionId: number;
  readonly datasetId: number;
  /** Version of which this one is a clone or restored copy; absent: none. */
  readonly contentId?: number;
  /** How often rows of it were written again, since ClickHouse had lost or altered them; absent: never. */
  readonly repairs?: number;
  /** Null: no segment, and so no rows. */
  readonly place: Place | null;
  /** Absent where only the segments have the rows. */
  readonly copy?: ReadCopy;
  readonly columns: readonly StoredColumn[];
  readonly rowCount: number;
  /** Stored rows of its segments that are not part of it, because patches replace or delete them. @default 0 */
  readonly hidden?: number;
  readonly byteSize: number;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
}

/** Differences of a version's columns from those of the previous version. */
export interface ColumnChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly retyped: readonly { readonly name: string; readonly from: DataType; readonly to: DataType }[];
  /** Numbers of names that are omitted from the lists; absent if none is. */
  readonly omitted?: { readonly added: number; readonly removed: number; readonly retyped: number };
}

/** Maximum number of names of a kind in a list of versions, and of their characters. */
export const changesShown = { names: 20, characters: 2_000 } as const;

/**
 * The column whose dates determine the range of a dataset: the first Date entity, otherwise the first Date column, otherwise the first
 * entity column of years.
 */
export const timeColumnOf = (columns: readonly StoredColumn[]): StoredColumn | undefined =>
  columns.find((column) => column.dataType === 'Date' && column.isEntity) ??
  columns.find((column) => column.dataType === 'Date') ??
  columns.find((column) => column.years === true && column.isEntity);

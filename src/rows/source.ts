/** Rows of versions as SQL: what a statement reads FROM, WHERE, and in which order. */
import { type NamedColumn, type StoredColumn, storageName } from '../model/column.js';
import type { Place, SegmentList } from '../model/version.js';
import { commonShard, type ShardPlace } from '../storage/clickhouse/client.js';
import { segmentsGone } from '../storage/clickhouse/errors.js';
import type { BoundValues } from '../storage/clickhouse/query-form.js';
import { widePartColumns } from './engine.js';
import { type Condition, patchMask } from './patches.js';
import {
  clickHouseType,
  firstPosition,
  indexOf,
  insideOf,
  isEverywhere,
  isPooled,
  namedColumn,
  sourceOf,
  statedTable,
} from './place.js';

/** Rows that a statement reads. Besides the columns by their stored names, each row has `rowOrder`. */
export interface RowSource {
  /** Table expression behind FROM. */
  readonly from: string;
  /** Condition that selects the rows; further ones are added with AND. */
  readonly where: string;
  /**
   * Condition that selects the same rows as `where` and reads nothing per row: for statements that filter these rows in a PREWHERE.
   * Absent where `where` has to be tested in each row.
   */
  readonly wherePart?: string;
  /** Parameters of all of them. */
  readonly values: BoundValues;
}

/** Position of a row, the column by which rows are in reading order. A subquery that keeps the order selects it. */
export const rowOrder = '_row';

/** Select list that gives rows, read in the order they are to have, their positions. */
export const numberedRows = `rowNumberInAllBlocks() AS ${rowOrder}`;

/** Which rows a condition is about, and the start of its parameters' names, where a statement reads several lists. */
export interface RowChoice {
  readonly list: SegmentList;
  /** @default `segments` */
  readonly name?: string;
  /** A condition without which there are no rows. */
  readonly guard?: string;
  /** Subquery of positions, where no other rows are read. */
  readonly within?: string;
}

/**
 * Condition for all rows that are stored of a list of segments, which the key of the table answers: also those that patches replace
 * or delete. One segment is compared: that takes half the time of looking each row up in a set of one.
 * `indexHint` would spare the comparison, but `count()` ignores it: it counts the rows of all segments of the table.
 */
export const storedRows = ({
  list: { segmentIds, cuts = [] },
  name = 'segments',
  guard,
}: RowChoice): Condition => {
  const list = `{${name}:Array(UInt64)}`;
  const guarded = (rows: string, none: string): string =>
    guard === undefined ? rows : `if(${guard}, ${rows}, ${none})`;
  return {
    sql: [
      segmentIds.length === 1 ? `_seg = ${guarded(`${list}[1]`, '0')}` : `_seg IN ${guarded(list, '[]')}`,
      ...cuts.map(
        (_, at) =>
          `(_seg != {${name}Cut${at}:UInt64} OR _row < ${firstPosition(`{${name}Before${at}:UInt64}`)})`,
      ),
    ].join(' AND '),
    values: {
      [name]: segmentIds,
      ...Object.fromEntries(
        cuts.flatMap(({ segmentId, beforeUpload }, at) => [
          [`${name}Cut${at}`, segmentId],
          [`${name}Before${at}`, beforeUpload],
        ]),
      ),
    },
  };
};

/** Condition for the rows that a version with these segments has. */
export const segmentRows = (database: string, place: Place, choice: RowChoice): Condition => {
  const stored = storedRows(choice);
  const { list, name = 'segments', within } = choice;
  const mask = patchMask(statedTable(database, place), list, name, within);
  if (mask === undefined) return stored;
  return { sql: `${stored.sql} AND ${mask.sql}`, values: { ...stored.values, ...mask.values } };
};

/**
 * `FROM … WHERE …` of these rows in some columns.
 * @param among Further condition that few rows meet. Only these are looked up among the patches: a look-up costs more than the hash of a
 * key. A read of a pool is a subquery, which has no PREWHERE, but no patches either.
 */
export const selectRows = (
  database: string,
  place: Place,
  choice: RowChoice,
  columns: readonly NamedColumn[],
  among?: string,
): { readonly from: string; readonly values: BoundValues } => {
  const { sql, values } = segmentRows(database, place, choice);
  const source = `FROM ${sourceOf(database, place, columns)}`;
  if (among === undefined) return { from: `${source} WHERE ${sql}`, values };
  const where = isPooled(place) ? `WHERE ${sql} AND ${among}` : `PREWHERE ${among} WHERE ${sql}`;
  return { from: `${source} ${where}`, values };
};

/** Replaces the table of a version without rows, which may have none. */
const emptyTable = (columns: readonly StoredColumn[]): string => {
  const names = columns.map(
    (column) => `CAST(NULL, 'Nullable(${clickHouseType(column.physical)})') AS ${storageName(column)}`,
  );
  return `(SELECT ${[...names, `toUInt64(0) AS ${rowOrder}`].join(', ')} WHERE 0)`;
};

/**
 * `FROM …` and the number of rows in it, counted from the parts' headers. In a table of 1,000 columns that takes 7 ms,
 * because each step of a plan carries all columns; to sum up the marks of the parts takes one.
 */
const countSource = (database: string, place: Place, { columns, cuts }: CountedRows) =>
  columns.length > widePartColumns && cuts === undefined && !isEverywhere(place)
    ? { count: 'sum(rows_in_granule)', from: indexOf(database, place) }
    : { count: 'count()', from: statedTable(database, place) };

/** Segments, the number of rows in them, and where they are stored. */
export interface CountedRows extends SegmentList {
  readonly place: Place | null;
  readonly columns: readonly StoredColumn[];
  readonly rowCount: number;
  /** Stored rows of the segments that are not among them, because patches replace or delete them. @default 0 */
  readonly hidden?: number;
}

export const requirePlace = ({ place }: CountedRows): Place => {
  if (place === null) throw new Error('a version has rows but no segment');
  return place;
};

/**
 * Condition that is true when all rows of a version are there, and fails the query otherwise: one that starts after a segment
 * was dropped, or that would read rows that ClickHouse has lost, must fail rather than answer with fewer rows. It is a scalar
 * subquery, which is always run.
 */
export const countGuard = (database: string, version: CountedRows, name: string): Condition => {
  const { count, from } = countSource(database, requirePlace(version), version);
  const { sql, values } = storedRows({ list: version, name });
  return {
    sql: `(SELECT throwIf(${count} != {${name}Count:UInt64}, '${segmentsGone}') FROM ${from} WHERE ${sql}) = 0`,
    values: { ...values, [`${name}Count`]: version.rowCount + (version.hidden ?? 0) },
  };
};

/**
 * Condition for a version that is one whole partition of an own table: `_partition_id` is a constant of each part. As a PREWHERE it costs as
 * much as `_seg`; behind one it is tested in the rows that are left (docs/adr/0090-own-tables-stay-plain.md). Tables of many columns choose
 * between PREWHERE and WHERE by what is read.
 */
const partitionCondition = (version: CountedRows, place: Place, name: string, guard: string) => {
  const { segmentIds, columns, cuts = [], patches = [] } = version;
  const isOnePartition = segmentIds.length === 1 && cuts.length === 0 && patches.length === 0;
  if (!isOnePartition || isPooled(place) || isEverywhere(place) || columns.length > widePartColumns)
    return {};
  return { wherePart: `_partition_id = if(${guard}, toString({${name}:Array(UInt64)}[1]), '')` };
};

/**
 * The rows of a version, with `countGuard`. The guard is part of the list of segments, where it is folded to a constant: as a
 * condition of its own it would allow ClickHouse to test the other conditions while it reads (PREWHERE) only once.
 * @param name Start of the parameters' names, where a statement reads several versions.
 */
export const versionSource = (database: string, version: CountedRows, name = 'segments'): RowSource => {
  const { columns, rowCount } = version;
  if (rowCount === 0) return { from: emptyTable(columns), where: 'true', values: {} };
  const place = requirePlace(version);
  const guard = countGuard(database, version, name);
  const { sql, values } = segmentRows(database, place, { list: version, name, guard: guard.sql });
  return {
    from: sourceOf(database, place, columns.map(namedColumn)),
    where: sql,
    ...partitionCondition(version, place, name, guard.sql),
    values: { ...guard.values, ...values },
  };
};

/** Placeholder for planning an answer whose rows are not read. */
export const preview: RowSource = {
  from: '(SELECT 1 WHERE 0)',
  where: 'true',
  values: {},
};

/** Whole segments, whichever versions have them, whose rows are stored under the same columns. */
export interface SegmentRows {
  readonly place: Place;
  readonly columns: readonly StoredColumn[];
  readonly segments: readonly number[];
}

/** Rows of segments, without a guard: for answers that may be too small. */
export const segmentSource = (
  database: string,
  { place, columns, segments }: SegmentRows,
  name: string,
): RowSource => ({
  from: sourceOf(database, place, columns.map(namedColumn)),
  where: `_seg IN {${name}:Array(UInt64)}`,
  values: { [name]: segments },
});

/**
 * The server that reads all of these rows in one statement.
 * @throws AppError `unavailable` when rows were moved between the reads of the versions.
 */
export const serverOf = (...rows: readonly { readonly place: Place | null }[]): ShardPlace => {
  const [first, ...others] = rows.flatMap(({ place }) => (place === null ? [] : [place]));
  return first === undefined ? {} : { shard: commonShard([insideOf(first), ...others.map(insideOf)]) };
};

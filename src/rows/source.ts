/** Rows of versions as SQL: FROM, WHERE and order. */
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

/** Rows that a statement reads, with `rowOrder` and the columns under their stored names. */
export interface RowSource {
  /** Table expression after FROM. */
  readonly from: string;
  /** Condition that selects the rows; more can be added with AND. */
  readonly where: string;
  /**
   * Condition that selects the same rows as `where` without reading a column, for statements that filter in PREWHERE. Absent if `where`
   * must be tested for each row.
   */
  readonly wherePart?: string;
  /** Parameters of all expressions. */
  readonly values: BoundValues;
}

/** Column with the position of a row, which defines the reading order. A subquery must select it to keep the order. */
export const rowOrder = '_row';

/** Select list that numbers rows in the order in which they are read. */
export const numberedRows = `rowNumberInAllBlocks() AS ${rowOrder}`;

/** Rows that a condition selects. */
export interface RowChoice {
  readonly list: SegmentList;
  /** Prefix of parameter names, for statements that read several lists. @default `segments` */
  readonly name?: string;
  /** If this condition is false, no rows are selected. */
  readonly guard?: string;
  /** Subquery of the only positions that are read. */
  readonly within?: string;
}

/**
 * Condition for all stored rows of a list of segments, including rows that patches replace or delete; the key of the table answers it. A
 * single segment is compared, which takes half the time of a lookup in a set. `indexHint` would avoid the comparison, but `count()` ignores
 * it and counts the rows of all segments of the table.
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

/** Condition for the rows of a version with these segments. */
export const segmentRows = (database: string, place: Place, choice: RowChoice): Condition => {
  const stored = storedRows(choice);
  const { list, name = 'segments', within } = choice;
  const mask = patchMask(statedTable(database, place), list, name, within);
  if (mask === undefined) return stored;
  return { sql: `${stored.sql} AND ${mask.sql}`, values: { ...stored.values, ...mask.values } };
};

/**
 * `FROM … WHERE …` of the rows, with some columns.
 * @param among Another condition that few rows meet. Only these rows are looked up among the patches, since a lookup costs more than hashing
 *   a key. A pool is read in a subquery, without PREWHERE, but has no patches.
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

/** Table expression for a version without rows, which may have no table. */
const emptyTable = (columns: readonly StoredColumn[]): string => {
  const names = columns.map(
    (column) => `CAST(NULL, 'Nullable(${clickHouseType(column.physical)})') AS ${storageName(column)}`,
  );
  return `(SELECT ${[...names, `toUInt64(0) AS ${rowOrder}`].join(', ')} WHERE 0)`;
};

/**
 * Table and expression that count rows without reading them. `count()` takes 7 ms in a table of 1,000 columns, because each step of the plan
 * carries all columns; summing the granules of the index takes 1 ms.
 */
const countSource = (database: string, place: Place, { columns, cuts }: CountedRows) =>
  columns.length > widePartColumns && cuts === undefined && !isEverywhere(place)
    ? { count: 'sum(rows_in_granule)', from: indexOf(database, place) }
    : { count: 'count()', from: statedTable(database, place) };

/** Segments, their number of rows, and where they are stored. */
export interface CountedRows extends SegmentList {
  readonly place: Place | null;
  readonly columns: readonly StoredColumn[];
  readonly rowCount: number;
  /** Stored rows that do not count, because patches replace or delete them. @default 0 */
  readonly hidden?: number;
}

export const requirePlace = ({ place }: CountedRows): Place => {
  if (place === null) throw new Error('a version has rows but no segment');
  return place;
};

/**
 * Condition that is true if all rows of a version are stored, and fails the query otherwise. A query must fail rather than return fewer rows
 * if a segment was dropped before it started, or ClickHouse has lost rows. As a scalar subquery it is always evaluated.
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
 * `wherePart` of a version that is one whole partition of an own table: `_partition_id` is constant per part. In PREWHERE it costs as much as
 * `_seg`; after PREWHERE it is tested only for the remaining rows (docs/adr/0090-own-tables-stay-plain.md). Not for tables of many columns,
 * where ClickHouse chooses between PREWHERE and WHERE by the columns that are read.
 */
const partitionCondition = (version: CountedRows, place: Place, name: string, guard: string) => {
  const { segmentIds, columns, cuts = [], patches = [] } = version;
  const isOnePartition = segmentIds.length === 1 && cuts.length === 0 && patches.length === 0;
  if (!isOnePartition || isPooled(place) || isEverywhere(place) || columns.length > widePartColumns)
    return {};
  return { wherePart: `_partition_id = if(${guard}, toString({${name}:Array(UInt64)}[1]), '')` };
};

/**
 * The rows of a version, with `countGuard`. The guard is inside the list of segments, where it is folded to a constant: as a separate
 * condition it would impair PREWHERE for the other conditions.
 * @param name Prefix of parameter names, for statements that read several versions.
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

/** Placeholder for planning a query that is not run. */
export const preview: RowSource = {
  from: '(SELECT 1 WHERE 0)',
  where: 'true',
  values: {},
};

/** Whole segments with the same columns, of any versions. */
export interface SegmentRows {
  readonly place: Place;
  readonly columns: readonly StoredColumn[];
  readonly segments: readonly number[];
}

/** Rows of segments without a guard, for results that may be incomplete. */
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
 * The server that can read all of these rows in one statement.
 * @throws AppError `unavailable` if rows moved between the reads of the versions.
 */
export const serverOf = (...rows: readonly { readonly place: Place | null }[]): ShardPlace => {
  const [first, ...others] = rows.flatMap(({ place }) => (place === null ? [] : [place]));
  return first === undefined ? {} : { shard: commonShard([insideOf(first), ...others.map(insideOf)]) };
};

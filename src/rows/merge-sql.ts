/** The two sides of a merge, the version before and the file, as SQL. */
import { type PhysicalType, type StoredColumn, storageName } from '../model/column.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import type { Placement } from '../model/placement.js';
import type { MergeMode } from '../model/process.js';
import type { SegmentList } from '../model/version.js';
import type { QueryParams } from '../storage/clickhouse/client.js';
import { clickHouseType, namedColumn, sourceOf } from './places.js';
import { segmentRows } from './source.js';

export interface SegmentMerge {
  readonly mode: MergeMode;
  /** The segment to write, and where. */
  readonly target: number;
  readonly targetPlace: Placement;
  /** Rows of the version before. */
  readonly base: SegmentList;
  readonly basePlace: Placement;
  readonly baseColumns: readonly StoredColumn[];
  /** The segment of the file and the columns it has, in their types of the target. */
  readonly fileSegment: number;
  readonly filePlace: Placement;
  readonly fileColumns: readonly StoredColumn[];
  readonly columns: readonly StoredColumn[];
  /** Columns that tell rows apart; none: rows are only put behind those that are there. */
  readonly keyIds: readonly number[];
  readonly keep: 'last' | 'first';
  /** Ids of Decimal columns whose type does not hold numbers that the file replaces; it holds all others. */
  readonly narrowed?: ReadonlySet<number>;
}

export interface MergeSide {
  readonly columns: ReadonlyMap<number, StoredColumn>;
  /** `FROM … WHERE …` */
  readonly from: string;
  readonly narrowed: ReadonlySet<number>;
}

export interface MergeSql {
  readonly base: MergeSide;
  readonly file: MergeSide;
  /** Key columns in the order of the version. */
  readonly keys: readonly StoredColumn[];
  /** Names of the columns that `keysOf` gives, two of each key: whether it is null, and its value. */
  readonly keyNames: readonly string[];
  /** A row's key as `keyNames`; null equals null. */
  keysOf(side: MergeSide): string;
  /** Values of a row, in the types of the target. */
  valuesOf(side: MergeSide): string[];
  /** The same, to tell whether a row changes. */
  comparedOf(side: MergeSide): string[];
  /** Rows of `b` and `f` have one key. */
  readonly on: string;
  readonly params: QueryParams;
}

export const nullable = (physical: PhysicalType): string => `Nullable(${clickHouseType(physical)})`;

/** The values of a column in a type that holds all of them. */
export const converted = (name: string, from: PhysicalType, to: PhysicalType): string =>
  from === to ? name : columnTypeOf(to).widened(name, columnTypeOf(from), to);

const valueIn = (target: StoredColumn, { columns, narrowed }: MergeSide): string => {
  const column = columns.get(target.id);
  const isNull = column?.untyped === true && column.physical !== target.physical;
  if (column === undefined || isNull) return `CAST(NULL, '${nullable(target.physical)}')`;
  const name = storageName(column);
  if (!narrowed.has(target.id)) return converted(name, column.physical, target.physical);
  const { numbers, text } = columnTypeOf(column.physical);
  return `accurateCastOrNull(${numbers === 'doubles' ? text(name) : name}, '${clickHouseType(target.physical)}')`;
};

/** The same for a comparison: numbers that the type does not hold differ from all that it does. */
const comparedIn = (target: StoredColumn, side: MergeSide, narrowed: ReadonlySet<number>): string => {
  const column = side.columns.get(target.id);
  if (column === undefined || !narrowed.has(target.id)) return valueIn(target, side);
  return columnTypeOf(column.physical).text(storageName(column));
};

/** A key value as two columns that are never null, so that null equals null. */
const keyParts = (value: string, physical: PhysicalType, position: number): string[] => {
  const present = `ifNull(${value}, defaultValueOfTypeName('${clickHouseType(physical)}'))`;
  return [`isNull(${value}) AS n${position}`, `${columnTypeOf(physical).key(present)} AS k${position}`];
};

const none: ReadonlySet<number> = new Set();

export const mergeSql = (database: string, merge: SegmentMerge): MergeSql => {
  const source = (place: Placement, columns: readonly StoredColumn[]): string =>
    sourceOf(database, place, columns.map(namedColumn));
  const byId = (columns: readonly StoredColumn[]) => new Map(columns.map((column) => [column.id, column]));
  const rows = segmentRows(merge.base, 'base');
  const keys = merge.columns.filter(({ id }) => merge.keyIds.includes(id));
  const { narrowed = none } = merge;
  const keyNames = keys.flatMap((_, at) => [`n${at}`, `k${at}`]);
  return {
    base: {
      columns: byId(merge.baseColumns),
      from: `FROM ${source(merge.basePlace, merge.baseColumns)} WHERE ${rows.sql}`,
      narrowed,
    },
    file: {
      columns: byId(merge.fileColumns),
      from: `FROM ${source(merge.filePlace, merge.fileColumns)} WHERE _seg = {file:UInt64}`,
      narrowed: none,
    },
    keys,
    keyNames,
    keysOf: (side) => keys.flatMap((key, at) => keyParts(valueIn(key, side), key.physical, at)).join(', '),
    valuesOf: (side) => merge.columns.map((column) => valueIn(column, side)),
    comparedOf: (side) => merge.columns.map((column) => comparedIn(column, side, narrowed)),
    on: keyNames.map((name) => `b.${name} = f.${name}`).join(' AND '),
    params: { ...rows.params, file: merge.fileSegment },
  };
};

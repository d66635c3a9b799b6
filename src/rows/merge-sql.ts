/**
 * SQL that matches the rows of a file with those of the previous version by key. merge.ts and merge-patch.ts write the results, keys.ts
 * counts them.
 */
import { type PhysicalType, type StoredColumn, storageName } from '../model/column.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import type { MergeMode } from '../model/process.js';
import type { Place, SegmentList } from '../model/version.js';
import type { ClickHouseServers, Connection } from '../storage/clickhouse/client.js';
import type { BoundValues } from '../storage/clickhouse/query-form.js';
import { CopyDiffers, type RowSet, type VersionCopy } from './copy.js';
import { clickHouseType, insideOf, isEverywhere, namedColumn, statedTable } from './place.js';
import { selectRows, storedRows } from './source.js';
import { mergeSettings } from './statement-settings.js';

export interface SegmentMerge {
  readonly mode: MergeMode;
  /** The segment to write, and its place. */
  readonly target: number;
  readonly targetPlace: Place;
  /** Rows of the previous version, and their number. */
  readonly base: SegmentList & { readonly rowCount: number; readonly hidden?: number };
  readonly basePlace: Place;
  readonly baseColumns: readonly StoredColumn[];
  /** Segment of the file, and its columns in the types of the target. */
  readonly fileSegment: number;
  readonly filePlace: Place;
  readonly fileColumns: readonly StoredColumn[];
  readonly columns: readonly StoredColumn[];
  /** Columns of the key; empty: rows of the file are only appended. */
  readonly keyIds: readonly number[];
  readonly keep: 'last' | 'first';
  /** Ids of Decimal columns whose type holds all numbers except some that the file replaces. */
  readonly narrowed?: ReadonlySet<number>;
}

/** Numbers of rows and keys that a file changes. */
export interface KeyCounts {
  /** Rows of the file. */
  readonly rows: number;
  readonly distinct: number;
  /** Keys of the file that the previous version has. */
  readonly known: number;
  /** Rows of the previous version whose key the file has. */
  readonly hits: number;
  /** Rows among `hits` whose values are the same in the file. */
  readonly same: number;
  /** Positions of the counted rows; absent if they are too many. */
  readonly found?: FoundRows;
}

/** Comma-separated positions for a list in SQL; empty: none. */
export interface FoundRows {
  /** Rows of the previous version that the file changes or deletes. */
  readonly changed: string;
  /** For each of them the row of the file with its key. */
  readonly changedBy: string;
  /** Rows of the previous version that a sync removes. */
  readonly removed: string;
  /** Rows of the file, one per key, whose keys the previous version lacks; absent if they are too many. */
  readonly unknownRows?: string;
  /** Rows of the file whose keys it has; present instead of `unknownRows`. */
  readonly knownRows?: string;
}

export interface MergeSide {
  readonly columns: ReadonlyMap<number, StoredColumn>;
  /** `FROM … WHERE …` */
  readonly from: string;
  /** `FROM … WHERE …` of the rows that meet a selective condition. */
  among(condition: string): string;
  /** Parameters of both. */
  readonly values: BoundValues;
  readonly narrowed: ReadonlySet<number>;
}

const nullOf = (physical: PhysicalType): string => `CAST(NULL, 'Nullable(${clickHouseType(physical)})')`;

/** SQL of a column converted to a type that holds all of its values. */
export const converted = (name: string, from: PhysicalType, to: PhysicalType): string =>
  from === to ? name : columnTypeOf(to).widened(name, columnTypeOf(from), to);

/** Like `converted`. A column without a settled type has at most null markers, which become null in another type. */
export const valueAs = (column: StoredColumn, physical: PhysicalType): string =>
  column.untyped === true && column.physical !== physical
    ? nullOf(physical)
    : converted(storageName(column), column.physical, physical);

const valueIn = (target: StoredColumn, { columns, narrowed }: MergeSide): string => {
  const column = columns.get(target.id);
  if (column === undefined) return nullOf(target.physical);
  const isNull = column.untyped === true && column.physical !== target.physical;
  if (isNull || !narrowed.has(target.id)) return valueAs(column, target.physical);
  const name = storageName(column);
  const { numbers, text } = columnTypeOf(column.physical);
  return `accurateCastOrNull(${numbers === 'doubles' ? text(name) : name}, '${clickHouseType(target.physical)}')`;
};

/** Like `valueIn`, for comparisons: numbers that the type cannot hold stay different from all that it can. */
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

export type MergeSql = ReturnType<typeof mergeSql>;

export const mergeSql = (database: string, merge: SegmentMerge) => {
  const { narrowed = none } = merge;
  const sideOf = (
    name: 'base' | 'file',
    place: Place,
    list: SegmentList,
    columns: readonly StoredColumn[],
  ): MergeSide => {
    const select = (among?: string) =>
      selectRows(database, place, { list, name }, columns.map(namedColumn), among);
    return {
      ...select(),
      among: (condition) => select(condition).from,
      columns: new Map(columns.map((column) => [column.id, column])),
      narrowed: name === 'base' ? narrowed : none,
    };
  };
  const base = sideOf('base', merge.basePlace, merge.base, merge.baseColumns);
  const file = sideOf('file', merge.filePlace, { segmentIds: [merge.fileSegment] }, merge.fileColumns);
  /** Key columns in the order of the version. */
  const keys = merge.columns.filter(({ id }) => merge.keyIds.includes(id));
  /** Names of the columns in `keysOf`, two per key column: whether it is null, and its value. */
  const keyNames = keys.flatMap((_, at) => [`n${at}`, `k${at}`]);
  /** Value of a key column, in the same form on both sides, or null. */
  const keyValueOf = (side: MergeSide, key: StoredColumn): string =>
    columnTypeOf(key.physical).key(valueIn(key, side));
  const keyValuesOf = (side: MergeSide): string[] => keys.map((key) => keyValueOf(side, key));
  /** Hash of the key of a row, the same on both sides. */
  const keyHashOf = (side: MergeSide): string => `cityHash64(tuple(${keyValuesOf(side).join(', ')}))`;
  return {
    merge,
    base,
    file,
    keys,
    keyNames,
    keyHashOf,
    keyValueOf,
    keyValuesOf,
    /** Key of a row as the columns `keyNames`, in which null equals null. */
    keysOf: (side: MergeSide): string =>
      keys.flatMap((key, at) => keyParts(valueIn(key, side), key.physical, at)).join(', '),
    /** Values of a row, in the types of the target. */
    valuesOf: (side: MergeSide): string[] => merge.columns.map((column) => valueIn(column, side)),
    /** Values of a row, for comparisons that find changed rows. */
    comparedOf: (side: MergeSide, columns: readonly StoredColumn[] = merge.columns): string[] =>
      columns.map((column) => comparedIn(column, side, narrowed)),
    /** Join condition that the rows `b` and `f` have the same key. */
    on: keyNames.map((name) => `b.${name} = f.${name}`).join(' AND '),
    params: { ...base.values, ...file.values },
  };
};

export const mergeServer = (servers: ClickHouseServers, merge: SegmentMerge): Connection =>
  servers.at(insideOf(merge.basePlace), insideOf(merge.filePlace), insideOf(merge.targetPlace));

/** Copy that writes rows of the new version. */
export const mergedCopy = (
  { merge: { target, targetPlace, columns }, params }: MergeSql,
  sets: readonly RowSet[],
): VersionCopy => ({
  target: { segment: target, place: targetPlace },
  columns: columns.map(namedColumn),
  sets,
  params,
  settings: mergeSettings,
});

/** `GLOBAL` evaluates the list once, over all shards, and sends it to each of them. */
const isIn = ({ targetPlace }: SegmentMerge, not: '' | 'NOT ' = ''): string =>
  `${isEverywhere(targetPlace) ? 'GLOBAL ' : ''}${not}IN`;

/** Rows of the file that take effect: one per key. */
export const winners = (
  { merge, file, keysOf, keyNames }: MergeSql,
  counts: Pick<KeyCounts, 'distinct' | 'rows'>,
): string => {
  if (merge.keyIds.length === 0 || counts.distinct === counts.rows) return file.from;
  const pick = merge.keep === 'last' ? 'max' : 'min';
  return `${file.from} AND _row ${isIn(merge)} (SELECT ${pick}(r) FROM (SELECT ${keysOf(file)}, _row AS r ${file.from})
    GROUP BY ${keyNames.join(', ')})`;
};

/** Hash of the values of a row, by default of all columns, to find changed rows. */
export const rowHash = (
  { comparedOf }: MergeSql,
  side: MergeSide,
  columns?: readonly StoredColumn[],
): string => `sipHash128(tuple(${comparedOf(side, columns).join(', ')}))`;

/** Most keys in an in-memory set that rows are checked against before their other columns are read. */
const maxKeysInSet = 4_000_000;

/** Most keys for which the column indexes can skip most rows. */
const maxKeysByValue = 1_000;

const listOf = (positions: string): string => `CAST([${positions}], 'Array(UInt64)')`;

/**
 * Subquery of the rows that a file changes or deletes: `p`, the position in the previous version, and `r`, that of the row in the file. It
 * reads no table, since looking up a few scattered rows costs as much as reading every granule.
 */
export const foundPairs = ({ changed, changedBy }: FoundRows): string =>
  `(SELECT arrayJoin(arrayZip(${listOf(changed)}, ${listOf(changedBy)})) AS pair, pair.1 AS p, pair.2 AS r)`;

/** Subquery of the rows that a sync removes. */
export const foundRemoved = ({ removed }: FoundRows): string => `(SELECT arrayJoin(${listOf(removed)}) AS p)`;

/** `FROM … WHERE …` of the rows of the previous version whose keys the file has, and possibly a few others; in mode sync all rows. */
export const hitRows = (
  { merge, base, file, keys, keyHashOf, keyValueOf }: MergeSql,
  { distinct }: Pick<KeyCounts, 'distinct'>,
): string => {
  // A sync removes rows whose keys the file lacks.
  if (distinct > maxKeysInSet || merge.mode === 'sync') return base.from;
  const isFound = (value: (side: MergeSide) => string): string =>
    `${value(base)} ${isIn(merge)} (SELECT ${value(file)} ${file.from})`;
  const among = base.among(isFound(keyHashOf));
  if (distinct > maxKeysByValue) return among;
  // Column indexes skip granules without any of the values. Comparing each row with the values as well would take 20 percent of the time.
  const byValue = keys.map(
    (key) => `(${isFound((side) => keyValueOf(side, key))} OR isNull(${keyValueOf(base, key)}))`,
  );
  const values = byValue.join(' AND ');
  return `${among} AND ${isEverywhere(merge.targetPlace) ? values : `indexHint(${values})`}`;
};

/** `FROM … WHERE …` of rows of the file whose keys the previous version lacks. */
export const unknownRows = (
  sql: MergeSql,
  counts: Pick<KeyCounts, 'distinct' | 'found' | 'rows'>,
): string => {
  const fromWinners = winners(sql, counts);
  const { merge, file, base, keysOf, on } = sql;
  if (counts.found !== undefined) {
    const { unknownRows, knownRows = '' } = counts.found;
    if (unknownRows !== undefined)
      return `${file.from} AND ${unknownRows === '' ? '0' : `_row IN (${unknownRows})`}`;
    return knownRows === '' ? fromWinners : `${fromWinners} AND _row NOT IN (${knownRows})`;
  }
  return `${fromWinners} AND _row ${isIn(merge, 'NOT ')} (
    SELECT f.r FROM (SELECT ${keysOf(base)} ${hitRows(sql, counts)}) AS b
      INNER JOIN (SELECT ${keysOf(file)}, _row AS r ${fromWinners}) AS f ON ${on})`;
};

/** Checks that the base is complete: missing rows would be inserted again at other positions, or lost. @throws CopyDiffers */
export const requireBase = async (
  servers: ClickHouseServers,
  { base, basePlace }: SegmentMerge,
): Promise<void> => {
  if (base.segmentIds.length === 0) return;
  const { sql, values } = storedRows({ list: base });
  const [counted] = await servers
    .at(insideOf(basePlace))
    .rows<{ n: string }>(
      `SELECT toString(count()) AS n FROM ${statedTable(servers.database, basePlace)} WHERE ${sql}`,
      { params: values, settings: { max_execution_time: 0 } },
    );
  const expected = base.rowCount + (base.hidden ?? 0);
  if (Number(counted?.n ?? 0) !== expected)
    throw new CopyDiffers(`the version before has ${counted?.n} stored rows, not ${expected}`);
};

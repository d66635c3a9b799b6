/**
 * Statements about the rows of a file and those of the version before it, by their keys: merge.ts and merge-patch.ts write what
 * they give, keys.ts counts it.
 */
import { type PhysicalType, type StoredColumn, storageName } from '../model/column.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import type { MergeMode } from '../model/process.js';
import type { Place, SegmentList } from '../model/version.js';
import type { ClickHouseServers, Connection } from '../storage/clickhouse/client.js';
import { CopyDiffers, type RowSet, type VersionCopy } from './copy.js';
import { clickHouseType, insideOf, isEverywhere, namedColumn, sourceOf, statedTable } from './place.js';
import { selectRows, storedRows } from './source.js';
import { mergeSettings } from './statement-settings.js';

export interface SegmentMerge {
  readonly mode: MergeMode;
  /** The segment to write, and its place. */
  readonly target: number;
  readonly targetPlace: Place;
  /** Rows of the version before, and how many they are. */
  readonly base: SegmentList & { readonly rowCount: number; readonly hidden?: number };
  readonly basePlace: Place;
  readonly baseColumns: readonly StoredColumn[];
  /** The segment of the file and the columns it has, in their types of the target. */
  readonly fileSegment: number;
  readonly filePlace: Place;
  readonly fileColumns: readonly StoredColumn[];
  readonly columns: readonly StoredColumn[];
  /** Columns of the key; none: rows of the file are only put behind the others. */
  readonly keyIds: readonly number[];
  readonly keep: 'last' | 'first';
  /** Ids of Decimal columns whose type does not hold numbers that the file replaces; it holds all others. */
  readonly narrowed?: ReadonlySet<number>;
  /** Outside of these both sides have the same rows, which are not looked at; absent: all are. */
  readonly differing?: DifferingBuckets;
}

/** Buckets of keys (keys.ts). */
export interface DifferingBuckets {
  readonly buckets: readonly number[];
  /** Rows of the version before, and of the file, in these buckets. */
  readonly baseRows: number;
  readonly fileRows: number;
}

/** How many rows and keys of the version before a file changes. */
export interface KeyCounts {
  /** Rows of the file. */
  readonly rows: number;
  readonly distinct: number;
  /** Keys of the file that the version before has. */
  readonly known: number;
  /** Rows of the version before whose key the file has. */
  readonly hits: number;
  /** Rows among `hits` whose values are the same in the file. */
  readonly same: number;
  /** The rows behind the counts; absent where they are too many to be named. */
  readonly found?: FoundRows;
}

/** Positions as SQL writes them in a list; empty: none. */
export interface FoundRows {
  /** Positions of rows of the version before that the file changes or deletes. */
  readonly changed: string;
  /** For each of these the position of the row of the file that has its key. */
  readonly changedBy: string;
  /** Positions of rows of the version before that a sync removes. */
  readonly removed: string;
  /** Positions of rows of the file that count and whose keys the version before lacks; absent where they are too many. */
  readonly unknownRows?: string;
  /** Positions of those whose keys it has, in place of the others. */
  readonly knownRows?: string;
}

export interface MergeSide {
  readonly columns: ReadonlyMap<number, StoredColumn>;
  /** `FROM … WHERE …` */
  readonly from: string;
  readonly narrowed: ReadonlySet<number>;
}

const nullOf = (physical: PhysicalType): string => `CAST(NULL, 'Nullable(${clickHouseType(physical)})')`;

/** The values of a column in a type that holds all of them. */
export const converted = (name: string, from: PhysicalType, to: PhysicalType): string =>
  from === to ? name : columnTypeOf(to).widened(name, columnTypeOf(from), to);

/** The same; a column without any value that tells a type has markers at most, which are null in another type. */
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

/** Buckets of keys. */
export const bucketCount = 2 ** 19;

/** Bucket of a key, by its hash. */
export const bucketOf = (keyHash: string): string => `toUInt32(bitAnd(${keyHash}, ${bucketCount - 1}))`;

/** Statements of a merge. */
export type MergeSql = ReturnType<typeof mergeSql>;

export const mergeSql = (database: string, merge: SegmentMerge) => {
  const byId = (columns: readonly StoredColumn[]) => new Map(columns.map((column) => [column.id, column]));
  const baseRows = (among?: string) =>
    selectRows(
      database,
      merge.basePlace,
      { list: merge.base, name: 'base' },
      merge.baseColumns.map(namedColumn),
      among,
    );
  const { from, values } = baseRows();
  const fileSource = sourceOf(database, merge.filePlace, merge.fileColumns.map(namedColumn));
  /** Key columns in the order of the version. */
  const keys = merge.columns.filter(({ id }) => merge.keyIds.includes(id));
  const { narrowed = none, differing } = merge;
  /** Names of the columns that `keysOf` gives, two of each key: whether it is null, and its value. */
  const keyNames = keys.flatMap((_, at) => [`n${at}`, `k${at}`]);
  /** Values of a key column, the same on both sides, or null. */
  const keyValueOf = (side: MergeSide, key: StoredColumn): string =>
    columnTypeOf(key.physical).key(valueIn(key, side));
  /** Hash of a row's key, the same on both sides. */
  const keyHashOf = (side: MergeSide): string =>
    `cityHash64(tuple(${keys.map((key) => keyValueOf(side, key)).join(', ')}))`;
  const bucketed = (side: MergeSide): MergeSide => {
    if (differing === undefined) return side;
    const { buckets } = differing;
    // Numbers of our own, more than a parameter holds.
    const isIn = buckets.length === 0 ? '0' : `${bucketOf(keyHashOf(side))} IN (${buckets.join(', ')})`;
    return { ...side, from: `${side.from} AND ${isIn}` };
  };
  const base = { columns: byId(merge.baseColumns), from, narrowed };
  return {
    merge,
    base: bucketed(base),
    /** `FROM … WHERE …` of the rows of the previous version that meet a selective condition. */
    baseAmong: (condition: string): string => bucketed({ ...base, from: baseRows(condition).from }).from,
    file: bucketed({
      columns: byId(merge.fileColumns),
      from: `FROM ${fileSource} WHERE _seg = {file:UInt64}`,
      narrowed: none,
    }),
    keys,
    keyNames,
    keyHashOf,
    keyValueOf,
    /** Key of a row, as the columns `keyNames`; null equals null. */
    keysOf: (side: MergeSide): string =>
      keys.flatMap((key, at) => keyParts(valueIn(key, side), key.physical, at)).join(', '),
    /** Values of a row, in the types of the target. */
    valuesOf: (side: MergeSide): string[] => merge.columns.map((column) => valueIn(column, side)),
    /** Values of a row in the types that are compared to find changed rows. */
    comparedOf: (side: MergeSide): string[] =>
      merge.columns.map((column) => comparedIn(column, side, narrowed)),
    /** Join condition: the rows `b` and `f` have the same key. */
    on: keyNames.map((name) => `b.${name} = f.${name}`).join(' AND '),
    params: { ...values, file: merge.fileSegment },
  };
};

export const mergeServer = (servers: ClickHouseServers, merge: SegmentMerge): Connection =>
  servers.at(insideOf(merge.basePlace), insideOf(merge.filePlace), insideOf(merge.targetPlace));

/** Copy that writes the given rows of the new version. */
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

/** A list of all shards is made once and sent to each of them. */
const isIn = ({ targetPlace }: SegmentMerge, not: '' | 'NOT ' = ''): string =>
  `${isEverywhere(targetPlace) ? 'GLOBAL ' : ''}${not}IN`;

/** Rows of the file that count: one of each key. */
export const winners = (
  { merge, file, keysOf, keyNames }: MergeSql,
  counts: Pick<KeyCounts, 'distinct' | 'rows'>,
): string => {
  if (merge.keyIds.length === 0 || counts.distinct === counts.rows) return file.from;
  const pick = merge.keep === 'last' ? 'max' : 'min';
  return `${file.from} AND _row ${isIn(merge)} (SELECT ${pick}(r) FROM (SELECT ${keysOf(file)}, _row AS r ${file.from})
    GROUP BY ${keyNames.join(', ')})`;
};

/** Hash of a row's values in the types of the target, to tell whether it changes. */
export const rowHash = ({ comparedOf }: MergeSql, side: MergeSide): string =>
  `sipHash128(tuple(${comparedOf(side).join(', ')}))`;

/** Most keys that are kept as a set in memory, by which rows are looked up before anything else is read of them. */
const maxKeysInSet = 4_000_000;

/** Most keys by whose values the indexes of columns may leave out most rows. */
const maxKeysByValue = 1_000;

const listOf = (positions: string): string => `CAST([${positions}], 'Array(UInt64)')`;

/**
 * Subquery of the rows that a file changes or deletes: `p`, the position of the row in the version before, and `r`, that of the row in the
 * file. It reads no table: a look at a few rows all over a table costs as much as a look at each of its granules.
 */
export const foundPairs = ({ changed, changedBy }: FoundRows): string =>
  `(SELECT arrayJoin(arrayZip(${listOf(changed)}, ${listOf(changedBy)})) AS pair, pair.1 AS p, pair.2 AS r)`;

/** The same for the rows that a sync removes. */
export const foundRemoved = ({ removed }: FoundRows): string => `(SELECT arrayJoin(${listOf(removed)}) AS p)`;

/** `FROM … WHERE …` of rows of the version before: those whose keys the file has, and seldom others; in mode sync all. */
export const hitRows = (
  { merge, base, baseAmong, file, keys, keyHashOf, keyValueOf }: MergeSql,
  { distinct }: Pick<KeyCounts, 'distinct'>,
): string => {
  // A sync removes rows whose keys the file lacks.
  if (distinct > maxKeysInSet || merge.mode === 'sync') return base.from;
  const isFound = (value: (side: MergeSide) => string): string =>
    `${value(base)} ${isIn(merge)} (SELECT ${value(file)} ${file.from})`;
  const among = baseAmong(isFound(keyHashOf));
  if (distinct > maxKeysByValue) return among;
  // The indexes of columns leave out what has none of the values; to compare each row with them as well takes a fifth of the whole.
  const byValue = keys.map(
    (key) => `(${isFound((side) => keyValueOf(side, key))} OR isNull(${keyValueOf(base, key)}))`,
  );
  const values = byValue.join(' AND ');
  return `${among} AND ${isEverywhere(merge.targetPlace) ? values : `indexHint(${values})`}`;
};

/** `FROM … WHERE …` of rows of the file whose keys the version before lacks. */
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

/** Rows that are missing would be added again, in another place, or left out. @throws CopyDiffers */
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

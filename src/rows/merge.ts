/**
 * Joins the rows of a file with those of the version before it, in a new segment; ClickHouse does all of it. The only place
 * that knows how a change is written.
 *
 *   append   the rows of the file behind all others
 *   upsert   rows of a key that the file has are replaced, at their positions; new keys follow in file order
 *   sync     the same, and rows of keys that the file lacks are left out
 *   delete   rows of keys that the file has are left out
 */
import { type PhysicalType, type StoredColumn, storageName } from '../model/column.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import type { MergeMode } from '../model/process.js';
import type { Place, SegmentList } from '../model/version.js';
import type { ClickHouseServers, Connection, QueryParams } from '../storage/clickhouse/client.js';
import {
  CopyDiffers,
  compareRows,
  insertRows,
  prepareTarget,
  type RowSet,
  storedColumnsOf,
  storedValuesOf,
  type TargetTables,
} from './copy.js';
import { clickHouseType, insideOf, isEverywhere, namedColumn, sourceOf } from './place.js';
import { segmentRows } from './source.js';
import { mergeSettings } from './statement-settings.js';

export interface SegmentMerge {
  readonly mode: MergeMode;
  /** The segment to write, and its place. */
  readonly target: number;
  readonly targetPlace: Place;
  /** Rows of the version before, and how many they are. */
  readonly base: SegmentList & { readonly rowCount: number };
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

export const mergeSql = (database: string, merge: SegmentMerge): MergeSql => {
  const source = (place: Place, columns: readonly StoredColumn[]): string =>
    sourceOf(database, place, columns.map(namedColumn));
  const byId = (columns: readonly StoredColumn[]) => new Map(columns.map((column) => [column.id, column]));
  const rows = segmentRows(database, merge.basePlace, { list: merge.base, name: 'base' });
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

export const mergeServer = (servers: ClickHouseServers, merge: SegmentMerge): Connection =>
  servers.at(insideOf(merge.basePlace), insideOf(merge.filePlace), insideOf(merge.targetPlace));

/** A list of all shards is made once and sent to each of them. */
const isIn = ({ targetPlace }: SegmentMerge, not: '' | 'NOT ' = ''): string =>
  `${isEverywhere(targetPlace) ? 'GLOBAL ' : ''}${not}IN`;

/** Rows of the file that count: one of each key. */
export const winners = (
  merge: SegmentMerge,
  { file, keysOf, keyNames }: MergeSql,
  counts: Pick<KeyCounts, 'distinct' | 'rows'>,
): string => {
  if (merge.keyIds.length === 0 || counts.distinct === counts.rows) return file.from;
  const pick = merge.keep === 'last' ? 'max' : 'min';
  return `${file.from} AND _row ${isIn(merge)} (SELECT ${pick}(r) FROM (SELECT ${keysOf(file)}, _row AS r ${file.from})
    GROUP BY ${keyNames.join(', ')})`;
};

/** Rows of the version before, as the file changes them: `FROM` and values by the place of their column. */
const changedBase = (
  { mode }: SegmentMerge,
  { base, file, keysOf, valuesOf, on }: MergeSql,
  fromWinners: string,
): { readonly from: string; value(at: number): string } => {
  const named = (side: MergeSide, prefix: string): string =>
    valuesOf(side)
      .map((value, at) => `, ${value} AS ${prefix}${at}`)
      .join('');
  const left = `(SELECT _row AS p, ${keysOf(base)}${named(base, 'x')} ${base.from}) AS b`;
  const right = (values: string): string =>
    `(SELECT toUInt8(1) AS hit, ${keysOf(file)}${values} ${fromWinners}) AS f ON ${on}`;
  if (mode === 'delete')
    return { from: `FROM ${left} LEFT JOIN ${right('')} WHERE f.hit = 0`, value: (at) => `b.x${at}` };
  const changed = right(named(file, 'y'));
  if (mode === 'sync') return { from: `FROM ${left} INNER JOIN ${changed}`, value: (at) => `f.y${at}` };
  return { from: `FROM ${left} LEFT JOIN ${changed}`, value: (at) => `if(f.hit = 1, f.y${at}, b.x${at})` };
};

/** The rows of the version to come. `touched`: the file replaces rows or leaves some out. */
const rowSets = (merge: SegmentMerge, sql: MergeSql, counts: KeyCounts, touched: boolean): RowSet[] => {
  const { base, file, keysOf, valuesOf, on } = sql;
  const { mode, targetPlace } = merge;
  const columns = merge.columns.map(namedColumn);
  const fromWinners = winners(merge, sql, counts);
  const set = (from: string, value: (at: number) => string): RowSet => ({
    from,
    values: storedValuesOf(columns, targetPlace, value),
  });
  const unchanged = (side: MergeSide, from: string): RowSet => {
    const values = valuesOf(side);
    return set(from, (at) => values[at] ?? '');
  };
  const unknown = touched
    ? ` AND _row ${isIn(merge, 'NOT ')} (SELECT f.r FROM (SELECT ${keysOf(base)} ${base.from}) AS b
         INNER JOIN (SELECT ${keysOf(file)}, _row AS r ${fromWinners}) AS f ON ${on})`
    : '';
  const sets: RowSet[] = [];
  if (touched) {
    const { from, value } = changedBase(merge, sql, fromWinners);
    sets.push({ ...set(from, value), position: 'b.p' });
  } else if (merge.base.segmentIds.length > 0 && mode !== 'sync') sets.push(unchanged(base, base.from));
  if (mode !== 'delete') sets.push(unchanged(file, `${fromWinners}${unknown}`));
  return sets;
};

/**
 * Writes the rows of the version to come. Where the file replaces none and leaves none out, they are compared with their sources.
 * @throws CopyDiffers
 */
export type Merge = (merge: SegmentMerge, counts: KeyCounts) => Promise<void>;

/** Rows that are missing would be added again, in another place, or left out. */
const requireBase = async (
  clickhouse: Connection,
  { base: { from }, params }: MergeSql,
  { segmentIds, rowCount }: SegmentMerge['base'],
): Promise<void> => {
  if (segmentIds.length === 0) return;
  const [counted] = await clickhouse.rows<{ n: string }>(`SELECT toString(count()) AS n ${from}`, { params });
  if (Number(counted?.n) !== rowCount)
    throw new CopyDiffers(`the version before has ${counted?.n} rows, not ${rowCount}`);
};

export const createMerge =
  (servers: ClickHouseServers, tables: TargetTables): Merge =>
  async (merge, counts) => {
    const sql = mergeSql(servers.database, merge);
    const clickhouse = mergeServer(servers, merge);
    await requireBase(clickhouse, sql, merge.base);
    const touched = counts.known > 0;
    const copy = {
      target: { segment: merge.target, place: merge.targetPlace },
      columns: storedColumnsOf(merge.columns.map(namedColumn), merge.targetPlace),
      sets: rowSets(merge, sql, counts, touched),
      params: sql.params,
      settings: mergeSettings,
    };
    await prepareTarget(tables, merge.targetPlace, merge.columns.map(namedColumn), () =>
      insertRows(clickhouse, copy),
    );
    if (!touched) await compareRows(clickhouse, copy);
  };

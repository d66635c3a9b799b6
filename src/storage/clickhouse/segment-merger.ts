/**
 * The rows of a file together with those of the version before, written by ClickHouse into a new segment without a row
 * leaving it: rows that stay keep their order, new rows follow in file order. Work that died leaves nothing but a
 * segment that nobody names.
 */
import { type PhysicalType, type StoredColumn, storageName } from '../../model/column.js';
import { columnTypeOf } from '../../model/column-types/column-types.js';
import type { Placement } from '../../model/placement.js';
import type { SegmentList } from '../../model/version.js';
import type { ClickHouse, QueryParams, QuerySettings } from './client.js';
import { clickHouseType, namedColumn, sourceOf, storedAs, tableOf, writtenAs } from './places.js';
import { fingerprintRows, gib, requireEqualRows, segmentRows } from './segments.js';

export interface SegmentMerge {
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
}

/** What a file does to the version before it. */
export interface KeyCounts {
  /** Rows of the file. */
  readonly rows: number;
  readonly distinct: number;
  /** Keys of the file that the version before has. */
  readonly known: number;
}

/** One merge must not take the server's memory, whatever the sizes. */
const mergeSettings: QuerySettings = {
  max_threads: 2,
  max_insert_threads: '1',
  max_memory_usage: String(3 * gib),
  max_bytes_before_external_group_by: String(gib / 2),
  max_bytes_before_external_sort: String(gib / 2),
  join_algorithm: 'grace_hash',
  max_bytes_in_join: String(gib / 2),
  join_use_nulls: 0,
  insert_deduplicate: 0,
  async_insert: 0,
  max_block_size: '65536',
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: String(gib / 8),
  max_execution_time: 0,
  max_query_size: '67108864',
  transform_null_in: 0,
};

const nullable = (physical: PhysicalType): string => `Nullable(${clickHouseType(physical)})`;

/** The values of a column in a type that holds all of them. */
const converted = (name: string, from: PhysicalType, to: PhysicalType): string =>
  from === to ? name : columnTypeOf(to).widened(name, columnTypeOf(from), to);

const valueIn = (target: StoredColumn, columns: ReadonlyMap<number, StoredColumn>): string => {
  const column = columns.get(target.id);
  if (column === undefined) return `CAST(NULL, '${nullable(target.physical)}')`;
  return converted(storageName(column), column.physical, target.physical);
};

/** A key value as two columns that are never null, so that null equals null. */
const keyParts = (value: string, physical: PhysicalType, position: number): string[] => {
  const present = `ifNull(${value}, defaultValueOfTypeName('${clickHouseType(physical)}'))`;
  return [`isNull(${value}) AS n${position}`, `${columnTypeOf(physical).key(present)} AS k${position}`];
};

export interface SegmentMerger {
  countKeys(merge: SegmentMerge): Promise<KeyCounts>;
  /**
   * Writes the rows of the version. Where none is replaced, they are compared with what they were made of.
   * @throws Error when they differ; nobody names the segment then.
   */
  write(merge: SegmentMerge, counts: KeyCounts): Promise<void>;
}

export const createSegmentMerger = (clickhouse: ClickHouse): SegmentMerger => {
  const byId = (columns: readonly StoredColumn[]) => new Map(columns.map((column) => [column.id, column]));

  const partsOf = (merge: SegmentMerge) => {
    const source = (place: Placement, columns: readonly StoredColumn[]): string =>
      sourceOf(clickhouse.database, place, columns.map(namedColumn));
    const rows = segmentRows(merge.base, 'base');
    const base = byId(merge.baseColumns);
    const file = byId(merge.fileColumns);
    const keys = merge.columns.filter(({ id }) => merge.keyIds.includes(id));
    const keysOf = (side: ReadonlyMap<number, StoredColumn>): string =>
      keys.flatMap((key, at) => keyParts(valueIn(key, side), key.physical, at)).join(', ');
    const keyNames = keys.flatMap((_, at) => [`n${at}`, `k${at}`]);
    return {
      base,
      file,
      keysOf,
      keyNames,
      on: keyNames.map((name) => `b.${name} = f.${name}`).join(' AND '),
      fromBase: `FROM ${source(merge.basePlace, merge.baseColumns)} WHERE ${rows.sql}`,
      fromFile: `FROM ${source(merge.filePlace, merge.fileColumns)} WHERE _seg = {file:UInt64}`,
      params: { ...rows.params, file: merge.fileSegment } as QueryParams,
    };
  };

  /** Rows of the file that count: one of each key. */
  const winners = (merge: SegmentMerge, counts: KeyCounts): string => {
    if (merge.keyIds.length === 0 || counts.distinct === counts.rows) return '';
    const { keysOf, keyNames, file, fromFile } = partsOf(merge);
    const pick = merge.keep === 'last' ? 'max' : 'min';
    return ` AND _row IN (SELECT ${pick}(r) FROM (SELECT ${keysOf(file)}, _row AS r ${fromFile}) GROUP BY ${keyNames.join(', ')})`;
  };

  const number = async (sql: string, params: QueryParams): Promise<number> => {
    const [row] = await clickhouse.rows<{ n: string }>(sql, { params, settings: mergeSettings });
    return Number(row?.n ?? 0);
  };

  const offsets = async (merge: SegmentMerge): Promise<{ starts: number[]; total: number }> => {
    const { fromBase, params } = partsOf(merge);
    const rows = await clickhouse.rows<{ seg: string; next: string }>(
      `SELECT toString(_seg) AS seg, toString(max(_row) + 1) AS next ${fromBase} GROUP BY _seg`,
      { params, settings: mergeSettings },
    );
    const next = new Map(rows.map((row) => [Number(row.seg), Number(row.next)]));
    let total = 0;
    const starts = merge.base.segmentIds.map((segment) => {
      const start = total;
      total += next.get(segment) ?? 0;
      return start;
    });
    return { starts, total };
  };

  return {
    async countKeys(merge) {
      const { fromFile, fromBase, keysOf, keyNames, base, file, on, params } = partsOf(merge);
      const rows = await number(`SELECT toString(count()) AS n ${fromFile}`, params);
      if (merge.keyIds.length === 0) return { rows, distinct: rows, known: 0 };
      const distinctKeys = `SELECT ${keyNames.join(', ')} FROM (SELECT ${keysOf(file)} ${fromFile}) GROUP BY ${keyNames.join(', ')}`;
      const distinct = await number(`SELECT toString(count()) AS n FROM (${distinctKeys})`, params);
      const known =
        merge.base.segmentIds.length === 0
          ? 0
          : await number(
              `SELECT toString(count()) AS n FROM (
                 SELECT ${keyNames.map((name) => `f.${name} AS ${name}`).join(', ')}
                 FROM (SELECT ${keysOf(base)} ${fromBase}) AS b INNER JOIN (${distinctKeys}) AS f ON ${on}
                 GROUP BY ${keyNames.join(', ')})`,
              params,
            );
      return { rows, distinct, known };
    },

    async write(merge, counts) {
      const { fromBase, fromFile, keysOf, base, file, on, params } = partsOf(merge);
      const { columns, targetPlace } = merge;
      const { starts, total } = await offsets(merge);
      const names = columns.map((column) => `, ${storedAs(namedColumn(column), targetPlace).name}`);
      const into = `INSERT INTO ${clickhouse.database}.${tableOf(targetPlace)} (_seg, _row${names.join('')})`;
      const all = { ...params, target: merge.target, starts, total };
      const inBase = '_row + transform(_seg, {base:Array(UInt64)}, {starts:Array(UInt64)}, toUInt64(0))';
      const inFile = '_row + {total:UInt64}';
      const valuesOf = (side: ReadonlyMap<number, StoredColumn>): string[] =>
        columns.map((column) => valueIn(column, side));
      const named = (side: ReadonlyMap<number, StoredColumn>, prefix: string): string =>
        valuesOf(side)
          .map((value, at) => `, ${value} AS ${prefix}${at}`)
          .join('');
      const written = (values: readonly string[]): string =>
        columns
          .map((column, at) => `, ${writtenAs(values[at] ?? '', namedColumn(column), targetPlace)}`)
          .join('');
      const replaces = merge.keyIds.length > 0 && counts.known > 0;
      const fromWinners = `${fromFile}${winners(merge, counts)}`;
      const run = (select: string): Promise<void> =>
        clickhouse.command(`${into} ${select}`, { params: all, settings: mergeSettings });

      if (merge.base.segmentIds.length > 0)
        await run(
          replaces
            ? `SELECT {target:UInt64}, b.p${written(columns.map((_, at) => `if(f.hit = 1, f.y${at}, b.x${at})`))}
               FROM (SELECT ${inBase} AS p, ${keysOf(base)}${named(base, 'x')} ${fromBase}) AS b
               LEFT JOIN (SELECT toUInt8(1) AS hit, ${keysOf(file)}${named(file, 'y')} ${fromWinners}) AS f
               ON ${on}`
            : `SELECT {target:UInt64}, ${inBase}${written(valuesOf(base))} ${fromBase}`,
        );
      const unknown = replaces
        ? ` AND _row NOT IN (SELECT f.r
             FROM (SELECT ${keysOf(base)} ${fromBase}) AS b
             INNER JOIN (SELECT ${keysOf(file)}, _row AS r ${fromWinners}) AS f ON ${on})`
        : '';
      await run(`SELECT {target:UInt64}, ${inFile}${written(valuesOf(file))} ${fromWinners}${unknown}`);
      if (replaces) return;
      const parts = [
        ...(merge.base.segmentIds.length > 0
          ? [{ from: fromBase, position: inBase, values: valuesOf(base) }]
          : []),
        { from: fromWinners, position: inFile, values: valuesOf(file) },
      ];
      const before = await fingerprintRows(clickhouse, { parts, params: all });
      const target = sourceOf(clickhouse.database, targetPlace, columns.map(namedColumn));
      const fromTarget = `FROM ${target} WHERE _seg = {target:UInt64}`;
      const after = await fingerprintRows(clickhouse, {
        parts: [{ from: fromTarget, position: '_row', values: columns.map(storageName) }],
        params: all,
      });
      requireEqualRows(before, after, before.rows);
    },
  };
};

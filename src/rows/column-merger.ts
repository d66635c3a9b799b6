/**
 * Makes one column of two: the value of the one that is not null. ClickHouse copies the rows into a new segment; a copy that
 * died leaves a segment that nobody names.
 */
import { type StoredColumn, storageName } from '../model/column.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import type { Placement } from '../model/placement.js';
import type { ColumnCollision } from '../model/process.js';
import type { SegmentList } from '../model/version.js';
import type { ClickHouseServers, QuerySettings } from '../storage/clickhouse/client.js';
import { converted, nullable } from './merge-sql.js';
import { namedColumn, sourceOf, statedTable, storedAs, writtenAs } from './places.js';
import { inBase, segmentStarts } from './row-positions.js';
import { mergeSettings } from './segment-merger.js';
import { backgroundSettings, fingerprintRows, fingerprintSegment, requireEqualRows } from './segments.js';
import { segmentRows } from './source.js';

export interface ColumnMerge {
  /** Rows of the version before. */
  readonly base: SegmentList;
  readonly basePlace: Placement;
  readonly baseColumns: readonly StoredColumn[];
  /** The column that stays and the one that goes, as that version has them. */
  readonly into: StoredColumn;
  readonly from: StoredColumn;
  /** What they become, in a type that holds the values of both. */
  readonly merged: StoredColumn;
}

export interface MergedSegment {
  readonly id: number;
  readonly place: Placement;
  /** The columns of the version to come. */
  readonly columns: readonly StoredColumn[];
}

export interface Collisions {
  readonly count: number;
  /** The first rows, at most three. */
  readonly examples: readonly ColumnCollision[];
}

export interface ColumnMerger {
  /** Rows in which both columns have a value, and not the same one. */
  collisions(merge: ColumnMerge): Promise<Collisions>;
  /** @throws Error when the segment is not what it was made of; nobody names it then. */
  write(merge: ColumnMerge, segment: MergedSegment): Promise<void>;
}

const shown = { examples: 3, keys: 5, length: 200 } as const;

/** A column without any value that tells a type has markers at most, which are null in a column of another type. */
const valueIn = (column: StoredColumn, { physical }: StoredColumn): string =>
  column.untyped === true && column.physical !== physical
    ? `CAST(NULL, '${nullable(physical)}')`
    : converted(storageName(column), column.physical, physical);

const textOf = (column: StoredColumn): string =>
  `substringUTF8(${columnTypeOf(column.physical).text(storageName(column))}, 1, ${shown.length})`;

/** Blocks as small as those of other statements that read every column. */
const settingsFor = (columns: number): QuerySettings => ({
  ...mergeSettings,
  max_block_size: backgroundSettings(columns).max_block_size ?? '1024',
  max_ast_elements: '1000000',
  max_expanded_ast_elements: '2000000',
});

const sidesOf = ({ into, from, merged }: ColumnMerge) => ({
  kept: valueIn(into, merged),
  gone: valueIn(from, merged),
});

interface Example {
  readonly seg: string;
  readonly row: string;
  readonly kept: string;
  readonly gone: string;
  readonly key: readonly (string | null)[];
}

export const createColumnMerger = (servers: ClickHouseServers): ColumnMerger => {
  const rowsOf = ({ base, basePlace, baseColumns }: ColumnMerge) => {
    const rows = segmentRows(base, 'base');
    const source = sourceOf(servers.database, basePlace, baseColumns.map(namedColumn));
    return { from: `FROM ${source} WHERE ${rows.sql}`, params: rows.params };
  };

  /** Numbers of rows in the version, from 1. */
  const numbersOf = async (merge: ColumnMerge, found: readonly Example[]): Promise<number[]> => {
    const { from, params } = rowsOf(merge);
    const before = found.map(
      (_, at) =>
        `toString(countIf(_seg < {seg${at}:UInt64} OR (_seg = {seg${at}:UInt64} AND _row < {row${at}:UInt64})))`,
    );
    const places = found.flatMap(({ seg, row }, at) => [
      [`seg${at}`, Number(seg)] as const,
      [`row${at}`, Number(row)] as const,
    ]);
    const [counted] = await servers
      .at(merge.basePlace)
      .rows<{ before: string[] }>(`SELECT [${before.join(', ')}] AS before ${from}`, {
        params: { ...params, ...Object.fromEntries(places) },
        settings: { max_threads: 2, max_execution_time: 0 },
      });
    return (counted?.before ?? []).map((count) => Number(count) + 1);
  };

  const examplesOf = async (merge: ColumnMerge, where: string): Promise<ColumnCollision[]> => {
    const { params } = rowsOf(merge);
    const { into, from, baseColumns } = merge;
    const keys = baseColumns
      .filter(({ id, isEntity }) => isEntity && id !== into.id && id !== from.id)
      .slice(0, shown.keys);
    const found = await servers.at(merge.basePlace).rows<Example>(
      `SELECT toString(_seg) AS seg, toString(_row) AS row, ${textOf(into)} AS kept, ${textOf(from)} AS gone,
         CAST([${keys.map(textOf).join(', ')}], 'Array(Nullable(String))') AS key
       ${where} ORDER BY _seg, _row LIMIT ${shown.examples}`,
      { params, settings: settingsFor(keys.length + 2) },
    );
    const numbers = await numbersOf(merge, found);
    return found.map(({ kept, gone, key }, at) => ({
      row: numbers[at] ?? 0,
      key: Object.fromEntries(keys.map(({ name }, position) => [name, key[position] ?? null])),
      values: { [into.name]: kept, [from.name]: gone },
    }));
  };

  return {
    async collisions(merge) {
      const { from, params } = rowsOf(merge);
      const { kept, gone } = sidesOf(merge);
      const where = `${from} AND isNotNull(${kept}) AND isNotNull(${gone}) AND ${kept} != ${gone}`;
      const [counted] = await servers
        .at(merge.basePlace)
        .rows<{ n: string }>(`SELECT toString(count()) AS n ${where}`, {
          params,
          settings: settingsFor(2),
        });
      const count = Number(counted?.n ?? 0);
      return { count, examples: count === 0 ? [] : await examplesOf(merge, where) };
    },

    async write(merge, { id, place, columns }) {
      const { from, params } = rowsOf(merge);
      const { kept, gone } = sidesOf(merge);
      const values = columns.map((column) =>
        column.id === merge.merged.id ? `coalesce(${kept}, ${gone})` : storageName(column),
      );
      const clickhouse = servers.at(merge.basePlace, place);
      const { starts, total } = await segmentStarts(clickhouse, merge.base, { from, params });
      const names = columns.map((column) => `, ${storedAs(namedColumn(column), place).name}`);
      const written = columns.map(
        (column, at) => `, ${writtenAs(values[at] ?? '', namedColumn(column), place)}`,
      );
      const all = { ...params, target: id, starts, total };
      await clickhouse.command(
        `INSERT INTO ${statedTable(servers.database, place)} (_seg, _row${names.join('')})
         SELECT {target:UInt64}, ${inBase}${written.join('')} ${from}`,
        { params: all, settings: settingsFor(columns.length) },
      );
      const before = await fingerprintRows(clickhouse, {
        parts: [{ from, position: inBase, values }],
        params: all,
      });
      const after = await fingerprintSegment(servers, place, id, columns.map(namedColumn));
      requireEqualRows(before, after, before.rows);
    },
  };
};

/** Joins two columns into one that has the value that is not null. ClickHouse copies the rows into a new segment. */
import { type StoredColumn, storageName } from '../model/column.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import type { ColumnCollision } from '../model/process.js';
import type { Place, SegmentList } from '../model/version.js';
import type { ClickHouseServers, QuerySettings } from '../storage/clickhouse/client.js';
import { type Target, type TargetTables, writeCopy } from './copy.js';
import { valueAs } from './merge-sql.js';
import { insideOf, namedColumn } from './place.js';
import { selectRows } from './source.js';
import { backgroundSettings, mergeSettings } from './statement-settings.js';

export interface ColumnMerge {
  /** Rows of the previous version. */
  readonly base: SegmentList;
  readonly basePlace: Place;
  readonly baseColumns: readonly StoredColumn[];
  /** The column that stays and the one that is removed, as in the previous version. */
  readonly into: StoredColumn;
  readonly from: StoredColumn;
  /** The merged column, in a type that holds the values of both. */
  readonly merged: StoredColumn;
}

export interface Collisions {
  readonly count: number;
  /** The first three rows at most. */
  readonly examples: readonly ColumnCollision[];
}

export interface ColumnJoin {
  /** Rows in which the two columns have different values. */
  collisions(merge: ColumnMerge): Promise<Collisions>;
  /**
   * Writes all rows of the version.
   * @param columns Columns of the new version.
   * @throws CopyDiffers
   */
  write(merge: ColumnMerge, columns: readonly StoredColumn[], target: Target): Promise<void>;
}

const shown = { examples: 3, keys: 5, length: 200 } as const;

const textOf = (column: StoredColumn): string =>
  `substringUTF8(${columnTypeOf(column.physical).text(storageName(column))}, 1, ${shown.length})`;

/** Limits block sizes as for other statements that read every column. */
const settingsFor = (columns: number): QuerySettings => ({
  ...mergeSettings,
  max_block_size: backgroundSettings(columns).max_block_size ?? '1024',
  max_ast_elements: '1000000',
  max_expanded_ast_elements: '2000000',
});

const sidesOf = ({ into, from, merged }: ColumnMerge) => ({
  kept: valueAs(into, merged.physical),
  gone: valueAs(from, merged.physical),
});

interface Example {
  /** Position. */
  readonly row: string;
  readonly kept: string;
  readonly gone: string;
  readonly key: readonly (string | null)[];
}

export const createColumnJoin = (servers: ClickHouseServers, tables: TargetTables): ColumnJoin => {
  const rowsOf = ({ base, basePlace, baseColumns }: ColumnMerge) => {
    const choice = { list: base, name: 'base' };
    const { from, values } = selectRows(servers.database, basePlace, choice, baseColumns.map(namedColumn));
    return { from, params: values };
  };

  /** Row numbers in the version, from 1. */
  const numbersOf = async (merge: ColumnMerge, found: readonly Example[]): Promise<number[]> => {
    const { from, params } = rowsOf(merge);
    const before = found.map((_, at) => `toString(countIf(_row < {row${at}:UInt64}))`);
    const positions = found.map(({ row }, at) => [`row${at}`, row] as const);
    const [counted] = await servers
      .at(insideOf(merge.basePlace))
      .rows<{ before: string[] }>(`SELECT [${before.join(', ')}] AS before ${from}`, {
        params: { ...params, ...Object.fromEntries(positions) },
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
    const found = await servers.at(insideOf(merge.basePlace)).rows<Example>(
      `SELECT toString(_row) AS row, ${textOf(into)} AS kept, ${textOf(from)} AS gone,
         CAST([${keys.map(textOf).join(', ')}], 'Array(Nullable(String))') AS key
       ${where} ORDER BY _row LIMIT ${shown.examples}`,
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
        .at(insideOf(merge.basePlace))
        .rows<{ n: string }>(`SELECT toString(count()) AS n ${where}`, {
          params,
          settings: settingsFor(2),
        });
      const count = Number(counted?.n ?? 0);
      return { count, examples: count === 0 ? [] : await examplesOf(merge, where) };
    },

    async write(merge, columns, target) {
      const { from, params } = rowsOf(merge);
      const { kept, gone } = sidesOf(merge);
      const values = columns.map((column) =>
        column.id === merge.merged.id ? `coalesce(${kept}, ${gone})` : storageName(column),
      );
      await writeCopy(tables, servers.at(insideOf(merge.basePlace), insideOf(target.place)), {
        target,
        columns: columns.map(namedColumn),
        sets: [{ from, values }],
        params,
        settings: settingsFor(columns.length),
      });
    },
  };
};

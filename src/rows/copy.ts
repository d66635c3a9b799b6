/**
 * Copies rows within ClickHouse. Merges, compactions, column merges, restores and repairs share one protocol:
 *
 *   1 choose     the segments, and the place of their copy
 *   2 register   PostgreSQL knows the new segment before its first row is written; its number is used once
 *   3 copy       INSERT … SELECT, or the blocks of a saved file
 *   4 compare    count and hash of the copy with those of its sources
 *   5 switch     a transaction of the caller makes versions refer to the copy
 *   6 drop       the sweep drops segments that no version refers to
 *
 * This file does 3 and 4; `join.ts` does them for compactions. A worker that dies before 5 leaves an unreferenced segment.
 */
import type { NamedColumn } from '../model/column.js';
import type { Place } from '../model/version.js';
import {
  anyShardOf,
  type ClickHouseServers,
  type Connection,
  type QueryParams,
  type QuerySettings,
  type StatementOptions,
} from '../storage/clickhouse/client.js';
import { insideOf, keyColumns, statedTable, storedAs, tableOf, writtenAs } from './place.js';
import { readColumns } from './server-tables.js';
import type { ColumnDefinition } from './slots.js';
import { backgroundSettings } from './statement-settings.js';

/** A copy differs from its sources. No version refers to it. */
export class CopyDiffers extends Error {}

/** A registered new segment and its place. */
export interface Target {
  readonly segment: number;
  readonly place: Place;
}

/** Rows to copy. */
export interface RowSet {
  /** `FROM … WHERE …` */
  readonly from: string;
  /** SQL of their positions, which the copy keeps. @default `_row` */
  readonly position?: string;
  /** SQL of their values, in the order of the columns of the copy. */
  readonly values: readonly string[];
  /** True for tombstones, which have no values. */
  readonly gone?: true;
  /** True: rows are sorted by position. @default false */
  readonly ordered?: boolean;
}

/** Maximum columns of a table whose rows are sorted: each part read has a buffer of up to 1 MB per column. */
export const maxOrderedColumns = 20;

interface RowsCopy<Column> {
  readonly target: Target;
  readonly columns: readonly Column[];
  readonly sets: readonly RowSet[];
  readonly params: QueryParams;
  /** Settings of the INSERT. */
  readonly settings: QuerySettings;
}

/** Copy whose columns are names in the target's table. */
export type StoredCopy = RowsCopy<string>;

/** Copy whose columns are those of a version. */
export type VersionCopy = RowsCopy<NamedColumn>;

const insertOf = (
  database: string,
  { target, columns }: StoredCopy,
  { from, position = '_row', values, gone, ordered = false }: RowSet,
) => {
  const names = gone ? ['_gone'] : columns;
  const written = gone ? ['1'] : values;
  return `INSERT INTO ${statedTable(database, target.place)} (${['_seg', '_row', ...names].join(', ')})
   SELECT ${['{target:UInt64}', position, ...written].join(', ')} ${from}${ordered ? ` ORDER BY ${position}` : ''}`;
};

// Within a tuple, null, zero and the empty text have different hashes.
const hashesOf = (side: 'source' | 'copy', { from, position = '_row', values }: RowSet): string =>
  `SELECT '${side}' AS side, xxh3(tuple(${[position, ...values].join(', ')})) AS h ${from}`;

/** Columns of the table of a place. */
export const columnsOfPlace = (servers: ClickHouseServers, place: Place): Promise<ColumnDefinition[]> =>
  readColumns(anyShardOf(servers, insideOf(place)), tableOf(place));

/** Names of the columns of the table of a place, without `_seg` and `_row`. */
export const valueColumns = async (servers: ClickHouseServers, place: Place): Promise<string[]> =>
  (await columnsOfPlace(servers, place))
    .map(({ name }) => name)
    .filter((name) => !keyColumns.some((key) => key === name));

/** The tables that copies are written into. */
export interface TargetTables {
  ensure(place: Place, columns: readonly NamedColumn[]): Promise<void>;
  forget(place: Place): void;
}

/** Writes the rows of a copy without comparing them. */
export const insertRows = async (
  clickhouse: Connection,
  copy: StoredCopy,
  options: StatementOptions = {},
): Promise<void> => {
  const params = { ...copy.params, target: copy.target.segment };
  for (const set of copy.sets)
    await clickhouse.command(insertOf(clickhouse.database, copy, set), {
      ...options,
      params,
      settings: copy.settings,
    });
};

/** Compares a segment with its sources. @throws CopyDiffers */
const compareRows = async (
  clickhouse: Connection,
  { target, columns, sets, params }: StoredCopy,
): Promise<void> => {
  const from = `FROM ${statedTable(clickhouse.database, target.place)} WHERE _seg = {target:UInt64}`;
  const hashes = [...sets.map((set) => hashesOf('source', set)), hashesOf('copy', { from, values: columns })];
  const sides = await clickhouse.rows<{ side: string; rows: string; hash: string }>(
    `SELECT side, toString(count()) AS rows, toString(sum(h)) AS hash FROM (${hashes.join(' UNION ALL ')}) GROUP BY side`,
    { params: { ...params, target: target.segment }, settings: backgroundSettings(columns.length) },
  );
  const factsOf = (side: string) => sides.find((one) => one.side === side) ?? { rows: '0', hash: '0' };
  const [source, copy] = [factsOf('source'), factsOf('copy')];
  if (source.hash !== copy.hash || source.rows !== copy.rows)
    throw new CopyDiffers(
      `segment ${target.segment} differs from its sources: ${copy.rows} rows instead of ${source.rows}, hash ${copy.hash} instead of ${source.hash}`,
    );
};

/** Translates columns and values to those of the target's table. */
const storedCopy = (copy: VersionCopy): StoredCopy => {
  const { place } = copy.target;
  const written = (value: string, at: number): string => writtenAs(value, copy.columns[at]!, place);
  return {
    ...copy,
    columns: copy.columns.map((column) => storedAs(column, place).name),
    sets: copy.sets.map((set) => ({ ...set, values: set.values.map(written) })),
  };
};

/**
 * Writes the rows of a new version to a place, after adding the columns that its table lacks. If the INSERT fails, forgets the cached
 * columns of the table, since another process may have dropped it.
 * @param isCompared False for sets that are joined with a file: the caller compares their counts.
 * @throws CopyDiffers if the written rows are not those of the sets
 */
export const writeCopy = async (
  tables: TargetTables,
  clickhouse: Connection,
  copy: VersionCopy,
  isCompared = true,
): Promise<void> => {
  const { place } = copy.target;
  const stored = storedCopy(copy);
  await tables.ensure(place, copy.columns);
  try {
    await insertRows(clickhouse, stored);
  } catch (error) {
    tables.forget(place);
    throw error;
  }
  if (isCompared) await compareRows(clickhouse, stored);
};

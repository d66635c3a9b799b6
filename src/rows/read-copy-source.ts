/**
 * Reads of a copy (read-copies.ts) in place of the segments of a version: the same rows at the same positions, under the same names of columns.
 * Texts of few different values have a dictionary. Numbers and dates without nulls are not Nullable, which
 * aggregations must not see: the largest of no values would be 0.
 */
import { storageName } from '../model/column.js';
import type { ReadableVersion, ReadCopy } from '../model/version.js';
import { segmentsGone } from '../storage/clickhouse/errors.js';
import { widePartColumns } from './engine.js';
import { isEverywhere, isPooled } from './place.js';
import type { RowSource } from './source.js';

/** The inside of a `ReadCopy`; as JSON, what `readCopyColumn` selects. */
export interface CopyTable {
  readonly table: string;
  /** Columns that are not Nullable. */
  readonly plain: readonly string[];
}

export const asReadCopy = (inside: CopyTable): ReadCopy => inside as unknown as ReadCopy;

/** The copy of a version, for a select list; null without one. @param version Alias of the table of versions. */
export const readCopyColumn = (version: string): string =>
  `(SELECT json_build_object('table', c.table_name, 'plain', c.plain_columns) FROM read_copies c
    WHERE c.version_id = ${version}.id AND c.made_at IS NOT NULL) AS copy`;

/** True for rows that a copy can be made of: columns of an own table on one shard, few enough to be read in order. */
export const canBeCopied = ({ place, columns }: Pick<ReadableVersion, 'place' | 'columns'>): boolean =>
  place !== null && !isPooled(place) && !isEverywhere(place) && columns.length <= widePartColumns;

/**
 * The rows of a version out of its copy; undefined where it has none, or its dataset is on all shards since it was made.
 * @param keepsTypes True: columns are Nullable as in the segments. False is for statements that select, compare and sort rows and count them.
 */
export const copySource = (
  database: string,
  { copy, place, columns, rowCount }: Pick<ReadableVersion, 'copy' | 'place' | 'columns' | 'rowCount'>,
  keepsTypes: boolean,
): RowSource | undefined => {
  if (copy === undefined || place === null || isEverywhere(place)) return undefined;
  const { table, plain } = copy as unknown as CopyTable;
  const name = `${database}.${table}`;
  const selected = columns.map((column) => {
    const stored = storageName(column);
    return plain.includes(stored) ? `toNullable(${stored}) AS ${stored}` : stored;
  });
  return {
    from: keepsTypes && plain.length > 0 ? `(SELECT _row, ${selected.join(', ')} FROM ${name})` : name,
    // As a scalar subquery it is a constant, and no row is tested.
    where: `(SELECT throwIf(count() != {copyCount:UInt64}, '${segmentsGone}') FROM ${name}) = 0`,
    values: { copyCount: rowCount },
  };
};

/**
 * Reads a copy (read-copies.ts) instead of the segments of a version: the same rows at the same positions, under the same column names.
 * Texts with few distinct values have a dictionary. Numbers and dates without nulls are not Nullable, which must be hidden from
 * aggregations: the maximum of no values would be 0 instead of null.
 */
import { storageName } from '../model/column.js';
import type { ReadableVersion, ReadCopy } from '../model/version.js';
import { segmentsGone } from '../storage/clickhouse/errors.js';
import { widePartColumns } from './engine.js';
import { isEverywhere } from './place.js';
import type { RowSource } from './source.js';

/** Content of a `ReadCopy`; `readCopyColumn` selects it as JSON. */
export interface CopyTable {
  readonly table: string;
  /** Columns that are not Nullable. */
  readonly plain: readonly string[];
}

export const asReadCopy = (inside: CopyTable): ReadCopy => inside as unknown as ReadCopy;

/** Select-list column with the copy of the version `v`; null without one. */
export const readCopyColumn = `(SELECT json_build_object('table', c.table_name, 'plain', c.plain_columns)
    FROM read_copies c WHERE c.version_id = v.id AND c.made_at IS NOT NULL) AS copy`;

/** True if the version has rows, on one shard, and few enough columns to be read in order. */
export const canBeCopied = ({
  place,
  columns,
  rowCount,
}: Pick<ReadableVersion, 'place' | 'columns' | 'rowCount'>): boolean =>
  place !== null && rowCount > 0 && !isEverywhere(place) && columns.length <= widePartColumns;

/**
 * Source of the rows of a version in its copy; undefined without a copy, or if the dataset has been spread over all shards since.
 * @param keepsTypes True: columns are Nullable as in the segments, which aggregations and transposed tables need. False suffices for
 *   selecting, comparing, sorting and counting rows.
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
    // A scalar subquery is a constant: it is not evaluated per row.
    where: `(SELECT throwIf(count() != {copyCount:UInt64}, '${segmentsGone}') FROM ${name}) = 0`,
    values: { copyCount: rowCount },
  };
};

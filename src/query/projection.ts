import { invalid } from '../lib/errors.js';
import { type StoredColumn, storageName } from '../model/column.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import { selectedColumns } from './column-list.js';
import type { FormatRecord, OutputColumn } from './formats/format.js';
import type { DownloadOptions } from './options/options.js';

const separator = ' | ';

/** Selected columns, entity columns first. */
export const chosenColumns = (
  options: Pick<DownloadOptions, 'select' | 'distinct'> & Partial<Pick<DownloadOptions, 'entities'>>,
  columns: readonly StoredColumn[],
): readonly StoredColumn[] => {
  if (options.select === undefined) return columns;
  const selected = new Set(selectedColumns(options.select, columns));
  // With all entity columns added, every row would be distinct.
  const onlySelected = options.distinct || options.entities === 'selected';
  const entities = onlySelected
    ? columns.filter((column) => column.isEntity && selected.has(column))
    : columns.filter((column) => column.isEntity);
  return [...entities, ...[...selected].filter((column) => !column.isEntity)];
};

/** The wanted name, with a number added if it is taken. */
export const freeName = (wanted: string, taken: ReadonlySet<string>): string => {
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) name = `${wanted} ${number}`;
  return name;
};

/**
 * The columns with their headers as names, without repetitions: `$apply` may give a column the name `Price [41]`, which `includeIds`
 * gives to another one. ClickHouse refuses equal aliases.
 */
export const withHeaders = (columns: readonly StoredColumn[], includeIds: boolean): StoredColumn[] => {
  const taken = new Set<string>();
  return columns.map((column) => {
    const { id } = column;
    // Columns computed by `$apply` have no id.
    const name = freeName(includeIds && id > 0 ? `${column.name} [${id}]` : column.name, taken);
    taken.add(name);
    return { ...column, name };
  });
};

const textOf = (column: StoredColumn): string =>
  `ifNull(${columnTypeOf(column.physical).text(storageName(column))}, '')`;

/** Joins values, like names, with ` | `. A null becomes an empty text. */
export const combinedColumn = (columns: readonly StoredColumn[]): OutputColumn => ({
  name: columns.map(({ name }) => name).join(separator),
  sql:
    columns.length === 1 ? textOf(columns[0]!) : `concat(${columns.map(textOf).join(`, '${separator}', `)})`,
  physical: 's',
});

export const plainColumn = (column: StoredColumn): OutputColumn => ({
  name: column.name,
  sql: storageName(column),
  physical: column.physical,
  // Columns computed by `$apply` have no id.
  ...(column.id > 0 ? { fieldId: column.storageId } : {}),
});

/** Columns of the answer in their order. */
export const outputColumns = (
  options: Pick<DownloadOptions, 'combineEntities' | 'includeIds'>,
  chosen: readonly StoredColumn[],
): OutputColumn[] => {
  const { combineEntities, includeIds } = options;
  const entities = chosen.filter((column) => column.isEntity);
  if (!combineEntities || entities.length < 2) return withHeaders(chosen, includeIds).map(plainColumn);
  const others = chosen.filter((column) => !column.isEntity);
  const values = withHeaders(others, includeIds).map(plainColumn);
  const combined = combinedColumn(withHeaders(entities, includeIds));
  const taken = new Set(values.map(({ name }) => name));
  return [{ ...combined, name: freeName(combined.name, taken) }, ...values];
};

/** Columns that `dropNA` checks. */
export const judgedColumns = (chosen: readonly StoredColumn[]): readonly StoredColumn[] =>
  chosen.filter((column) => !column.isEntity);

/** @throws AppError `invalid` if the format does not hold so many columns, or so long a name */
export const requireHeader = (
  format: string,
  names: readonly string[],
  { maxColumns, maxNameLength }: Pick<FormatRecord, 'maxColumns' | 'maxNameLength'>,
): void => {
  const columns = names.length;
  if (maxColumns !== undefined && columns > maxColumns)
    throw invalid(
      'too_many_columns',
      `$format=${format} holds at most ${maxColumns} columns, the answer has ${columns}; choose some with $select.`,
      { limit: maxColumns, columns },
    );
  const limit = maxNameLength ?? Number.POSITIVE_INFINITY;
  const long = names.find((name) => name.length > limit);
  if (long !== undefined)
    throw invalid(
      'text_too_long',
      `$format=${format} holds names of at most ${limit} characters, and that of column ${long.slice(0, 50)}… has ${long.length}; choose columns with $select.`,
      { limit },
    );
};

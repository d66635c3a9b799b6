/** Key columns of the modes upsert, sync and delete. */
import { conflict, invalid } from '../../lib/errors.js';
import { firstItems, quotedNames } from '../../lib/listing.js';
import { createColumnNames } from '../../model/column-names.js';
import type { UploadOptions } from '../options/table.js';
import type { BaseColumns } from './base-version.js';
import { isEntityColumn, type LayoutColumn } from './layout.js';

/** A field of the file, and the matching column of the current version. */
interface Field {
  readonly name: string;
  readonly existing: { readonly id: number; readonly isEntity: boolean } | undefined;
}

/** Columns named by the option `key`; undefined if it is not given. */
const namedBy = <T extends { readonly name: string }>(
  { key }: UploadOptions,
  columns: readonly T[],
): ReadonlySet<T> | undefined => {
  if (key === undefined) return undefined;
  const names = createColumnNames(columns);
  return new Set(key.flatMap((name) => names.find(name) ?? []));
};

/** Fields of the key. */
export const keyFields = <T extends Field>(fields: readonly T[], options: UploadOptions): T[] => {
  const named = namedBy(options, fields);
  return fields.filter((field) => named?.has(field) ?? field.existing?.isEntity === true);
};

/** Key columns that the file lacks. @throws AppError if two names mean the same column */
const lackingNames = (fields: readonly Field[], key: readonly string[]): string[] => {
  const names = createColumnNames(fields);
  const meant = key.map((name) => names.find(name));
  const twice = meant.find((field, at) => field !== undefined && meant.indexOf(field) < at);
  if (twice !== undefined)
    throw invalid('invalid_option', `Option key: names the column ${quotedNames([twice.name])} twice.`, {
      option: 'key',
    });
  return key.filter((_, at) => meant[at] === undefined);
};

/** @throws AppError for key columns that the file or the dataset lacks. */
export const requireKeys = (
  fields: readonly Field[],
  options: UploadOptions,
  base: BaseColumns | undefined,
): void => {
  const { key, mode } = options;
  if (base === undefined && mode === 'delete')
    throw conflict('no_version', 'The dataset has no rows yet that could be deleted.');
  const present = new Set(fields.map(({ existing }) => existing?.id));
  const lacking =
    (key && lackingNames(fields, key)) ??
    (base?.columns ?? []).filter(({ id, isEntity }) => isEntity && !present.has(id)).map(({ name }) => name);
  if (lacking.length > 0)
    throw invalid('missing_key', `The file lacks the key columns ${quotedNames(lacking)}.`, {
      columns: firstItems(lacking),
    });
  if (base === undefined || key === undefined) return;
  const unknown = keyFields(fields, options).filter(({ existing }) => existing === undefined);
  if (unknown.length > 0)
    throw invalid(
      'unknown_key',
      `The dataset has no columns ${quotedNames(unknown.map(({ name }) => name))}, which the key names.`,
      { columns: firstItems(unknown.map(({ name }) => name)) },
    );
};

/**
 * Ids of the entity columns of the current version. If it has no rows, or no entity because its columns have no values yet, the
 * entity columns of the file count as well.
 */
export const entityIdsOf = (base: BaseColumns | undefined, columns: readonly LayoutColumn[]): number[] => {
  const before = (base?.columns ?? []).filter(({ isEntity }) => isEntity).map(({ id }) => id);
  const isEmpty = base === undefined || base.rowCount === 0;
  if (!isEmpty && before.length > 0) return before;
  const known = new Set(base?.columns.map(({ id }) => id));
  const own = columns.filter((column) => isEntityColumn(column) && (isEmpty || known.has(column.id)));
  return [...new Set([...before, ...own.map(({ id }) => id)])];
};

/**
 * Key of a layout: the ids of its columns, and whether the caller named them.
 * @throws AppError if there is no key column
 */
export const keyOf = (
  options: UploadOptions,
  base: BaseColumns | undefined,
  columns: readonly LayoutColumn[],
): { readonly keyIds: readonly number[]; readonly keyGiven?: true } => {
  const named = namedBy(options, columns);
  if (named !== undefined) return { keyIds: [...named].map(({ id }) => id), keyGiven: true };
  const keyIds = entityIdsOf(base, columns);
  // Without values there are no types yet, and an empty dataset has nothing to delete. The key is checked when rows are stored.
  const isOpen = columns.length > 0 && columns.every(({ physical }) => physical === 'u');
  const deletesNothing = options.mode === 'delete' && base?.rowCount === 0;
  if (keyIds.length > 0 || isOpen || deletesNothing) return { keyIds };
  throw invalid(
    'no_key',
    'The dataset has no key: none of its columns is an entity. Name the key columns in the option `key`.',
  );
};

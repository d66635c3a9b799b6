/** The columns by whose values an upsert, a sync or a delete tells rows apart. */
import { conflict, invalid } from '../../lib/errors.js';
import { firstItems, quotedNames } from '../../lib/listing.js';
import type { UploadOptions } from '../upload/upload-options.js';
import type { BaseColumns } from './base-version.js';
import { isEntityColumn, type LayoutColumn } from './layout.js';

/** A field of the file and the column of the version before that it continues. */
interface Field {
  readonly name: string;
  readonly existing: { readonly id: number; readonly isEntity: boolean } | undefined;
}

/** Tells which fields the key is made of. */
export const isKeyField = ({ key }: UploadOptions): ((field: Field) => boolean) => {
  const named = key && new Set(key);
  return ({ name, existing }) => named?.has(name) ?? existing?.isEntity === true;
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
  const names = new Set(fields.map(({ name }) => name));
  const lacking =
    key?.filter((name) => !names.has(name)) ??
    (base?.columns ?? []).filter(({ id, isEntity }) => isEntity && !present.has(id)).map(({ name }) => name);
  if (lacking.length > 0)
    throw invalid(
      'missing_key',
      `The file lacks key columns, which tell rows apart: ${quotedNames(lacking)}.`,
      {
        columns: firstItems(lacking),
      },
    );
  if (base === undefined || key === undefined) return;
  const isKey = isKeyField(options);
  const unknown = fields.filter((field) => field.existing === undefined && isKey(field));
  if (unknown.length > 0)
    throw invalid(
      'unknown_key',
      `The dataset has no columns ${quotedNames(unknown.map(({ name }) => name))}, which the key names.`,
      { columns: firstItems(unknown.map(({ name }) => name)) },
    );
};

/**
 * Ids of the entity columns of the version before. Where it has no row, or no entity because its columns have no values yet,
 * those of the file count too: nothing else tells rows apart.
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
 * What a layout says of the key: its columns, and that they were named.
 * @throws AppError when there is none.
 */
export const keyOf = (
  { key }: UploadOptions,
  base: BaseColumns | undefined,
  columns: readonly LayoutColumn[],
): { readonly keyIds: readonly number[]; readonly keyGiven?: true } => {
  if (key !== undefined) {
    const named = new Set(key);
    return { keyIds: columns.filter(({ name }) => named.has(name)).map(({ id }) => id), keyGiven: true };
  }
  const keyIds = entityIdsOf(base, columns);
  if (keyIds.length > 0) return { keyIds };
  throw invalid(
    'no_key',
    'Nothing tells rows apart: there is no entity column. `key` names the columns that do.',
  );
};

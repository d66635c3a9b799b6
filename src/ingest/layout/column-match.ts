/**
 * Matches the header of a file with the columns of a dataset, as manifest and options ask for. Every refusal
 * names all columns that it is about.
 */
import { conflict, invalid } from '../../lib/errors.js';
import { firstItems, listed as listedNames, quotedNames } from '../../lib/listing.js';
import type { StoredColumn } from '../../model/column.js';
import { dataTypeOf } from '../../model/column-types/column-types.js';
import { isKeyed } from '../../model/process.js';
import type { RegisteredColumn } from '../../storage/postgres/columns.js';
import { type ManifestColumn, refuseManifest } from '../upload/manifest.js';
import type { UploadOptions } from '../upload/upload-options.js';
import type { BaseColumns } from './base-version.js';
import { isKeyField, requireKeys } from './key-columns.js';

/** A field of the file that is stored. */
export interface MatchedField {
  readonly field: number;
  readonly name: string;
  readonly listed: ManifestColumn | undefined;
  /** The column of the version before that it continues. */
  readonly existing: StoredColumn | undefined;
}

const describeTypes = (columns: readonly { name: string; existing: string; wanted: string }[]): string =>
  listedNames(
    columns.map(
      ({ name, existing, wanted }) => `${JSON.stringify(name)} is ${existing}, the manifest says ${wanted}`,
    ),
    50,
    '; ',
  );

/** Finds the column of the version before that a field continues; by name, or by the id that the manifest gives. */
const createExistingOf = (base: BaseColumns | undefined) => {
  const columns = base?.columns ?? [];
  const byName = new Map(columns.map((column) => [column.name, column]));
  const byId = new Map(columns.map((column) => [column.id, column]));
  return (name: string, listed: ManifestColumn | undefined): StoredColumn | undefined =>
    listed?.id === undefined ? byName.get(name) : byId.get(listed.id);
};

/** True where a new type may take the place of the old one. */
const mayChange = (options: UploadOptions, wanted: string): boolean =>
  options.onTypeConflict === 'replace' || (options.onTypeConflict === 'widen' && wanted === 'String');

/**
 * What of a manifest can be judged without the file.
 * @throws AppError 400 for ids that the dataset lacks; 409 for types and names that conflict.
 */
export const checkManifest = (
  options: UploadOptions,
  registry: readonly RegisteredColumn[],
  base: BaseColumns | undefined,
): void => {
  const listed = options.manifest?.columns ?? [];
  const byId = new Map(registry.map((column) => [column.id, column]));
  const byName = new Map(registry.map((column) => [column.name, column]));
  const existingOf = createExistingOf(base);
  refuseManifest(
    listed.flatMap(({ name, id }) =>
      id === undefined || byId.has(id)
        ? []
        : [`column ${JSON.stringify(name)}: the dataset has no column ${id}`],
    ),
  );
  const taken = listed.filter(({ name, id }) => {
    const owner = byName.get(name);
    return id !== undefined && owner !== undefined && owner.id !== id;
  });
  if (taken.length > 0) {
    const names = taken.map(({ name }) => name);
    throw conflict('name_taken', `The dataset has, or had, other columns named ${quotedNames(names)}.`, {
      columns: firstItems(names),
    });
  }
  const types = listed.flatMap((column) => {
    const existing = existingOf(column.name, column);
    const { dataType } = column;
    if (existing === undefined || dataType === undefined) return [];
    const before = dataTypeOf(existing.physical);
    return before === dataType || mayChange(options, dataType)
      ? []
      : [{ name: column.name, existing: before, wanted: dataType }];
  });
  if (types.length > 0) {
    throw conflict('type_conflict', `Types conflict with those of the dataset: ${describeTypes(types)}.`, {
      columns: firstItems(types),
    });
  }
};

const refuseMissing = (names: readonly string[], options: UploadOptions): void => {
  const present = new Set(names);
  const missing = (options.manifest?.columns ?? []).filter(({ name }) => !present.has(name));
  refuseManifest(missing.map(({ name }) => `column ${JSON.stringify(name)}: the file has no such column`));
  if (options.manifest?.unlisted !== 'reject') return;
  const listed = new Set(options.manifest.columns.map(({ name }) => name));
  const unlisted = names.filter((name) => !listed.has(name));
  if (unlisted.length > 0)
    throw invalid('unlisted_columns', `The manifest does not list the columns ${quotedNames(unlisted)}.`, {
      columns: firstItems(unlisted),
    });
};

const refuseConflicts = (
  fields: readonly MatchedField[],
  options: UploadOptions,
  base: BaseColumns | undefined,
): void => {
  if (base === undefined || options.mode === 'delete') return;
  const added = fields.filter(({ existing }) => existing === undefined).map(({ name }) => name);
  if (options.onNewColumn === 'fail' && added.length > 0)
    throw conflict('new_columns', `The dataset has no columns ${quotedNames(added)}.`, {
      columns: firstItems(added),
    });
  if (options.mode === 'replace') return;
  const present = new Set(fields.map(({ existing }) => existing?.id));
  const lacking = base.columns.filter(({ id }) => !present.has(id));
  const names = lacking.map(({ name }) => name);
  if (options.onMissingColumn === 'fail' && lacking.length > 0)
    throw conflict('missing_columns', `The file has no columns ${quotedNames(names)}.`, {
      columns: firstItems(names),
    });
};

/** Long names take their time: they are looked up so many at a time. */
const namesPerStep = 500;

/** @throws AppError 400, 409 where header, manifest and dataset do not go together. */
export function* matchFields(
  names: readonly string[],
  options: UploadOptions,
  base: BaseColumns | undefined,
): Generator<void, MatchedField[]> {
  refuseMissing(names, options);
  yield;
  const listed = new Map((options.manifest?.columns ?? []).map((column) => [column.name, column]));
  const existingOf = createExistingOf(base);
  yield;
  const fields: MatchedField[] = [];
  for (const [field, name] of names.entries()) {
    if (field % namesPerStep === 0) yield;
    const own = listed.get(name);
    if (own === undefined && options.manifest?.unlisted === 'ignore') continue;
    const existing = existingOf(name, own);
    const isIgnored = options.onNewColumn === 'ignore' && base !== undefined && existing === undefined;
    if (!isIgnored) fields.push({ field, name, listed: own, existing });
  }
  refuseConflicts(fields, options, base);
  if (isKeyed(options.mode)) requireKeys(fields, options, base);
  yield;
  // Of a file whose keys are deleted nothing else counts.
  if (options.mode === 'delete') return fields.filter(isKeyField(options));
  if (fields.length === 0)
    throw invalid('no_columns', 'No column of the file is stored: options or manifest ignore all of them.');
  return fields;
}

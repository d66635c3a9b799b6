/**
 * Matches the header of a file with the columns of a dataset, according to manifest and options. Every error lists all columns
 * that it is about.
 */
import { conflict, invalid } from '../../lib/errors.js';
import { firstItems, listed as listedNames, quotedNames } from '../../lib/listing.js';
import type { StoredColumn } from '../../model/column.js';
import { createColumnNames } from '../../model/column-names.js';
import { dataTypeOf } from '../../model/column-types/column-types.js';
import { isKeyed } from '../../model/process.js';
import type { RegisteredColumn } from '../../storage/postgres/columns.js';
import { type ManifestColumn, refuseManifest } from '../options/manifest.js';
import type { UploadOptions } from '../options/table.js';
import type { BaseColumns } from './base-version.js';
import { keyFields, requireKeys } from './key-columns.js';

/** A field of the file that is stored. */
export interface MatchedField {
  readonly field: number;
  readonly name: string;
  readonly listed: ManifestColumn | undefined;
  /** The matching column of the current version. */
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

/** Finds the matching column of the current version by the id in the manifest, otherwise by name. */
const createExistingOf = (base: BaseColumns | undefined) => {
  const columns = base?.columns ?? [];
  const byName = new Map(columns.map((column) => [column.name, column]));
  const byId = new Map(columns.map((column) => [column.id, column]));
  return (name: string, listed: ManifestColumn | undefined): StoredColumn | undefined =>
    listed?.id === undefined ? byName.get(name) : byId.get(listed.id);
};

/** True if the options allow the new type to replace the old one. */
const mayChange = (options: UploadOptions, wanted: string): boolean =>
  options.onTypeConflict === 'replace' || (options.onTypeConflict === 'widen' && wanted === 'String');

/**
 * Checks a manifest before the file is read.
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
  refuseTypes(
    listed.map((column) => ({ listed: column, existing: existingOf(column.name, column) })),
    options,
  );
};

/** @throws AppError 409 for types of the manifest that conflict with those of the dataset. */
const refuseTypes = (
  pairs: readonly Pick<MatchedField, 'listed' | 'existing'>[],
  options: UploadOptions,
): void => {
  const types = pairs.flatMap(({ listed, existing }) => {
    if (existing === undefined || existing.untyped === true || listed?.dataType === undefined) return [];
    const { name, dataType } = listed;
    const before = dataTypeOf(existing.physical);
    return before === dataType || mayChange(options, dataType)
      ? []
      : [{ name, existing: before, wanted: dataType }];
  });
  if (types.length > 0) {
    throw conflict('type_conflict', `Types conflict with those of the dataset: ${describeTypes(types)}.`, {
      columns: firstItems(types),
    });
  }
};

/**
 * Entries of the manifest for columns of the file, by their names in the header.
 * @throws AppError 400 for listed columns that the file lacks, and with `unlisted: reject` for columns that are not listed.
 */
const listedFields = (
  names: readonly string[],
  { manifest }: UploadOptions,
): ReadonlyMap<string, ManifestColumn> => {
  const listed = new Map<string, ManifestColumn>();
  if (manifest === undefined) return listed;
  const header = createColumnNames(names.map((name) => ({ name })));
  const problems: string[] = [];
  for (const column of manifest.columns) {
    const meant = header.find(column.name)?.name;
    const other = meant === undefined ? undefined : listed.get(meant);
    if (meant === undefined)
      problems.push(`column ${JSON.stringify(column.name)}: the file has no such column`);
    else if (other !== undefined)
      problems.push(
        `columns ${quotedNames([other.name, column.name])}: the file has only ${JSON.stringify(meant)}`,
      );
    else listed.set(meant, column);
  }
  refuseManifest(problems);
  if (manifest.unlisted !== 'reject') return listed;
  const unlisted = names.filter((name) => !listed.has(name));
  if (unlisted.length > 0)
    throw invalid('unlisted_columns', `The manifest does not list the columns ${quotedNames(unlisted)}.`, {
      columns: firstItems(unlisted),
    });
  return listed;
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

/** Names per step; long names take time to compare. */
const namesPerStep = 500;

/** @throws AppError 400 or 409 if header, manifest and dataset do not match. */
export function* matchFields(
  names: readonly string[],
  options: UploadOptions,
  base: BaseColumns | undefined,
): Generator<void, MatchedField[]> {
  const listed = listedFields(names, options);
  yield;
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
  refuseTypes(fields, options);
  refuseConflicts(fields, options, base);
  if (isKeyed(options.mode)) requireKeys(fields, options, base);
  yield;
  // Mode delete stores only the key columns.
  if (options.mode === 'delete') {
    const keys = keyFields(fields, options);
    return keys.length === 0 && base?.rowCount === 0 ? fields : keys;
  }
  if (fields.length === 0)
    throw invalid('no_columns', 'No column of the file is stored: options or manifest ignore all of them.');
  return fields;
}

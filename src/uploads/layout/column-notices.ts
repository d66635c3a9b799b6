/** Notices about the columns of a file: similar names, and columns that are new or missing. */
import { firstItems, quotedNames } from '../../lib/listing.js';
import type { StoredColumn } from '../../model/column.js';
import type { Notice } from '../../model/process.js';
import type { UploadOptions } from '../options/table.js';
import type { BaseColumns } from './base-version.js';
import type { MatchedField } from './column-match.js';

const shownNames = 20;
const shownPairs = 5;

const ofColumns = (code: string, message: string, names: readonly string[]): Notice[] =>
  names.length === 0
    ? []
    : [
        {
          code,
          message: `${message}: ${quotedNames(names)}.`,
          columns: firstItems(names, shownNames),
          ...(names.length > shownNames ? { omitted: names.length - shownNames } : {}),
        },
      ];

/** Normal form of a name without differences that are hard to see: case, blanks, and composition of Unicode letters. */
const likenessOf = (name: string): string =>
  name.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase();

const difference = (a: string, b: string): string => {
  if (a.normalize('NFC') === b.normalize('NFC')) return 'in how letters with accents are composed';
  if (a.trim() === b.trim()) return 'in blanks at their ends';
  return a.toLowerCase() === b.toLowerCase() ? 'in case' : 'in case, blanks or the form of letters';
};

/** Names per step; long names take time to compare. */
const namesPerStep = 200;

/** Finds names in the file that look like another name in the file or in the current version. */
function* similarNames(names: readonly string[], before: readonly string[]): Generator<void, Notice[]> {
  const known = new Set(before);
  const byLikeness = new Map<string, string>();
  for (const [at, name] of before.entries()) {
    if (at % namesPerStep === 0) yield;
    byLikeness.set(likenessOf(name), name);
  }
  const found: Notice[] = [];
  for (const [at, name] of names.entries()) {
    if (at % namesPerStep === 0) yield;
    if (known.has(name)) continue;
    const likeness = likenessOf(name);
    const other = byLikeness.get(likeness);
    byLikeness.set(likeness, other ?? name);
    if (other === undefined || other === name || found.length >= shownPairs) continue;
    found.push({
      code: 'similar_names',
      message: `Column ${JSON.stringify(name)} is not column ${JSON.stringify(other)}: the names differ ${difference(name, other)}.`,
      column: name,
      similarTo: other,
    });
  }
  return found;
}

const missingFrom = (base: BaseColumns, fields: readonly MatchedField[]): StoredColumn[] => {
  const present = new Set(fields.map(({ existing }) => existing?.id));
  return base.columns.filter(({ id }) => !present.has(id));
};

/** Notices about columns that were added or are missing, and about similar names. */
export function* columnNotices(
  fields: readonly MatchedField[],
  { mode }: UploadOptions,
  base: BaseColumns | undefined,
): Generator<void, Notice[]> {
  if (mode === 'delete') return [];
  const names = fields.map(({ name }) => name);
  const similar = yield* similarNames(names, base?.columns.map(({ name }) => name) ?? []);
  if (base === undefined) return similar;
  const added = fields.filter(({ existing }) => existing === undefined).map(({ name }) => name);
  const missing = missingFrom(base, fields).map(({ name }) => name);
  const missingNames =
    mode === 'replace'
      ? 'The version before has columns that the file lacks; the new version is without them'
      : 'The file lacks columns; they are null in its rows';
  return [
    ...similar,
    ...ofColumns('columns_added', 'The version before lacks columns that the file has', added),
    ...ofColumns('columns_missing', missingNames, missing),
  ];
}

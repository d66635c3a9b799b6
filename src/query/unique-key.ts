/** The key by which rows of several versions are matched, and whether it tells the rows of a version apart. */
import type { StoredColumn } from '../model/column.js';
import type { ReadableVersion } from '../model/version.js';
import { hashOf, serverOf, versionSource } from '../rows/index.js';
import type { Reader } from '../storage/clickhouse/reader.js';
import type { ReadContext } from './read-context.js';

/** Columns by which rows are matched. */
export interface MatchedBy {
  /** Empty: whole rows are compared. */
  readonly keys: readonly StoredColumn[];
  /** Columns that several rows of one version share, so that they are no key. */
  readonly ambiguous: readonly StoredColumn[];
}

/** Without a unique key whole rows are compared. */
export const matchedBy = (keys: readonly StoredColumn[], isUnique: boolean): MatchedBy =>
  isUnique ? { keys, ambiguous: [] } : { keys: [], ambiguous: keys };

export type IsUniqueKey = (
  version: ReadableVersion,
  keyIds: readonly number[],
  context: ReadContext,
) => Promise<boolean>;

/** Answers that are kept in memory: rows of a version never change. */
const mostKept = 10_000;

export const createUniqueKeys = (reader: Reader): IsUniqueKey => {
  /** By version and key, oldest first. */
  const known = new Map<string, boolean>();

  const ask = async (
    version: ReadableVersion,
    keyIds: readonly number[],
    context: ReadContext,
  ): Promise<boolean> => {
    const { from, where, values } = versionSource(reader.database, version, 'unique');
    const repeated = await reader.facts({
      sql: `SELECT 1 AS repeated FROM ${from} WHERE ${where}
        GROUP BY ${hashOf(keyIds, version.columns)} HAVING count() > 1 LIMIT 1 FORMAT JSONEachRow`,
      values,
      place: serverOf(version),
      isHeavy: true,
      ...context,
    });
    return repeated.length === 0;
  };

  return async (version, keyIds, context) => {
    if (version.rowCount < 2 || keyIds.length === 0) return true;
    // What a dry run would publish has no id of its own.
    const key = version.versionId === 0 ? undefined : `${version.versionId}/${keyIds.join(',')}`;
    const isUnique =
      (key === undefined ? undefined : known.get(key)) ?? (await ask(version, keyIds, context));
    if (key !== undefined) known.set(key, isUnique);
    for (const oldest of known.keys()) {
      if (known.size <= mostKept) break;
      known.delete(oldest);
    }
    return isUnique;
  };
};

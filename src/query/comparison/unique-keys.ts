/** Checks whether a key is unique in each of two versions. */
import { createCache } from '../../lib/cache.js';
import type { StoredColumn } from '../../model/column.js';
import { contentName, type ReadableVersion } from '../../model/version.js';
import { type Lineage, pairRows, serverOf } from '../../rows/index.js';
import type { Reader } from '../../storage/clickhouse/reader.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { readKeys } from '../../storage/postgres/version-keys.js';
import { isMany, type ReadContext } from '../read-context.js';
import { createSharedWork } from '../shared-work.js';
import { repeatsSql } from './statements.js';

export interface MatchedBy {
  /** Columns by which rows are matched; empty if whole rows are compared. */
  readonly keys: readonly StoredColumn[];
  /** Key columns that are not unique. */
  readonly ambiguous: readonly StoredColumn[];
}

/** Without a unique key whole rows are compared. */
export const matchedBy = (keys: readonly StoredColumn[], isUnique: boolean): MatchedBy =>
  isUnique ? { keys, ambiguous: [] } : { keys: [], ambiguous: keys };

export interface VersionPair {
  readonly from: ReadableVersion;
  readonly to: ReadableVersion;
  readonly keys: readonly StoredColumn[];
  readonly lineage?: Lineage | undefined;
}

interface UniqueKeys {
  /** True if no two rows of one version have the same key, or if there is no key. */
  areUnique(pair: VersionPair, context: ReadContext): Promise<boolean>;
  /** Checks only the first version: for a merge by the key, which keeps the key unique. */
  areUniqueBefore(pair: VersionPair, context: ReadContext): Promise<boolean>;
}

/** Size of the cache in answers, which never change. */
const cachedAnswers = 10_000;

export const withoutRows = ({
  cuts,
  patches,
  patchRows,
  hidden,
  ...version
}: ReadableVersion): ReadableVersion => ({
  ...version,
  place: null,
  columns: [],
  rowCount: 0,
  segmentIds: [],
});

const nameOf = (version: ReadableVersion, keys: readonly StoredColumn[]): string =>
  `${contentName(version)}/${keys.map(({ id }) => id).join()}`;

/** True if the key includes all columns that are recorded as unique for the version. */
const includesRecorded = (
  { columns }: ReadableVersion,
  keys: readonly StoredColumn[],
  recorded: readonly number[] | undefined,
): boolean => {
  if (recorded === undefined) return false;
  const ids = new Set(keys.map(({ id }) => id));
  const stored = new Set(columns.filter(({ id }) => ids.has(id)).map(({ storageId }) => storageId));
  return recorded.every((id) => stored.has(id));
};

export const createUniqueKeys = (sql: Sql, reader: Reader): UniqueKeys => {
  const answers = createCache<boolean>({ limit: cachedAnswers, weigh: () => 1 });
  const inFlight = createSharedWork<boolean>();

  const remember = (version: ReadableVersion, keys: readonly StoredColumn[], isUnique: boolean): void => {
    // A dry run has no version id.
    if (version.versionId !== 0) answers.set(nameOf(version, keys), isUnique);
  };

  const isKnownUnique = (version: ReadableVersion, keys: readonly StoredColumn[]): boolean | undefined =>
    version.rowCount < 2 ? true : answers.get(nameOf(version, keys));

  /** Caches the keys that were recorded when the versions were published. */
  const loadRecorded = async (
    candidates: readonly ReadableVersion[],
    keys: readonly StoredColumn[],
  ): Promise<void> => {
    const unknown = candidates.filter(
      (version) => version.versionId !== 0 && isKnownUnique(version, keys) === undefined,
    );
    if (unknown.length === 0) return;
    const recorded = await readKeys(
      sql,
      unknown.map(({ versionId }) => versionId),
    );
    for (const version of unknown)
      if (includesRecorded(version, keys, recorded.get(version.versionId))) remember(version, keys, true);
  };

  const check = async ({ from, to, keys }: VersionPair, context: ReadContext): Promise<boolean> => {
    const pair = pairRows(reader.database, from, to);
    const comparison = { pair, from: from.columns, to: to.columns, keyIds: keys.map(({ id }) => id) };
    const [most = { maxRowsFrom: 0, maxRowsTo: 0 }] = await reader.queryObjects<{
      maxRowsFrom: number;
      maxRowsTo: number;
    }>({
      sql: `${repeatsSql(comparison)} FORMAT JSONEachRow`,
      values: pair.values,
      place: serverOf(from, to),
      isHeavy: isMany(pair.maxRows),
      settings: { output_format_json_quote_64bit_integers: 0 },
      ...context,
    });
    remember(from, keys, most.maxRowsFrom < 2);
    remember(to, keys, most.maxRowsTo < 2);
    return Math.max(most.maxRowsFrom, most.maxRowsTo) < 2;
  };

  const checkOne = (version: ReadableVersion, pair: VersionPair, context: ReadContext): Promise<boolean> =>
    check({ ...pair, from: withoutRows(version), to: version }, context);

  const find = async (pair: VersionPair, context: ReadContext): Promise<boolean> => {
    const { from, to, keys } = pair;
    await loadRecorded([from, to], keys);
    const isUnique = [isKnownUnique(from, keys), isKnownUnique(to, keys)];
    if (isUnique.includes(false)) return false;
    const unknown = [from, to].filter((_, at) => isUnique[at] === undefined);
    if (unknown.length === 0) return true;
    const { shared } = pairRows(reader.database, from, to);
    if (unknown.length === 2 && shared === 'none') return check(pair, context);
    // A key that is unique in all rows of a version is unique in any subset of them.
    if (shared === 'all of from') return isUnique[1] ?? checkOne(to, pair, context);
    if (shared === 'all of to') return isUnique[0] ?? checkOne(from, pair, context);
    for (const [at, version] of unknown.entries()) {
      const own = { ...context, queryId: `${context.queryId}-${at}` };
      if (!(await checkOne(version, pair, own))) return false;
    }
    return true;
  };

  const areUnique: UniqueKeys['areUnique'] = async (pair, context) => {
    const { from, to, keys } = pair;
    if (keys.length === 0) return true;
    if (from.versionId === 0 || to.versionId === 0) return find(pair, context);
    return inFlight.run(`${nameOf(from, [])}${nameOf(to, keys)}`, context.signal, (signal) =>
      find(pair, { ...context, signal }),
    );
  };

  return {
    areUnique,

    async areUniqueBefore(pair, context) {
      const { from, to, keys } = pair;
      const isUnique = await areUnique({ from, to: from, keys }, context);
      if (isUnique) remember(to, keys, true);
      return isUnique;
    },
  };
};

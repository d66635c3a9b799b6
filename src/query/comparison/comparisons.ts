/**
 * Differences of two versions of a dataset, as counts and as rows. Versions never change, so results are cached by the pair
 * of versions. The versions are always looked up first, so a deleted one is an error even if its result is cached.
 */

import { createHash, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { createCache } from '../../lib/cache.js';
import { isAppError } from '../../lib/errors.js';
import type { StoredColumn } from '../../model/column.js';
import { contentName, type ReadableVersion } from '../../model/version.js';
import { areAlike, commonKeys, pairRows, readDryRun, readLineage, serverOf } from '../../rows/index.js';
import type { Reader } from '../../storage/clickhouse/reader.js';
import { readMergeChanges } from '../../storage/postgres/merge-changes.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { csv } from '../formats/delimited/delimited.js';
import { plainAppearance } from '../formats/format.js';
import { isMany, ownerOfMany, type ReadContext } from '../read-context.js';
import { createSharedWork } from '../shared-work.js';
import type { Versions } from '../versions.js';
import { createRememberedRows } from './remembered-rows.js';
import { type Comparison, changedRowsSql, countsSql } from './statements.js';
import { createUniqueKeys, type MatchedBy, matchedBy, type VersionPair, withoutRows } from './unique-keys.js';

interface ComparisonWanted {
  readonly datasetId: number;
  /** Two versions, or the process of a dry run, which is compared with its base version. */
  readonly between: { readonly from: number; readonly to: number } | { readonly dryRun: number };
  /** Account, or address of an anonymous caller. */
  readonly owner: string;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

export interface ChangesWanted extends ComparisonWanted {
  /** Row limit; undefined for all rows. */
  readonly top?: number | undefined;
}

interface CountedChanges {
  /** Null if there was no version before the dry run. */
  readonly from: string | null;
  /** Names of the key columns by which rows are matched; empty if whole rows are compared. */
  readonly keys: string[];
  /** Names of the key columns if they are not unique in both versions. */
  readonly ambiguousKeys?: string[];
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

interface ComparedRows extends MatchedBy {
  readonly body: Readable;
}

export interface Comparisons {
  /** @throws AppError 404 for an unknown version; 409 for a dry run whose rows were deleted */
  count(wanted: ComparisonWanted): Promise<CountedChanges>;
  /** Rows that differ, as CSV. @throws AppError like `count` */
  open(wanted: ChangesWanted): Promise<ComparedRows>;
}

interface ComparisonsOptions {
  readonly sql: Sql;
  readonly versions: Versions;
  readonly reader: Reader;
  /** Size of the cache of differing rows; 0 disables it. */
  readonly rememberedBytes: number;
}

interface Pair extends VersionPair {
  /** Cache key of the two versions and their key columns; undefined for a dry run, which is not cached. */
  readonly name: string | undefined;
}

interface Counts {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** False if whole rows were compared, because the key is not unique. */
  readonly byKey: boolean;
}

type CountsRow = Record<
  'added' | 'removed' | 'changed' | 'addedRows' | 'removedRows' | 'maxRowsFrom' | 'maxRowsTo',
  number
>;

const cachedCounts = 10_000;

const maxAttempts = 3;

/** Retries if compaction merged a segment between the look-up of the versions and the read. */
const withRetries = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === maxAttempts || !isAppError(error) || error.code !== 'version_gone') throw error;
    }
  }
};

const idsOf = (columns: readonly StoredColumn[]): number[] => columns.map(({ id }) => id);

const pairOf = (from: ReadableVersion, to: ReadableVersion, keyIds?: readonly number[]): Pair => {
  const keys = commonKeys(from.columns, to.columns, keyIds);
  const name = keyIds === undefined ? `${contentName(from)}/${contentName(to)}/${idsOf(keys)}` : undefined;
  return { from, to, keys, name };
};

const shown = ({ byKey, ...changes }: Counts, keys: readonly StoredColumn[]) => {
  const names = keys.map(({ name }) => name);
  return {
    keys: byKey ? names : [],
    ...(byKey || names.length === 0 ? {} : { ambiguousKeys: names }),
    ...changes,
  };
};

export const createComparisons = (options: ComparisonsOptions): Comparisons => {
  const { sql, versions, reader } = options;
  const uniqueKeys = createUniqueKeys(sql, reader);
  const counting = createSharedWork<Counts>();
  const counted = createCache<Counts>({ limit: cachedCounts, weigh: () => 1 });
  const cachedRows = createRememberedRows(options.rememberedBytes);

  const find = async ({ datasetId, between }: ComparisonWanted): Promise<Pair> => {
    const version = (versionId: number) => versions.find({ datasetId, currentVersionId: null, versionId });
    if ('dryRun' in between) {
      const { baseVersionId, version: to, keyIds } = await readDryRun(sql, datasetId, between.dryRun);
      return pairOf(baseVersionId === null ? withoutRows(to) : await version(baseVersionId), to, keyIds);
    }
    const [from, to] = await Promise.allSettled([version(between.from), version(between.to)]);
    // If both versions are missing, the error names the first.
    if (from.status === 'rejected') throw from.reason;
    if (to.status === 'rejected') throw to.reason;
    return { ...pairOf(from.value, to.value), lineage: await readLineage(sql, from.value, to.value) };
  };

  const comparisonOf = ({ from, to, lineage }: Pair, keys: readonly StoredColumn[]): Comparison => ({
    pair: pairRows(reader.database, from, to, lineage),
    from: from.columns,
    to: to.columns,
    keyIds: idsOf(keys),
  });

  const contextOf = (pair: Pair, { requestId, owner, signal }: ComparisonWanted): ReadContext => ({
    queryId: `${requestId}-changes-${randomUUID().slice(0, 8)}`,
    requestId,
    signal,
    owner: ownerOfMany(pair.from.rowCount + pair.to.rowCount, owner),
  });

  const areUnique = (pair: Pair, context: ReadContext): Promise<boolean> =>
    uniqueKeys.areUnique(pair, { ...context, queryId: `${context.queryId}-key` });

  /** Recorded counts, if the second version is the result of a merge into the first by the same key. */
  const mergeCounts = async (pair: Pair, context: ReadContext): Promise<Counts | undefined> => {
    const { from, to, keys, name } = pair;
    if (name === undefined || !areAlike(from.columns, to.columns)) return undefined;
    const merged = await readMergeChanges(sql, from.versionId, to.versionId);
    if (merged === undefined || String(merged.keyIds.toSorted()) !== String(idsOf(keys).toSorted()))
      return undefined;
    const { inserted, removed, replaced: changed } = merged;
    const own = { ...context, queryId: `${context.queryId}-key` };
    if (changed > 0 && !(await uniqueKeys.areUniqueBefore(pair, own))) return undefined;
    return { added: inserted, removed, changed, byKey: true };
  };

  const readCounts = async (pair: Pair, context: ReadContext): Promise<Counts> => {
    const { from, to, keys } = pair;
    const recorded = await mergeCounts(pair, context);
    if (recorded !== undefined) return recorded;
    const comparison = comparisonOf(pair, keys);
    const { sides, maxRows, values, byPosition } = comparison.pair;
    // If only one version has rows of its own, they are all added or all removed.
    if (sides.length < 2 && !byPosition) {
      const added = sides[0] === 'to' ? maxRows : 0;
      return { added, removed: maxRows - added, changed: 0, byKey: true };
    }
    const [row] = await reader.queryObjects<CountsRow>({
      sql: `${countsSql(comparison)} FORMAT JSONEachRow`,
      values,
      place: serverOf(from, to),
      isHeavy: isMany(maxRows),
      settings: { output_format_json_quote_64bit_integers: 0 },
      ...context,
    });
    if (row === undefined) throw new Error('the data store gave no counts');
    const { added, removed, changed, addedRows, removedRows, maxRowsFrom, maxRowsTo } = row;
    // If no row changed, matching by key and by whole row give the same counts.
    const byKey = changed === 0 || (Math.max(maxRowsFrom, maxRowsTo) < 2 && (await areUnique(pair, context)));
    return byKey
      ? { added, removed, changed, byKey }
      : { added: addedRows, removed: removedRows, changed: 0, byKey };
  };

  const countsOf = async (pair: Pair, context: ReadContext): Promise<Counts> => {
    const { name } = pair;
    if (name === undefined) return readCounts(pair, context);
    const cached = counted.get(name);
    if (cached !== undefined) return cached;
    const counts = await counting.run(name, context.signal, (signal) =>
      readCounts(pair, { ...context, signal }),
    );
    counted.set(name, counts);
    return counts;
  };

  const openRows = async (pair: Pair, wanted: ChangesWanted): Promise<ComparedRows> => {
    const { from, to, keys, name } = pair;
    const context = contextOf(pair, wanted);
    const isUnique = await areUnique(pair, context);
    const matched = matchedBy(keys, isUnique);
    const comparison = comparisonOf(pair, matched.keys);
    const { output, from: rows } = changedRowsSql(comparison);
    const query = csv.select.rows(
      output,
      wanted.top === undefined ? rows : `${rows} LIMIT ${wanted.top}`,
      plainAppearance,
    );
    const header = createHash('sha256').update(output.map((column) => JSON.stringify(column.name)).join());
    const key = name === undefined ? undefined : `${name}/${wanted.top ?? ''}/${header.digest('base64')}`;
    const cached = key === undefined ? undefined : cachedRows.get(key);
    if (cached !== undefined) return { body: cached, ...matched };
    const body = await reader.open({
      ...query,
      values: comparison.pair.values,
      place: serverOf(from, to),
      isHeavy: isMany(comparison.pair.maxRows),
      ...context,
    });
    return { body: key === undefined ? body : cachedRows.through(key, body), ...matched };
  };

  return {
    count: (wanted) =>
      withRetries(async () => {
        const pair = await find(wanted);
        const from = pair.from.versionId === 0 ? null : String(pair.from.versionId);
        return { from, ...shown(await countsOf(pair, contextOf(pair, wanted)), pair.keys) };
      }),
    open: (wanted) => withRetries(async () => openRows(await find(wanted), wanted)),
  };
};

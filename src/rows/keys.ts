/** Queries about the keys of a merge: how a file changes the previous version. */
import type { NamedColumn, StoredColumn } from '../model/column.js';
import type { ClickHouseServers, QueryParams } from '../storage/clickhouse/client.js';
import { lowPriority } from '../storage/clickhouse/low-priority.js';
import { type Digits, digitsSql } from './count.js';
import {
  type FoundRows,
  hitRows,
  type KeyCounts,
  type MergeSide,
  mergeServer,
  mergeSql,
  rowHash,
  type SegmentMerge,
  winners,
} from './merge-sql.js';
import { mergeSettings } from './statement-settings.js';
import { countSync } from './sync-keys.js';

/** A key that more than one row has. */
export interface RepeatedKey {
  /** Its values as text, truncated to 200 characters, by column name. */
  readonly key: Readonly<Record<string, string | null>>;
  readonly rows: number;
}

export interface Keys {
  count(merge: SegmentMerge): Promise<KeyCounts>;
  /** The first keys, at most three, that more than one row of a side has. */
  repeated(merge: SegmentMerge, side: 'base' | 'file'): Promise<RepeatedKey[]>;
  /**
   * Counts the keys of a large sync; undefined if it changes much, so that `count` must compare all rows. Requires that both sides are
   * stored in the types of the target, and that the previous version is unique by the key.
   */
  countSync(merge: SegmentMerge): Promise<KeyCounts | undefined>;
  /** Most digits in a column of the previous version, over rows whose keys the file does not have. */
  keptDigits(merge: SegmentMerge, column: NamedColumn): Promise<Digits>;
}

/** Maximum rows whose hashes are compared in memory, which takes about 1 GB. */
const maxHashed = 30_000_000;

/** Maximum rows per side whose positions are returned (about 3 MB of text), so that later statements need not search for them. */
const maxPositions = 200_000;

/** Maximum keys of a file for which positions are collected. */
const maxKeysListed = 1_000_000;

/** Fewest columns of a version whose rows are compared by their first columns before all are read. */
const manyColumns = 32;

/** Columns that are compared first. */
const firstCompared = 8;

const examples = 3;
const keyLength = 200;

type Hits = Pick<KeyCounts, 'known' | 'hits' | 'same' | 'found'>;

/** The first columns outside of the key. */
const firstColumns = ({ columns, keyIds }: SegmentMerge): StoredColumn[] =>
  columns.filter(({ id }) => !keyIds.includes(id)).slice(0, firstCompared);

/** @param isUrgent False: statements run with low priority. */
export const createKeys = (servers: ClickHouseServers, isUrgent = true): Keys => {
  const partsOf = (merge: SegmentMerge) => mergeSql(servers.database, merge);

  const readRows = async <T>(merge: SegmentMerge, sql: string, params: QueryParams): Promise<T[]> => {
    const server = mergeServer(servers, merge);
    const settings = isUrgent
      ? mergeSettings
      : { ...mergeSettings, max_threads: 1, ...(await lowPriority(server)) };
    return server.rows<T>(sql, { params, settings });
  };

  const readNumber = async (merge: SegmentMerge, sql: string, params: QueryParams): Promise<number> => {
    const [row] = await readRows<{ n: string }>(merge, sql, params);
    return Number(row?.n ?? 0);
  };

  const countRows = (merge: SegmentMerge, { from }: MergeSide, params: QueryParams): Promise<number> =>
    readNumber(merge, `SELECT toString(count()) AS n ${from}`, params);

  /** True if all rows of a side have different key hashes, and so different keys. False: not known. */
  const areDistinct = async (merge: SegmentMerge, name: 'base' | 'file', rows: number): Promise<boolean> => {
    if (rows > maxHashed) return false;
    const { keyHashOf, params, [name]: side } = partsOf(merge);
    const hashes = `SELECT toString(uniqExact(${keyHashOf(side)})) AS n ${side.from}`;
    return (await readNumber(merge, hashes, params)) === rows;
  };

  const countDistinct = async (merge: SegmentMerge, rows: number): Promise<number> => {
    if (await areDistinct(merge, 'file', rows)) return rows;
    const { file, keysOf, keyNames, params } = partsOf(merge);
    return readNumber(
      merge,
      `SELECT toString(count()) AS n FROM (
         SELECT ${keyNames.join(', ')} FROM (SELECT ${keysOf(file)} ${file.from}) GROUP BY ${keyNames.join(', ')})`,
      params,
    );
  };

  /** Finds the rows whose keys the file has. Those whose values differ in none of `columns` count as the same. */
  const compareHits = async (
    merge: SegmentMerge,
    counts: Pick<KeyCounts, 'distinct' | 'rows'>,
    columns: readonly StoredColumn[],
  ): Promise<Hits> => {
    const sql = partsOf(merge);
    const { base, file, keysOf, on, params } = sql;
    const isDelete = merge.mode === 'delete';
    const isSync = merge.mode === 'sync';
    const hash = (side: MergeSide): string => (isDelete ? 'toUInt8(0)' : rowHash(sql, side, columns));
    const isListed = counts.distinct <= maxKeysListed;
    // The join fills rows without a match with zeros; no position is 0.
    const isHit = 'b.p != 0 AND f.r != 0';
    const isChanged = isDelete ? isHit : 'b.p != 0 AND b.h != f.h';
    const join = isDelete ? 'INNER' : isSync ? 'FULL' : 'RIGHT';
    const listed = (positions: string): string => `arrayStringConcat(${positions}, ',')`;
    const isUnknown = 'n = 0 AND r != 0';
    const known = `if(countIf(${isUnknown}) <= ${maxPositions}, [], groupArrayIf(${maxPositions})(r, n > 0))`;
    const lists = isListed
      ? `groupArrayArray(${maxPositions})(arrayMap(one -> (one, r), p)) AS pairs,
         arrayFilter(pair -> pair.2 != 0, pairs) AS matched, ${listed('matched.1')} AS changed, ${listed('matched.2')} AS "changedBy",
         ${listed('arrayFilter(pair -> pair.2 = 0, pairs).1')} AS removed,
         ${listed(`groupArrayIf(${maxPositions})(r, ${isUnknown})`)} AS "unknownRows", ${listed(known)} AS "knownRows"`
      : `'' AS changed, '' AS "changedBy", '' AS removed, '' AS "unknownRows", '' AS "knownRows"`;
    const [row] = await readRows<Record<'known' | 'hits' | 'same', string> & Required<FoundRows>>(
      merge,
      `SELECT toString(countIf(n > 0)) AS known, toString(sum(n)) AS hits, toString(sum(s)) AS same, ${lists}
       FROM (
         SELECT f.r AS r, countIf(${isHit}) AS n, countIf(${isHit} AND b.h = f.h) AS s,
           ${isListed ? `groupArrayIf(${maxPositions})(b.p, ${isChanged})` : 'emptyArrayUInt64()'} AS p
         FROM (SELECT _row AS p, ${keysOf(base)}, ${hash(base)} AS h ${hitRows(sql, counts)}) AS b
         ${join} JOIN
           (SELECT ${keysOf(file)}, ${hash(file)} AS h, _row AS r ${winners(sql, counts)}) AS f ON ${on}
         GROUP BY f.r)`,
      params,
    );
    if (row === undefined) throw new Error('ClickHouse returned no key counts');
    const counted = { known: Number(row.known), hits: Number(row.hits), same: Number(row.same) };
    const { changed, changedBy, removed, unknownRows, knownRows } = row;
    const left = isSync ? merge.base.rowCount - counted.hits : 0;
    const written = (isDelete ? counted.hits : counted.hits - counted.same) + left;
    const unknown = isDelete ? 0 : counts.distinct - counted.known;
    if (!isListed || written > maxPositions || Math.min(unknown, counted.known) > maxPositions)
      return counted;
    const keys = unknown <= maxPositions ? { unknownRows } : { knownRows };
    return { ...counted, found: { changed, changedBy, removed, ...keys } };
  };

  const countHits = async (
    merge: SegmentMerge,
    counts: Pick<KeyCounts, 'distinct' | 'rows'>,
  ): Promise<Hits> => {
    // Scattered rows are in every granule, so comparing a thousand of them reads each column as a whole.
    const first = merge.mode === 'upsert' && merge.columns.length >= manyColumns ? firstColumns(merge) : [];
    if (first.length > 0) {
      const hits = await compareHits(merge, counts, first);
      if (hits.same === 0) return hits;
    }
    return compareHits(merge, counts, merge.columns);
  };

  return {
    async count(merge) {
      const { file, params } = partsOf(merge);
      const rows = await countRows(merge, file, params);
      const none = { known: 0, hits: 0, same: 0 };
      if (merge.keyIds.length === 0) return { rows, distinct: rows, ...none };
      const distinct = await countDistinct(merge, rows);
      const hits = merge.base.segmentIds.length === 0 ? none : await countHits(merge, { rows, distinct });
      return { rows, distinct, ...hits };
    },

    countSync: (merge) => countSync({ database: servers.database, readRows, maxPositions }, merge),

    async repeated(merge, name) {
      if (name === 'base' && (await areDistinct(merge, name, merge.base.rowCount))) return [];
      const { keys, keyNames, keysOf, params, [name]: side } = partsOf(merge);
      const texts = keys.map((_, at) => `if(n${at}, NULL, substringUTF8(toString(k${at}), 1, ${keyLength}))`);
      const found = await readRows<{ key: (string | null)[]; c: string }>(
        merge,
        `SELECT [${texts.join(', ')}] AS key, toString(c) AS c FROM (
           SELECT ${keyNames.join(', ')}, count() AS c, min(_row) AS first
           FROM (SELECT ${keysOf(side)}, _row ${side.from}) GROUP BY ${keyNames.join(', ')}
           HAVING c > 1 ORDER BY first LIMIT ${examples}) ORDER BY first`,
        params,
      );
      return found.map(({ key, c }) => ({
        key: Object.fromEntries(keys.map((column, at) => [column.name, key[at] ?? null])),
        rows: Number(c),
      }));
    },

    async keptDigits(merge, column) {
      const { base, file, keysOf, on, params } = partsOf(merge);
      const kept = `FROM (SELECT ${keysOf(base)}, ${column.name} ${base.from}) AS b
        LEFT ANTI JOIN (SELECT ${keysOf(file)} ${file.from}) AS f ON ${on}`;
      const [row] = await readRows<Digits>(merge, digitsSql(column.name, `${kept} WHERE true`), params);
      return { integer: Number(row?.integer ?? 0), fraction: Number(row?.fraction ?? 0) };
    },
  };
};

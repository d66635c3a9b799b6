/**
 * Finds what a sync changes in two passes. The first compares the sums of row hashes by buckets of keys; usually few buckets differ. The
 * second matches only rows of these buckets, by the hashes of their keys. A join of all keys would take several times as long.
 */
import type { StoredColumn } from '../model/column.js';
import type { QueryParams } from '../storage/clickhouse/client.js';
import { type KeyCounts, type MergeSide, type MergeSql, mergeSql, type SegmentMerge } from './merge-sql.js';

/** Buckets of keys. More make the first pass slower, since their sums no longer fit the cache of the processor. */
const bucketCount = 2 ** 18;

/** Maximum differing buckets. */
const maxBuckets = bucketCount / 2;

export interface SyncQueries {
  readonly database: string;
  readRows<T>(merge: SegmentMerge, sql: string, params: QueryParams): Promise<T[]>;
  /** Maximum positions that are returned. */
  readonly maxPositions: number;
}

const bucketOf = ({ keyHashOf }: MergeSql, side: MergeSide): string =>
  `toUInt32(bitAnd(${keyHashOf(side)}, ${bucketCount - 1}))`;

/**
 * Two hashes of a row, as `h0` and `h1`. The hash of its key stands for those key columns that it includes as they are compared. Within a
 * tuple, null, zero and the empty text differ.
 */
const rowHashes = (
  { merge, base, file, keys, comparedOf, keyHashOf, keyValueOf }: MergeSql,
  side: MergeSide,
  sign: '' | '-' = '',
): string => {
  const isInKeyHash = (column: StoredColumn): boolean =>
    keys.includes(column) &&
    [base, file].every((one) => comparedOf(one, [column])[0] === keyValueOf(one, column));
  const others = merge.columns.filter((column) => !isInKeyHash(column));
  const row = `tuple(${[keyHashOf(side), ...comparedOf(side, others)].join(', ')})`;
  return ['cityHash64', 'xxh3']
    .map((hash, at) => `${sign}reinterpretAsInt64(${hash}(${row})) AS h${at}`)
    .join(', ');
};

/** Buckets in which the sides differ, at most `maxBuckets + 1`. Equal rows cancel each other out; the sums may overflow. */
const bucketsSql = (sql: MergeSql): string => {
  const rowsOf = (side: MergeSide, sign: '' | '-'): string =>
    `SELECT ${bucketOf(sql, side)} AS b, ${rowHashes(sql, side, sign)} ${side.from}`;
  return `SELECT b FROM (${rowsOf(sql.base, '')} UNION ALL ${rowsOf(sql.file, '-')})
    GROUP BY b HAVING sum(h0) != 0 OR sum(h1) != 0 LIMIT ${maxBuckets + 1}`;
};

type Count = 'rows' | 'distinct' | 'base' | 'known' | 'replaced' | 'most';
type Positions = 'changed' | 'changedBy' | 'removed' | 'unknownRows';

/** Counts the keys in some buckets, and lists the rows that change. A key has `n` rows in the previous version and `m` in the file. */
const keysSql = (sql: MergeSql, buckets: readonly number[], maxPositions: number): string => {
  const { merge, base, file, keyHashOf, keyValuesOf } = sql;
  // Inlined: our own numbers, too many for a parameter.
  const rowsOf = (side: MergeSide, isBase: boolean): string =>
    `SELECT ${keyHashOf(side)} AS k0, xxh3(tuple(${keyValuesOf(side).join(', ')})) AS k1, ${isBase} AS "isBase", _row AS p,
       ${rowHashes(sql, side)} ${side.among(`${bucketOf(sql, side)} IN (${buckets.join(', ')})`)}`;
  const [winner, ofWinner] = merge.keep === 'last' ? ['maxIf', 'argMaxIf'] : ['minIf', 'argMinIf'];
  const isKnown = 'n > 0 AND m > 0';
  const isChanged = `${isKnown} AND ("base0" != "file0" OR "base1" != "file1")`;
  const positions = (name: 'baseRow' | 'fileRow', isListed: string): string =>
    `arrayStringConcat(groupArrayIf(${maxPositions})("${name}", ${isListed}), ',')`;
  return `SELECT toString(sum(m)) AS rows, toString(countIf(m > 0)) AS distinct, toString(countIf(n > 0)) AS base,
      toString(countIf(${isKnown})) AS known, toString(countIf(${isChanged})) AS replaced, toString(max(n)) AS most,
      ${positions('baseRow', isChanged)} AS changed, ${positions('fileRow', isChanged)} AS "changedBy",
      ${positions('baseRow', 'm = 0')} AS removed, ${positions('fileRow', 'n = 0')} AS "unknownRows"
    FROM (
      SELECT countIf("isBase") AS n, anyIf(p, "isBase") AS "baseRow", anyIf(h0, "isBase") AS "base0", anyIf(h1, "isBase") AS "base1",
        countIf(NOT "isBase") AS m, ${winner}(p, NOT "isBase") AS "fileRow",
        ${ofWinner}(h0, p, NOT "isBase") AS "file0", ${ofWinner}(h1, p, NOT "isBase") AS "file1"
      FROM (${rowsOf(base, true)} UNION ALL ${rowsOf(file, false)}) GROUP BY k0, k1)`;
};

/**
 * Counts the keys of a sync, and returns the positions of all rows that it changes; undefined if they are too many. Requires that both
 * sides are stored in the types of the target, and that the previous version is unique by the key.
 */
export const countSync = async (
  { database, readRows, maxPositions }: SyncQueries,
  merge: SegmentMerge,
): Promise<KeyCounts | undefined> => {
  const sql = mergeSql(database, merge);
  const differing = await readRows<{ b: number }>(merge, bucketsSql(sql), sql.params);
  const all = merge.base.rowCount;
  if (differing.length === 0) return { rows: all, distinct: all, known: all, hits: all, same: all };
  if (differing.length > maxBuckets) return undefined;
  const buckets = differing.map(({ b }) => b);
  const [row] = await readRows<Record<Count | Positions, string>>(
    merge,
    keysSql(sql, buckets, maxPositions),
    sql.params,
  );
  if (row === undefined) throw new Error('ClickHouse returned no key counts');
  const count = (name: Count): number => Number(row[name]);
  const unchanged = all - count('base');
  const [known, replaced] = [count('known'), count('replaced')];
  const listed = Math.max(replaced, count('base') - known, count('distinct') - known);
  // More than one: keys with the same hashes.
  if (count('most') > 1 || listed > maxPositions) return undefined;
  const { changed, changedBy, removed, unknownRows } = row;
  return {
    rows: count('rows') + unchanged,
    distinct: count('distinct') + unchanged,
    known: known + unchanged,
    hits: known + unchanged,
    same: known - replaced + unchanged,
    found: { changed, changedBy, removed, unknownRows },
  };
};

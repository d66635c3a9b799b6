/**
 * Merges the rows of a file with those of the previous version into a new segment, within ClickHouse.
 *
 *   append   adds the rows of the file after all others
 *   upsert   replaces rows whose keys the file has, at their positions; new keys follow in file order
 *   sync     like upsert, and leaves out rows whose keys the file lacks
 *   delete   leaves out rows whose keys the file has
 */
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import { type RowSet, type TargetTables, writeCopy } from './copy.js';
import {
  type KeyCounts,
  type MergeSide,
  type MergeSql,
  mergedCopy,
  mergeServer,
  mergeSql,
  requireBase,
  type SegmentMerge,
  unknownRows,
  winners,
} from './merge-sql.js';

/** Rows of the previous version with the changes of the file. */
const changedBase = (sql: MergeSql, counts: KeyCounts): RowSet => {
  const { base, file, keysOf, valuesOf, on } = sql;
  const { mode, columns } = sql.merge;
  const named = (side: MergeSide, prefix: string): string =>
    valuesOf(side)
      .map((value, at) => `, ${value} AS ${prefix}${at}`)
      .join('');
  const left = `(SELECT _row AS p, ${keysOf(base)}${named(base, 'x')} ${base.from}) AS b`;
  const right = (values: string): string =>
    `(SELECT toUInt8(1) AS hit, ${keysOf(file)}${values} ${winners(sql, counts)}) AS f ON ${on}`;
  const set = (join: string, value: (at: number) => string): RowSet => ({
    from: `FROM ${left} ${join}`,
    position: 'b.p',
    values: columns.map((_, at) => value(at)),
  });
  if (mode === 'delete') return set(`LEFT JOIN ${right('')} WHERE f.hit = 0`, (at) => `b.x${at}`);
  const changed = right(named(file, 'y'));
  if (mode === 'sync') return set(`INNER JOIN ${changed}`, (at) => `f.y${at}`);
  return set(`LEFT JOIN ${changed}`, (at) => `if(f.hit = 1, f.y${at}, b.x${at})`);
};

/** Rows of the new version. @param touched True if the file replaces or removes rows. */
const rowSets = (sql: MergeSql, counts: KeyCounts, touched: boolean): RowSet[] => {
  const { merge, base, file, valuesOf } = sql;
  const unchanged = (side: MergeSide, from: string): RowSet => ({ from, values: valuesOf(side) });
  const sets: RowSet[] = [];
  if (touched) sets.push(changedBase(sql, counts));
  else if (merge.base.segmentIds.length > 0 && merge.mode !== 'sync') sets.push(unchanged(base, base.from));
  if (merge.mode !== 'delete')
    sets.push(unchanged(file, touched ? unknownRows(sql, counts) : winners(sql, counts)));
  return sets;
};

/**
 * Writes the rows of the new version. Compares them with their sources unless the file replaces or removes rows.
 * @throws CopyDiffers
 */
export type Merge = (merge: SegmentMerge, counts: KeyCounts) => Promise<void>;

export const createMerge =
  (servers: ClickHouseServers, tables: TargetTables): Merge =>
  async (merge, counts) => {
    const sql = mergeSql(servers.database, merge);
    await requireBase(servers, merge);
    const touched = counts.known > 0;
    const copy = mergedCopy(sql, rowSets(sql, counts, touched));
    await writeCopy(tables, mergeServer(servers, merge), copy, !touched);
  };

/**
 * Joins the rows of a file with those of the version before it, all of them in a new segment; ClickHouse does all of it.
 *
 *   append   the rows of the file behind all others
 *   upsert   rows of a key that the file has are replaced, at their positions; new keys follow in file order
 *   sync     the same, and rows of keys that the file lacks are left out
 *   delete   rows of keys that the file has are left out
 */
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import {
  compareRows,
  insertRows,
  prepareTarget,
  type RowSet,
  storedColumnsOf,
  storedValuesOf,
  type TargetTables,
} from './copy.js';
import {
  type KeyCounts,
  type MergeSide,
  type MergeSql,
  mergeServer,
  mergeSql,
  requireBase,
  type SegmentMerge,
  unknownRows,
  winners,
} from './merge-sql.js';
import { namedColumn } from './place.js';
import { mergeSettings } from './statement-settings.js';

/** Rows of the version before, as the file changes them: `FROM` and values by the place of their column. */
const changedBase = (
  { mode }: SegmentMerge,
  { base, file, keysOf, valuesOf, on }: MergeSql,
  fromWinners: string,
): { readonly from: string; value(at: number): string } => {
  const named = (side: MergeSide, prefix: string): string =>
    valuesOf(side)
      .map((value, at) => `, ${value} AS ${prefix}${at}`)
      .join('');
  const left = `(SELECT _row AS p, ${keysOf(base)}${named(base, 'x')} ${base.from}) AS b`;
  const right = (values: string): string =>
    `(SELECT toUInt8(1) AS hit, ${keysOf(file)}${values} ${fromWinners}) AS f ON ${on}`;
  if (mode === 'delete')
    return { from: `FROM ${left} LEFT JOIN ${right('')} WHERE f.hit = 0`, value: (at) => `b.x${at}` };
  const changed = right(named(file, 'y'));
  if (mode === 'sync') return { from: `FROM ${left} INNER JOIN ${changed}`, value: (at) => `f.y${at}` };
  return { from: `FROM ${left} LEFT JOIN ${changed}`, value: (at) => `if(f.hit = 1, f.y${at}, b.x${at})` };
};

/** The rows of the version to come. `touched`: the file replaces rows or leaves some out. */
const rowSets = (merge: SegmentMerge, sql: MergeSql, counts: KeyCounts, touched: boolean): RowSet[] => {
  const { base, file, valuesOf } = sql;
  const { mode, targetPlace } = merge;
  const columns = merge.columns.map(namedColumn);
  const fromWinners = winners(merge, sql, counts);
  const set = (from: string, value: (at: number) => string): RowSet => ({
    from,
    values: storedValuesOf(columns, targetPlace, value),
  });
  const unchanged = (side: MergeSide, from: string): RowSet => {
    const values = valuesOf(side);
    return set(from, (at) => values[at] ?? '');
  };
  const sets: RowSet[] = [];
  if (touched) {
    const { from, value } = changedBase(merge, sql, fromWinners);
    sets.push({ ...set(from, value), position: 'b.p' });
  } else if (merge.base.segmentIds.length > 0 && mode !== 'sync') sets.push(unchanged(base, base.from));
  if (mode !== 'delete')
    sets.push(unchanged(file, touched ? unknownRows(merge, sql, counts, fromWinners) : fromWinners));
  return sets;
};

/**
 * Writes the rows of the version to come. Where the file replaces none and leaves none out, they are compared with their sources.
 * @throws CopyDiffers
 */
export type Merge = (merge: SegmentMerge, counts: KeyCounts) => Promise<void>;

export const createMerge =
  (servers: ClickHouseServers, tables: TargetTables): Merge =>
  async (merge, counts) => {
    const sql = mergeSql(servers.database, merge);
    const clickhouse = mergeServer(servers, merge);
    await requireBase(servers, merge);
    const touched = counts.known > 0;
    const copy = {
      target: { segment: merge.target, place: merge.targetPlace },
      columns: storedColumnsOf(merge.columns.map(namedColumn), merge.targetPlace),
      sets: rowSets(merge, sql, counts, touched),
      params: sql.params,
      settings: mergeSettings,
    };
    await prepareTarget(tables, merge.targetPlace, merge.columns.map(namedColumn), () =>
      insertRows(clickhouse, copy),
    );
    if (!touched) await compareRows(clickhouse, copy);
  };

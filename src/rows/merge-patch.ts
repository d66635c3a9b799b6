/**
 * Writes the changes of a file as a patch after the segments of the previous version: a replaced row at its old position, a deleted row as
 * a tombstone at its position, a new row at a position of its own.
 */
import type { RowChanges } from '../model/process.js';
import type { ClickHouseServers, Connection } from '../storage/clickhouse/client.js';
import { CopyDiffers, type RowSet, type TargetTables, writeCopy } from './copy.js';
import {
  foundPairs,
  foundRemoved,
  hitRows,
  type KeyCounts,
  type MergeSide,
  type MergeSql,
  mergedCopy,
  mergeServer,
  mergeSql,
  requireBase,
  rowHash,
  type SegmentMerge,
  unknownRows,
  winners,
} from './merge-sql.js';
import { isPooled, statedTable } from './place.js';

/** Number of rows that a patch stores, including tombstones. */
export const rowsOfPatch = ({ inserted, replaced, removed }: Omit<RowChanges, 'unchanged'>): number =>
  inserted + replaced + removed;

/** Number of stored rows that a patch hides: one per replaced row, two per deleted row (the row and its tombstone). */
export const hiddenBy = ({ replaced, removed }: Pick<RowChanges, 'replaced' | 'removed'>): number =>
  replaced + 2 * removed;

/**
 * Writes a patch.
 * @param changes From the counted keys; the patch must have exactly these rows.
 * @throws CopyDiffers
 */
export type WritePatch = (merge: SegmentMerge, counts: KeyCounts, changes: RowChanges) => Promise<void>;

/** Rows of the previous version that the file changes, with the values of the file. */
const replacedRows = (sql: MergeSql, counts: KeyCounts): RowSet => {
  const { base, file, keysOf, valuesOf, on } = sql;
  const fileValues = valuesOf(file);
  const named = fileValues.map((value, at) => `, ${value} AS y${at}`).join('');
  const set = (from: string): RowSet => ({
    from,
    position: 'b.p',
    values: fileValues.map((_, at) => `f.y${at}`),
  });
  if (counts.found !== undefined) {
    const among = file.among(`_row IN (${counts.found.changedBy})`);
    return set(
      `FROM (SELECT _row AS r${named} ${among}) AS f INNER JOIN ${foundPairs(counts.found)} AS b ON f.r = b.r`,
    );
  }
  const hash = (side: MergeSide): string => `, ${rowHash(sql, side)} AS h`;
  return set(`FROM (SELECT _row AS p, ${keysOf(base)}${hash(base)} ${hitRows(sql, counts)}) AS b
      INNER JOIN (SELECT ${keysOf(file)}${hash(file)}${named} ${winners(sql, counts)}) AS f ON ${on} WHERE b.h != f.h`);
};

/** Rows of the previous version that the file removes: those with keys of the file; in mode sync, those with other keys. */
const removedRows = (sql: MergeSql, counts: KeyCounts): RowSet => {
  const { merge, base, file, keysOf, on } = sql;
  const keys = `(SELECT toUInt8(1) AS hit, ${keysOf(file)} ${winners(sql, counts)}) AS f ON ${on}`;
  const of = (rows: string): string => `FROM (SELECT _row AS p, ${keysOf(base)} ${rows}) AS b`;
  const from = (): string => {
    const isSync = merge.mode === 'sync';
    if (counts.found !== undefined)
      return `FROM ${isSync ? foundRemoved(counts.found) : foundPairs(counts.found)} AS b`;
    if (isSync) return `${of(base.from)} LEFT JOIN ${keys} WHERE f.hit = 0`;
    return `${of(hitRows(sql, counts))} INNER JOIN ${keys}`;
  };
  return { from: from(), position: 'b.p', values: [], gone: true };
};

const rowSets = (sql: MergeSql, counts: KeyCounts, changes: RowChanges): RowSet[] => {
  const sets: RowSet[] = [];
  if (changes.replaced > 0) sets.push(replacedRows(sql, counts));
  if (changes.removed > 0) sets.push(removedRows(sql, counts));
  if (changes.inserted > 0)
    sets.push({
      from: counts.known > 0 ? unknownRows(sql, counts) : winners(sql, counts),
      values: sql.valuesOf(sql.file),
    });
  return sets;
};

const countPatch = async (
  clickhouse: Connection,
  { target, targetPlace }: SegmentMerge,
): Promise<{ readonly rows: number; readonly gone: number }> => {
  const gone = isPooled(targetPlace) ? '0' : `sum(_gone)`;
  const [found] = await clickhouse.rows<{ rows: string; gone: string }>(
    `SELECT toString(count()) AS rows, toString(${gone}) AS gone
     FROM ${statedTable(clickhouse.database, targetPlace)} WHERE _seg = {target:UInt64}`,
    { params: { target } },
  );
  return { rows: Number(found?.rows ?? 0), gone: Number(found?.gone ?? 0) };
};

export const createWritePatch =
  (servers: ClickHouseServers, tables: TargetTables): WritePatch =>
  async (merge, counts, changes) => {
    const sql = mergeSql(servers.database, merge);
    const clickhouse = mergeServer(servers, merge);
    const copy = mergedCopy(sql, rowSets(sql, counts, changes));
    await writeCopy(tables, clickhouse, copy, counts.known === 0 && changes.removed === 0);
    const [{ rows, gone }] = await Promise.all([
      countPatch(clickhouse, merge),
      // If rows of the base were missing, their keys would have been inserted as new.
      merge.keyIds.length > 0 && requireBase(servers, merge),
    ]);
    if (rows !== rowsOfPatch(changes) || gone !== changes.removed)
      throw new CopyDiffers(
        `patch ${merge.target} has ${rows} rows, ${gone} of them tombstones, not ${rowsOfPatch(changes)} and ${changes.removed}`,
      );
  };

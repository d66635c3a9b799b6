/**
 * Patches: segments that an upsert, sync or delete wrote behind others. A replaced row has the position of the row that it replaces, a
 * deleted one is a tombstone (`_gone`) there, and new rows have positions of their own. So a row is there unless a later patch of
 * the version has its position. Ids of patches are in the order of publication.
 */
import type { SegmentList } from '../model/version.js';

export interface RowCondition {
  readonly sql: string;
  readonly params: Readonly<Record<string, number | readonly number[]>>;
}

/** Condition for the latest row of each position. @param rows `FROM … WHERE …` of patches. */
export const latestOf = (rows: string): string =>
  `(_row, _seg) IN (SELECT _row, max(_seg) ${rows} GROUP BY _row)`;

/**
 * Condition that leaves out, of the stored rows of a list, tombstones and rows that patches replace or delete; undefined without
 * patches.
 *
 * The sets are made once for each statement, of the rows of the patches alone. What is everywhere is asked with
 * `distributed_product_mode = global` (servers.ts): the sets are made of the rows of all shards and sent to each of them, because a
 * patch row may be on another shard than the row that it replaces.
 * @param table The table that statements name.
 * @param name Start of the parameter's name.
 */
export const patchMask = (
  table: string,
  { patches = [] }: SegmentList,
  name: string,
): RowCondition | undefined => {
  if (patches.length === 0) return undefined;
  const list = `{${name}Patches:Array(UInt64)}`;
  const rows = `FROM ${table} WHERE _seg IN ${list}`;
  const latest =
    patches.length === 1
      ? '_gone = 0'
      : `(_row, _seg) IN (SELECT _row, max(_seg) ${rows} GROUP BY _row HAVING argMax(_gone, _seg) = 0)`;
  return {
    sql: `if(_seg IN ${list}, ${latest}, _row NOT IN (SELECT _row ${rows}))`,
    params: { [`${name}Patches`]: patches },
  };
};

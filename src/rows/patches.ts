/**
 * Patches: segments that an upsert, sync or delete wrote behind others. A replaced row has the position of the row that it replaces, a
 * deleted one is a tombstone (`_gone`) there, and new rows have positions of their own. So a row is there unless a later patch of
 * the version has its position. Ids of patches are in the order of publication; a row of another segment gives way to any patch.
 */
import type { SegmentList } from '../model/version.js';
import type { BoundValues } from '../storage/clickhouse/query-form.js';

/** A condition, with the values of its parameters. */
export interface Condition {
  readonly sql: string;
  readonly values: BoundValues;
}

/** Latest row of each position. Rows of a part are in this order but for `_seg`: sorting them costs half of what grouping them does. */
const latestRows = (rows: string): string =>
  `SELECT _row, _seg, _gone ${rows} ORDER BY _row, _seg DESC LIMIT 1 BY _row`;

/** Condition for the latest row of each position, tombstones among them. @param rows `FROM … WHERE …` of patches. */
export const latestOf = (rows: string): string =>
  `(_row, _seg) IN (SELECT _row, _seg FROM (${latestRows(rows)}))`;

const segmentsIn = (name: string): string => `_seg IN {${name}:Array(UInt64)}`;

/**
 * Positions at which some patches have rows, as a subquery.
 * @param table The table that statements name.
 * @param name Parameter that lists the patches.
 */
export const patchedRows = (table: string, name: string): string =>
  `(SELECT _row FROM ${table} WHERE ${segmentsIn(name)})`;

/**
 * Condition that leaves out, of the stored rows of a list, tombstones and rows that patches replace or delete; undefined without
 * patches.
 *
 * Each row of a base is looked up in the set of patched positions, whose keys are single numbers, and each row of a patch in that of
 * the latest rows. `toString` makes ClickHouse look up rows of patches alone there: it does what is costly only for the rows that need it.
 * `GLOBAL` keeps the condition out of PREWHERE, where the same look-ups take twice the time: its steps are of a granule each.
 *
 * The sets are made once for each statement, of the rows of the patches alone. What is everywhere is asked with
 * `distributed_product_mode = global` (servers.ts): the sets are made of the rows of all shards and sent to each of them, because a
 * patch row may be on another shard than the row that it replaces.
 * @param name Start of the parameter's name.
 * @param within Subquery of positions, where no other rows are read: rows of patches elsewhere do not matter.
 */
export const patchMask = (
  table: string,
  { patches = [] }: SegmentList,
  name: string,
  within?: string,
): Condition | undefined => {
  if (patches.length === 0) return undefined;
  const list = `${name}Patches`;
  const rows = `FROM ${table} WHERE ${segmentsIn(list)}${within === undefined ? '' : ` AND _row IN ${within}`}`;
  const latest =
    patches.length === 1
      ? '_gone = 0'
      : `(_row, toUInt64(toString(_seg))) IN (SELECT _row, _seg FROM (${latestRows(rows)}) WHERE _gone = 0)`;
  return {
    sql: `if(${segmentsIn(list)}, ${latest}, _row GLOBAL NOT IN (SELECT _row ${rows}))`,
    values: { [list]: patches },
  };
};

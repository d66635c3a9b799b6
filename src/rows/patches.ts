/**
 * Patches: segments that an upsert, sync or delete adds after others. A replacement has the position of the replaced row, a deletion is a
 * tombstone (`_gone`) at that position, and new rows have positions of their own. A row is visible unless a later patch of the version has
 * a row at its position. Ids of patches are in the order
 * of publication. A patch hides rows of all segments that are not patches, including those with higher ids.
 */
import type { SegmentList } from '../model/version.js';
import type { BoundValues } from '../storage/clickhouse/query-form.js';

/** A condition, with the values of its parameters. */
export interface Condition {
  readonly sql: string;
  readonly values: BoundValues;
}

/** Latest row of each position. Parts are already sorted except by `_seg`, so sorting costs half as much as grouping. */
const latestRows = (rows: string): string =>
  `SELECT _row, _seg, _gone ${rows} ORDER BY _row, _seg DESC LIMIT 1 BY _row`;

/** Condition for the latest row of each position, including tombstones. @param rows `FROM … WHERE …` of patches. */
export const latestOf = (rows: string): string =>
  `(_row, _seg) IN (SELECT _row, _seg FROM (${latestRows(rows)}))`;

const segmentsIn = (name: string): string => `_seg IN {${name}:Array(UInt64)}`;

/**
 * Subquery of the positions of patches.
 * @param table Table name for statements.
 * @param name Parameter with the ids of the patches.
 */
export const patchedRows = (table: string, name: string): string =>
  `(SELECT _row FROM ${table} WHERE ${segmentsIn(name)})`;

/**
 * Condition that excludes tombstones, and rows that patches replace or delete, from the stored rows of a list; undefined without patches.
 *
 * Each row of a base is looked up in the set of patched positions, whose keys are single numbers; each row of a patch in the set of latest
 * rows. `toString` limits the second lookup to rows of patches, since ClickHouse evaluates an expensive branch only for the rows that need it.
 * `GLOBAL` keeps the condition out of PREWHERE, which works granule by granule and would take twice as long.
 *
 * The sets are built once per statement, from the rows of the patches only. For rows everywhere, `distributed_product_mode = global`
 * (servers.ts) builds them from all shards and sends them to each shard: a patch row may be on another shard than the row it replaces.
 * @param name Prefix of the parameter name.
 * @param within Subquery of the only positions that are read; rows of patches elsewhere are ignored.
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

/** Rows of all segments that a dataset has or had, with the versions that had them. */
import { type StoredColumn, storageName } from '../model/column.js';
import type { Place } from '../model/version.js';
import { patchedRows } from './patches.js';
import { firstPosition, namedColumn, sourceOf, statedTable } from './place.js';
import { countGuard, type RowSource, storedRows } from './source.js';

/** How long a dataset had a segment. */
export interface SegmentSpan {
  readonly segment: number;
  /** First version that has it. */
  readonly from: number;
  /** First version that lacks it again; 0: none. */
  readonly until: number;
  /** These versions have its rows of uploads with a lower number. */
  readonly beforeUpload: number;
}

/** Rows of segments that a dataset had, in the versions that had them. */
export interface SpannedRows {
  readonly place: Place;
  readonly columns: readonly StoredColumn[];
  readonly ranges: readonly SegmentSpan[];
  /** Rows of all of its segments, whole. */
  readonly rowCount: number;
  /** Spans of all patches in the table, also of those under other columns. Absent: there are none. */
  readonly patches?: readonly SegmentSpan[];
}

const segmentsOf = (spans: readonly SegmentSpan[]): number[] => [
  ...new Set(spans.map(({ segment }) => segment)),
];

/** Spans as rows of a table, under these names. */
const spanRows = (name: string, list: string): string =>
  `(SELECT ${list}
        FROM (SELECT arrayJoin({${name}:Array(Array(UInt64))}) AS t))`;

/**
 * Array of the spans in which a row is there: its own one, from `f` to `u`, without those of the patches that hide it. Bounds of
 * these divide it, and a part stays unless one of them covers it.
 */
const partsLeft = `arrayFilter(i -> NOT arrayExists(h -> h.1 <= i.1 AND (h.2 = 0 OR i.1 < h.2), hidden),
  arrayZip(bounds, arrayPushBack(arrayPopFront(bounds), u)))`;
const bounds =
  'arraySort(arrayDistinct(arrayPushFront(arrayFilter(c -> c > f AND (u = 0 OR c < u), arrayConcat(hidden.1, hidden.2)), f)))';

/**
 * Rows of segments, each as often as there are spans of its segment, with two more columns: `f` and `u`, the first
 * version that has the row and the first that lacks it again. With the same guard as `versionSource`. Spans are divided where patches
 * come that replace or delete the row, or go; only rows at their positions are looked at for that.
 * @param at Number of the source in its statement.
 */
export const spanSource = (database: string, rows: SpannedRows, at: number): RowSource => {
  const { place, columns, ranges, rowCount, patches = [] } = rows;
  const table = statedTable(database, place);
  const segmentIds = segmentsOf(ranges);
  const guard = countGuard(database, { place, columns, segmentIds, rowCount }, `s${at}`);
  const stored = storedRows({ list: { segmentIds }, name: `s${at}`, guard: guard.sql });
  const held = `${sourceOf(database, place, columns.map(namedColumn))} AS stored
      INNER JOIN ${spanRows(`r${at}`, 't[1] AS g, t[2] AS f, t[3] AS u, t[4] AS l')} AS held ON stored._seg = held.g`;
  const where = `${stored.sql} AND _row < ${firstPosition('l')}`;
  const values = {
    ...guard.values,
    [`r${at}`]: ranges.map(({ segment, from, until, beforeUpload }) => [segment, from, until, beforeUpload]),
  };
  if (patches.length === 0) return { from: held, where, values };
  const names = columns.map((column) => `${storageName(column)}, `).join('');
  const touched = patchedRows(table, `patched${at}`);
  const isPatch = `_seg IN {patched${at}:Array(UInt64)}`;
  const hiding = `(SELECT _row AS p, groupArray((_seg, hf, hu)) AS patches
      FROM ${table} AS patch INNER JOIN ${spanRows(`hiding${at}`, 't[1] AS hg, t[2] AS hf, t[3] AS hu')} AS spans ON patch._seg = spans.hg
      WHERE ${isPatch} GROUP BY _row)`;
  return {
    from: `(SELECT ${names}_row, f, u FROM ${held} WHERE ${where} AND _row NOT IN ${touched}
      UNION ALL SELECT ${names}_row, x.1 AS f, x.2 AS u FROM (
        SELECT ${names}_row, ${partsLeft} AS parts FROM (
          SELECT *, ${bounds} AS bounds FROM (
            SELECT ${names}_row, f, u,
              arrayMap(y -> (y.2, y.3), arrayFilter(y -> y.1 > if(${isPatch}, _seg, 0), patches)) AS hidden
            FROM ${held} INNER JOIN ${hiding} AS hiding ON stored._row = hiding.p
            WHERE ${where} AND _row IN ${touched} AND _gone = 0)))
      ARRAY JOIN parts AS x)`,
    where: 'true',
    values: {
      ...values,
      [`patched${at}`]: segmentsOf(patches),
      [`hiding${at}`]: patches.map(({ segment, from, until }) => [segment, from, until]),
    },
  };
};

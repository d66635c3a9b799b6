/** Rows of all segments that a dataset has or had, each with its range of versions. */
import { type StoredColumn, storageName } from '../model/column.js';
import type { Place } from '../model/version.js';
import { patchedRows } from './patches.js';
import { firstPosition, namedColumn, sourceOf, statedTable } from './place.js';
import { countGuard, type RowSource, storedRows } from './source.js';

/** Range of versions that have a segment. */
export interface SegmentSpan {
  readonly segment: number;
  /** First version with it. */
  readonly from: number;
  /** First later version without it; 0: none. */
  readonly until: number;
  /** The versions have only its rows from uploads with a lower number. */
  readonly beforeUpload: number;
}

/** Rows of segments that a dataset has or had. */
export interface SpannedRows {
  readonly place: Place;
  readonly columns: readonly StoredColumn[];
  readonly ranges: readonly SegmentSpan[];
  /** Rows of all of these segments, in full. */
  readonly rowCount: number;
  /** Spans of all patches in the table, including those with other columns; absent: there are none. */
  readonly patches?: readonly SegmentSpan[];
}

const segmentsOf = (spans: readonly SegmentSpan[]): number[] => [
  ...new Set(spans.map(({ segment }) => segment)),
];

/** Subquery of spans. @param list Select list with names for `t[1]`, `t[2]`, … */
const spanRows = (name: string, list: string): string =>
  `(SELECT ${list}
        FROM (SELECT arrayJoin({${name}:Array(Array(UInt64))}) AS t))`;

/**
 * SQL of an array of the spans in which a row is visible: its own span, from `f` to `u`, minus the spans of patches that hide it. The bounds
 * of these split its span into parts, and a part remains unless one of them covers it.
 */
const visibleParts = `arrayFilter(i -> NOT arrayExists(h -> h.1 <= i.1 AND (h.2 = 0 OR i.1 < h.2), hidden),
  arrayZip(bounds, arrayPushBack(arrayPopFront(bounds), u)))`;
const bounds =
  'arraySort(arrayDistinct(arrayPushFront(arrayFilter(c -> c > f AND (u = 0 OR c < u), arrayConcat(hidden.1, hidden.2)), f)))';

/**
 * Rows of segments, each once per span of its segment, with two more columns: `f`, the first version with the row, and `u`, the first later
 * one without it. Has the same guard as `versionSource`. Spans are split where a patch that replaces or deletes the row is added or
 * removed; this is computed only for rows at patched positions.
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
        SELECT ${names}_row, ${visibleParts} AS parts FROM (
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

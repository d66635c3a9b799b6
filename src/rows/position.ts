/** Positions of rows: rows from one on as a condition, and where a row is after its segment was joined. */
import { type StoredColumn, storageName } from '../model/column.js';
import type { ReadableVersion } from '../model/version.js';
import { segmentsGone } from '../storage/clickhouse/errors.js';
import type { BoundValues } from '../storage/clickhouse/query-form.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { RowSource } from './source.js';

/** Position of a row in a version. */
export interface RowPlace {
  readonly segment: number;
  readonly row: number;
}

/** Select list of the position of a row, for `rowPlaceOf`. */
export const placeColumns = 'toString(_seg) AS seg, toString(_row) AS row';

export interface PlaceColumns {
  readonly seg: string;
  readonly row: string;
}

export const rowPlaceOf = ({ seg, row }: PlaceColumns): RowPlace => ({
  segment: Number(seg),
  row: Number(row),
});

export interface OrderedBy {
  readonly column: StoredColumn;
  readonly descending: boolean;
}

export interface Condition {
  readonly sql: string;
  readonly values: BoundValues;
}

const atOrBehind = '(_seg > {fromSeg:UInt64} OR (_seg = {fromSeg:UInt64} AND _row >= {fromRow:UInt64}))';

/**
 * Condition for a row and all that follow it in an order. The values of the row are looked up rather than remembered, so
 * no value of any type or length has to be left out and brought back.
 * @param rows The rows of the version, without a filter.
 */
export const behind = (
  rows: RowSource,
  { segment, row }: RowPlace,
  order: readonly OrderedBy[],
): Condition => {
  const values = { ...rows.values, fromSeg: segment, fromRow: row };
  if (order.length === 0) return { sql: `(_seg >= {fromSeg:UInt64} AND ${atOrBehind})`, values };
  const names = order.map(({ column }) => storageName(column));
  const found = `(SELECT tuple(${names.map((name) => `any(${name})`).join(', ')},
    throwIf(count() != 1, '${segmentsGone}')) FROM ${rows.from}
    WHERE _seg = {fromSeg:UInt64} AND _row = {fromRow:UInt64})`;
  const sql = order.reduceRight((further, { descending }, at) => {
    const name = names[at]!;
    const value = `${found}.${at + 1}`;
    // Nulls are last in both directions.
    const later = `(${value} IS NOT NULL AND (${name} IS NULL OR ${name} ${descending ? '<' : '>'} ${value}))`;
    return `(${later} OR ((${name} = ${value} OR (${name} IS NULL AND ${value} IS NULL)) AND ${further}))`;
  }, atOrBehind);
  return { sql, values };
};

/** The segment that replaced another one, and the position of the first of its rows in it. */
const joinedSql = `
  SELECT segment_id AS segment, starts[array_position(run, $2)] AS start FROM compactions
   WHERE store_id = (SELECT store_id FROM datasets WHERE id = $1) AND run @> ARRAY[$2::bigint] AND state IN ('swapping', 'done')
   ORDER BY segment_id DESC LIMIT 1`;

/** One join further. */
const joinedPlace = async (
  sql: Sql,
  datasetId: number,
  { segment, row }: RowPlace,
): Promise<RowPlace | undefined> => {
  const [joined] = await sql.query<{ segment: number; start: number }>(joinedSql, [datasetId, segment]);
  return joined && { segment: joined.segment, row: joined.start + row };
};

/** Present position of a row whose segment may have been joined with others since; undefined: the row is gone. */
export const presentPlace = async (
  sql: Sql,
  { datasetId, placement, segmentIds }: ReadableVersion,
  row: RowPlace,
): Promise<RowPlace | undefined> => {
  const named = new Set(segmentIds);
  const seen = new Set<number>();
  let place: RowPlace | undefined = row;
  while (place !== undefined && !named.has(place.segment)) {
    if (placement === null || seen.has(place.segment)) return undefined;
    seen.add(place.segment);
    place = await joinedPlace(sql, datasetId, place);
  }
  return place;
};

import type { PhysicalType } from '../../model/column.js';
import type { SegmentList } from '../../model/version.js';
import type { ClickHouse } from './client.js';
import { segmentRows } from './segment-rows.js';
import { tableName } from './store-table.js';

/** Facts of the rows of some segments, asked of ClickHouse itself. */
export interface CountedSegment {
  readonly rows: number;
  /** `YYYY-MM-DD`; null without a date column or without a date in it. */
  readonly minDate: string | null;
  readonly maxDate: string | null;
  /** Median distance in days between neighbouring distinct dates; null with fewer than two. */
  readonly medianGapDays: number | null;
}

export interface DateColumn {
  readonly name: string;
  readonly physical: PhysicalType;
}

/** Days since 1970-01-01 of a stored date. Dates beyond Date32 are kept as text. */
const dayNumber = ({ name, physical }: DateColumn): string =>
  physical === 'd'
    ? `toInt32(${name})`
    : // Days by the proleptic Gregorian calendar, for years that no date type of ClickHouse holds.
      `if(${name} IS NULL, NULL, toInt32(toUInt16(substring(${name}, 1, 4)) * 365
        + intDiv(toUInt16(substring(${name}, 1, 4)) - 1, 4) - intDiv(toUInt16(substring(${name}, 1, 4)) - 1, 100)
        + intDiv(toUInt16(substring(${name}, 1, 4)) - 1, 400)
        + toDayOfYear(toDate32(concat(if(toUInt16(substring(${name}, 1, 4)) % 4 = 0
            AND (toUInt16(substring(${name}, 1, 4)) % 100 != 0 OR toUInt16(substring(${name}, 1, 4)) % 400 = 0),
            '2000', '2001'), substring(${name}, 5))))))`;

/** Counts the rows of segments and looks at the dates of one column. */
export const countSegments = async (
  clickhouse: ClickHouse,
  storeId: number,
  segments: SegmentList,
  date: DateColumn | undefined,
): Promise<CountedSegment> => {
  const where = segmentRows(segments);
  const facts =
    date === undefined
      ? 'NULL AS first, NULL AS last, NULL AS gap'
      : `toString(min(${date.name})) AS first, toString(max(${date.name})) AS last,
         arraySort(groupUniqArray(${dayNumber(date)})) AS days,
         if(length(days) > 1, arrayReduce('quantileExact(0.5)', arrayPopFront(arrayDifference(days))), NULL) AS gap`;
  const [row] = await clickhouse.rows<{
    rows: string;
    first: string | null;
    last: string | null;
    gap: number | string | null;
  }>(
    `SELECT toString(rows) AS rows, first, last, gap FROM (
       SELECT count() AS rows, ${facts} FROM ${clickhouse.database}.${tableName(storeId)} WHERE ${where.sql})`,
    { params: where.params, settings: { max_threads: 2 } },
  );
  return {
    rows: Number(row?.rows ?? 0),
    minDate: row?.first ?? null,
    maxDate: row?.last ?? null,
    medianGapDays: row?.gap == null ? null : Number(row.gap),
  };
};

/** Most digits before and after the point among the doubles of a column, by their shortest text. */
export const countDigits = async (
  clickhouse: ClickHouse,
  storeId: number,
  segments: SegmentList,
  column: string,
): Promise<{ integer: number; fraction: number }> => {
  const where = segmentRows(segments);
  const [row] = await clickhouse.rows<{ integer: number; fraction: number }>(
    `WITH toString(abs(assumeNotNull(${column}))) AS text,
       splitByChar('e', text) AS parts,
       if(length(parts) > 1, toInt32(parts[2]), 0) AS exponent,
       splitByChar('.', parts[1]) AS mantissa
     SELECT max(greatest(length(mantissa[1]) + exponent, 0)) AS integer,
       max(greatest(if(length(mantissa) > 1, length(mantissa[2]), 0) - exponent, 0)) AS fraction
     FROM ${clickhouse.database}.${tableName(storeId)}
     WHERE ${where.sql} AND ${column} IS NOT NULL`,
    { params: where.params, settings: { max_threads: 2 } },
  );
  return { integer: Number(row?.integer ?? 0), fraction: Number(row?.fraction ?? 0) };
};

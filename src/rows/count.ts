/** Facts about the rows of segments, counted by ClickHouse: number of rows, dates, digits. */
import type { NamedColumn } from '../model/column.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import { type DaySet, dayText, setOfDays } from '../model/day-set.js';
import {
  type Frequency,
  frequencyOf,
  type Place,
  type SegmentFacts,
  type SegmentList,
} from '../model/version.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import { firstDaySql, yearSql } from '../storage/clickhouse/year-sql.js';
import { insideOf } from './place.js';
import { rowOrder, selectRows } from './source.js';
import { backgroundSettings } from './statement-settings.js';

/** Facts about the rows of some segments. */
export interface CountedSegment {
  readonly rows: number;
  /** `YYYY-MM-DD`; null without a date column or without a date in it. */
  readonly minDate: string | null;
  readonly maxDate: string | null;
  /** From the median distance in days between consecutive distinct dates; null with fewer than two. */
  readonly frequency: Frequency | null;
  /** The distinct days; null if they are too many or not stored as dates. */
  readonly days: DaySet | null;
}

/** Maximum distinct days that ClickHouse returns: more than a hundred years have. */
const maxDays = 40_000;

/** Facts about dates that a version records. */
export const datesOf = ({
  minDate,
  maxDate,
  frequency,
  days,
}: Omit<CountedSegment, 'rows'>): Omit<SegmentFacts, 'rows' | 'bytes'> => ({
  minDate,
  maxDate,
  frequency,
  ...(days === null ? {} : { days: dayText(days) }),
});

const isYears = ({ physical }: NamedColumn): boolean => columnTypeOf(physical).numbers !== undefined;

/** SQL of the days since 1970-01-01 of a stored date, or of the first day of a year; null for a number that is not a year. */
const dayNumber = ({ name, physical }: NamedColumn): string => {
  const { days, numbers } = columnTypeOf(physical);
  if (days !== undefined) return days(name);
  if (numbers === undefined) throw new RangeError(`${name} is not a date`);
  return firstDaySql(yearSql(name));
};

/** SQL of the first and last date, as text. */
const rangeOf = (date: NamedColumn): { readonly first: string; readonly last: string } => {
  if (!isYears(date)) return { first: `toString(min(${date.name}))`, last: `toString(max(${date.name}))` };
  const year = yearSql(date.name);
  return {
    first: `concat(toString(min(${year})), '-01-01')`,
    last: `concat(toString(max(${year})), '-01-01')`,
  };
};

const hasShownDays = (date: NamedColumn): boolean => date.physical.startsWith('d') || isYears(date);

const frequencyFrom = (
  date: NamedColumn | undefined,
  { first, gap }: { readonly first: string | null; readonly gap: number | string | null },
): Frequency | null => {
  if (date !== undefined && isYears(date)) return first === null ? null : 'Annual';
  return gap === null ? null : frequencyOf(Number(gap));
};

/**
 * Counts the rows of segments, and finds the first and last date of one column.
 * @param date Column of dates or years.
 */
export const countSegments = async (
  servers: ClickHouseServers,
  place: Place,
  segments: SegmentList,
  date: NamedColumn | undefined,
): Promise<CountedSegment> => {
  const dates = date === undefined ? [] : [date];
  const { from, values } = selectRows(servers.database, place, { list: segments }, dates);
  const facts =
    date === undefined
      ? 'NULL AS first, NULL AS last, NULL AS gap, NULL AS shown'
      : `${rangeOf(date).first} AS first, ${rangeOf(date).last} AS last,
         arraySort(groupUniqArray(${dayNumber(date)})) AS days,
         if(length(days) > 1, arrayReduce('quantileExact(0.5)', arrayPopFront(arrayDifference(days))), NULL) AS gap,
         ${hasShownDays(date) ? `if(length(days) <= ${maxDays}, toString(days), NULL)` : 'NULL'} AS shown`;
  const [row] = await servers.at(insideOf(place)).rows<{
    rows: string;
    first: string | null;
    last: string | null;
    gap: number | string | null;
    shown: string | null;
  }>(
    `SELECT toString(rows) AS rows, first, last, gap, shown FROM (
       SELECT count() AS rows, ${facts} ${from})`,
    { params: values, settings: { max_threads: 2 } },
  );
  return {
    rows: Number(row?.rows ?? 0),
    minDate: row?.first ?? null,
    maxDate: row?.last ?? null,
    frequency: frequencyFrom(date, { first: row?.first ?? null, gap: row?.gap ?? null }),
    days: row?.shown == null ? null : setOfDays(JSON.parse(row.shown) as number[]),
  };
};

/** Returns the days of `among`, which must be few, that rows of segments have; undefined if dates are not stored as days. */
export const findDays = async (
  servers: ClickHouseServers,
  place: Place,
  segments: SegmentList,
  date: NamedColumn,
  among: readonly number[],
): Promise<number[] | undefined> => {
  if (columnTypeOf(date.physical).dates !== 'days') return undefined;
  const find = async (days: readonly number[], isProbe: boolean): Promise<number[]> => {
    if (days.length === 0) return [];
    // A probe of every 64th row finds most days: one row of a day is enough.
    const some = isProbe ? `${rowOrder} % 64 = 0` : undefined;
    const { from, values } = selectRows(servers.database, place, { list: segments }, [date], some);
    // Compares stored dates, so that the index of the column skips rows of other days.
    const dates = days.map((day) => `'${new Date(day * 86_400_000).toISOString().slice(0, 10)}'`);
    const isSought = `${date.name} IN (${dates.join(', ')})`;
    const rows = await servers
      .at(insideOf(place))
      .rows<{ day: number }>(
        `SELECT DISTINCT ${dayNumber(date)} AS day ${from} AND ${isProbe ? `indexHint(${isSought})` : isSought}`,
        { params: values, settings: { max_threads: 2 } },
      );
    const sought = new Set(days);
    return rows.flatMap(({ day }) => (sought.has(day) ? [day] : []));
  };
  const found = await find(among, true);
  const seen = new Set(found);
  const others = among.filter((day) => !seen.has(day));
  return [...found, ...(await find(others, false))];
};

/** Most digits that any of some numbers has before and after the point. */
export interface Digits {
  readonly integer: number;
  readonly fraction: number;
}

/**
 * Most digits that the numbers of a column use, by their shortest text.
 * @param from `FROM … WHERE …`
 */
export const digitsSql = (name: string, from: string): string => `
  WITH toString(abs(assumeNotNull(${name}))) AS text,
    splitByChar('e', text) AS parts,
    if(length(parts) > 1, toInt32(parts[2]), 0) AS exponent,
    splitByChar('.', parts[1]) AS mantissa,
    trim(LEADING '0' FROM mantissa[1]) AS whole,
    trim(TRAILING '0' FROM if(length(mantissa) > 1, mantissa[2], '')) AS rest
  SELECT max(greatest(length(whole) + exponent, 0)) AS integer,
    max(greatest(length(rest) - exponent, 0)) AS fraction
  ${from} AND ${name} IS NOT NULL`;

export const countDigits = async (
  servers: ClickHouseServers,
  place: Place,
  segments: SegmentList,
  column: NamedColumn,
): Promise<Digits> => {
  const { from, values } = selectRows(servers.database, place, { list: segments }, [column]);
  const [row] = await servers.at(insideOf(place)).rows<Digits>(digitsSql(column.name, from), {
    params: values,
    settings: { max_threads: 2 },
  });
  return { integer: Number(row?.integer ?? 0), fraction: Number(row?.fraction ?? 0) };
};

/** Reads one row of some segments with all columns, to find out whether that fails. */
export const readOneRow = async (
  servers: ClickHouseServers,
  place: Place,
  segments: SegmentList,
  columns: readonly NamedColumn[],
): Promise<void> => {
  const { from, values } = selectRows(servers.database, place, { list: segments }, columns);
  const names = columns.map(({ name }) => name).join(', ');
  await servers.at(insideOf(place)).command(`SELECT ${names} ${from} LIMIT 1 FORMAT Null`, {
    params: values,
    settings: backgroundSettings(columns.length),
  });
};

/** Questions about the rows of segments: which they are, how many, what they hold. */
import { columnTypeOf } from '../model/column-types/column-types.js';
import { type DaySet, dayText, setOfDays } from '../model/day-set.js';
import type { NamedColumn, Placement } from '../model/placement.js';
import { type Frequency, frequencyOf, type SegmentFacts, type SegmentList } from '../model/version.js';
import type {
  ClickHouseServers,
  Connection,
  QueryParams,
  QuerySettings,
} from '../storage/clickhouse/client.js';
import { firstDaySql, yearSql } from '../storage/clickhouse/year-sql.js';
import { sourceOf } from './places.js';

export interface RowCondition {
  readonly sql: string;
  readonly params: Readonly<Record<string, number | readonly number[]>>;
}

/**
 * The rows of a list of segments, as a condition that the key of the table answers. One segment is compared, which takes
 * half the time of looking each row up in a set of one.
 * @param name Start of the parameters' names, where a statement reads several lists.
 * @param guard A condition without which there are no rows.
 */
export const segmentRows = (
  { segmentIds, cuts = [] }: SegmentList,
  name = 'segments',
  guard?: string,
): RowCondition => {
  const list = `{${name}:Array(UInt64)}`;
  const guarded = (rows: string, none: string): string =>
    guard === undefined ? rows : `if(${guard}, ${rows}, ${none})`;
  return {
    sql: [
      segmentIds.length === 1 ? `_seg = ${guarded(`${list}[1]`, '0')}` : `_seg IN ${guarded(list, '[]')}`,
      ...cuts.map((_, at) => `(_seg != {${name}Cut${at}:UInt64} OR _row < {${name}Rows${at}:UInt64})`),
    ].join(' AND '),
    params: {
      [name]: segmentIds,
      ...Object.fromEntries(
        cuts.flatMap(({ segmentId, rows }, at) => [
          [`${name}Cut${at}`, segmentId],
          [`${name}Rows${at}`, rows],
        ]),
      ),
    },
  };
};

/** Facts of the rows of some segments, asked of ClickHouse itself. */
export interface CountedSegment {
  readonly rows: number;
  /** `YYYY-MM-DD`; null without a date column or without a date in it. */
  readonly minDate: string | null;
  readonly maxDate: string | null;
  /** By the median distance in days between neighbouring distinct dates; null with fewer than two. */
  readonly frequency: Frequency | null;
  /** The distinct days; null where they are too many, or not kept as dates. */
  readonly days: DaySet | null;
}

/** Distinct days that travel: more than ClickHouse's dates of a hundred years. */
const daysShown = 40_000;

/** What a version keeps of them. */
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

/** Days since 1970-01-01 of a stored date, or of the first day of a year; null for a number that is no year. */
const dayNumber = ({ name, physical }: NamedColumn): string => {
  const { days, numbers } = columnTypeOf(physical);
  if (days !== undefined) return days(name);
  if (numbers === undefined) throw new RangeError(`${name} is no date`);
  return firstDaySql(yearSql(name));
};

/** First and last date, as text. */
const rangeOf = (date: NamedColumn): { readonly first: string; readonly last: string } => {
  if (!isYears(date)) return { first: `toString(min(${date.name}))`, last: `toString(max(${date.name}))` };
  const year = yearSql(date.name);
  return {
    first: `concat(toString(min(${year})), '-01-01')`,
    last: `concat(toString(max(${year})), '-01-01')`,
  };
};

const canTravel = (date: NamedColumn): boolean => date.physical.startsWith('d') || isYears(date);

const foundFrequency = (
  date: NamedColumn | undefined,
  { first, gap }: { readonly first: string | null; readonly gap: number | string | null },
): Frequency | null => {
  if (date !== undefined && isYears(date)) return first === null ? null : 'Annual';
  return gap === null ? null : frequencyOf(Number(gap));
};

/**
 * Counts the rows of segments and looks at the dates of one column.
 * @param date Of dates, or of years.
 */
export const countSegments = async (
  servers: ClickHouseServers,
  placement: Placement,
  segments: SegmentList,
  date: NamedColumn | undefined,
): Promise<CountedSegment> => {
  const where = segmentRows(segments);
  const facts =
    date === undefined
      ? 'NULL AS first, NULL AS last, NULL AS gap, NULL AS shown'
      : `${rangeOf(date).first} AS first, ${rangeOf(date).last} AS last,
         arraySort(groupUniqArray(${dayNumber(date)})) AS days,
         if(length(days) > 1, arrayReduce('quantileExact(0.5)', arrayPopFront(arrayDifference(days))), NULL) AS gap,
         ${canTravel(date) ? `if(length(days) <= ${daysShown}, toString(days), NULL)` : 'NULL'} AS shown`;
  const [row] = await servers.at(placement).rows<{
    rows: string;
    first: string | null;
    last: string | null;
    gap: number | string | null;
    shown: string | null;
  }>(
    `SELECT toString(rows) AS rows, first, last, gap, shown FROM (
       SELECT count() AS rows, ${facts} FROM ${sourceOf(servers.database, placement, date === undefined ? [] : [date])} WHERE ${where.sql})`,
    { params: where.params, settings: { max_threads: 2 } },
  );
  return {
    rows: Number(row?.rows ?? 0),
    minDate: row?.first ?? null,
    maxDate: row?.last ?? null,
    frequency: foundFrequency(date, { first: row?.first ?? null, gap: row?.gap ?? null }),
    days: row?.shown == null ? null : setOfDays(JSON.parse(row.shown) as number[]),
  };
};

/** Most digits before and after the point among some numbers. */
export interface Digits {
  readonly integer: number;
  readonly fraction: number;
}

/**
 * Most digits in use among the numbers of a column, by their shortest text.
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
  placement: Placement,
  segments: SegmentList,
  column: NamedColumn,
): Promise<Digits> => {
  const where = segmentRows(segments);
  const from = `FROM ${sourceOf(servers.database, placement, [column])} WHERE ${where.sql}`;
  const [row] = await servers.at(placement).rows<Digits>(digitsSql(column.name, from), {
    params: where.params,
    settings: { max_threads: 2 },
  });
  return { integer: Number(row?.integer ?? 0), fraction: Number(row?.fraction ?? 0) };
};

export const gib = 1024 ** 3;

/** Cells of one block, so that thousands of columns take no more memory than a few. */
const cellsPerBlock = 1_048_576;

/** Of a statement that reads every column of many rows in the background: one thread, bounded memory, no hurry. */
export const backgroundSettings = (columns: number): QuerySettings => ({
  max_threads: 1,
  max_memory_usage: String(2 * gib),
  max_block_size: String(Math.max(1_024, Math.min(65_536, Math.floor(cellsPerBlock / (columns + 2))))),
  max_execution_time: 0,
  max_query_size: '67108864',
  max_ast_elements: '1000000',
  max_expanded_ast_elements: '2000000',
});

/** Of an insert of rows that are stored: one at a time writes, in blocks of a bounded size; none is taken for a duplicate. */
export const copySettings: QuerySettings = {
  max_insert_threads: '1',
  insert_deduplicate: 0,
  async_insert: 0,
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: String(gib / 8),
};

/** The same of the rows of many segments, which lie in as many partitions. */
export const manySegmentSettings: QuerySettings = {
  ...copySettings,
  max_threads: 1,
  max_partitions_per_insert_block: '0',
  max_memory_usage: String(2 * gib),
  max_execution_time: 0,
  max_query_size: '67108864',
};

/** Reads one row of some segments in all of its columns; the values are not looked at. */
export const readOneRow = async (
  servers: ClickHouseServers,
  placement: Placement,
  segments: SegmentList,
  columns: readonly NamedColumn[],
): Promise<void> => {
  const where = segmentRows(segments);
  const names = columns.map(({ name }) => name).join(', ');
  await servers
    .at(placement)
    .command(
      `SELECT ${names} FROM ${sourceOf(servers.database, placement, columns)} WHERE ${where.sql} LIMIT 1 FORMAT Null`,
      { params: where.params, settings: backgroundSettings(columns.length) },
    );
};

/** What tells whether two sets of rows are the same, each row in the same place. */
export interface SegmentFingerprint {
  readonly rows: number;
  /** Sum of the hashes of all rows, position included. */
  readonly hash: string;
}

export interface FingerprintedRows {
  /** Sets of rows, each `FROM … WHERE …` with the SQL of a row's position and of its values; others are not looked at. */
  readonly parts: readonly {
    readonly from: string;
    readonly position: string;
    readonly values: readonly string[];
  }[];
  readonly params: QueryParams;
  /** Beside those of work in the background. */
  readonly settings?: QuerySettings;
}

export const fingerprintRows = async (
  clickhouse: Connection,
  { parts, params, settings = {} }: FingerprintedRows,
  signal?: AbortSignal,
): Promise<SegmentFingerprint> => {
  // Within a tuple null, zero and an empty text have hashes of their own.
  const hashes = parts.map(
    ({ from, position, values }) =>
      `SELECT sipHash64(tuple(${[position, ...values].join(', ')})) AS h ${from}`,
  );
  const [row] = await clickhouse.rows<{ rows: string; hash: string }>(
    `SELECT toString(count()) AS rows, toString(sum(h)) AS hash FROM (${hashes.join(' UNION ALL ')})`,
    {
      params,
      settings: { ...backgroundSettings(parts[0]?.values.length ?? 0), ...settings },
      ...(signal === undefined ? {} : { signal }),
    },
  );
  return { rows: Number(row?.rows ?? 0), hash: row?.hash ?? '0' };
};

/** The rows of one segment. */
export const fingerprintSegment = (
  servers: ClickHouseServers,
  placement: Placement,
  segmentId: number,
  columns: readonly NamedColumn[],
  signal?: AbortSignal,
): Promise<SegmentFingerprint> =>
  fingerprintRows(
    servers.at(placement),
    {
      parts: [
        {
          from: `FROM ${sourceOf(servers.database, placement, columns)} WHERE _seg = {segment:UInt64}`,
          position: '_row',
          values: columns.map(({ name }) => name),
        },
      ],
      params: { segment: segmentId },
    },
    signal,
  );

/** @throws Error when a copy is not what it was made of. */
export const requireEqualRows = (
  before: SegmentFingerprint,
  after: SegmentFingerprint,
  rows: number,
): void => {
  if (before.hash === after.hash && before.rows === rows && after.rows === rows) return;
  throw new Error(
    `a copy differs from what it was made of: ${after.rows} rows of ${before.rows}, ${rows} expected, hash ${after.hash} of ${before.hash}`,
  );
};

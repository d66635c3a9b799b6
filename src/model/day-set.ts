/**
 * A set of days, such as the dates in a column, from which the range and frequency of a dataset are calculated without the rows. A daily
 * series of a hundred years needs 4.6 kB.
 */
import { frequencyOf, type SegmentFacts } from './version.js';
import { firstDayOf, isYear } from './years.js';

export interface DaySet {
  /** Days since 1970-01-01 of the lowest bit; a multiple of 8. */
  readonly first: number;
  /** One bit per day, the lowest of each byte first. */
  readonly bits: Uint8Array;
}

const noDays: DaySet = { first: 0, bits: new Uint8Array(0) };

const floor8 = (day: number): number => Math.floor(day / 8) * 8;

/** An empty set for the days between two. */
const roomFor = (least: number, most: number): DaySet => {
  const first = floor8(least);
  return { first, bits: new Uint8Array((floor8(most) - first) / 8 + 1) };
};

/**
 * @param days Days since 1970-01-01.
 * @param nulls 1 for a null.
 */
export const daySetOf = (days: Int32Array, nulls: Uint8Array, rows: number): DaySet => {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < rows; row++) {
    if (nulls[row] === 1) continue;
    const day = days[row]!;
    if (day < least) least = day;
    if (day > most) most = day;
  }
  if (least > most) return noDays;
  const { first, bits } = roomFor(least, most);
  for (let row = 0; row < rows; row++) {
    if (nulls[row] === 1) continue;
    const at = days[row]! - first;
    bits[at >> 3]! |= 1 << (at & 7);
  }
  return { first, bits };
};

/** First days of the years in a column of numbers; other numbers are ignored. */
export const yearSetOf = (values: Float64Array, nulls: Uint8Array, rows: number): DaySet => {
  const years = new Set<number>();
  for (let row = 0; row < rows; row++) if (nulls[row] !== 1 && isYear(values[row]!)) years.add(values[row]!);
  return setOfDays([...years].map(firstDayOf));
};

/** The set of some days. */
export const setOfDays = (days: readonly number[]): DaySet =>
  daySetOf(Int32Array.from(days), new Uint8Array(days.length), days.length);

/** The days of a set in ascending order, as days since 1970-01-01. */
export const daysOf = ({ first, bits }: DaySet): number[] => {
  const days: number[] = [];
  for (let byte = 0; byte < bits.length; byte++)
    for (let bit = 0, rest = bits[byte]!; rest !== 0; bit++, rest >>= 1)
      if ((rest & 1) === 1) days.push(first + byte * 8 + bit);
  return days;
};

export const joinDays = (a: DaySet, b: DaySet): DaySet => {
  if (a.bits.length === 0) return b;
  if (b.bits.length === 0) return a;
  const joined = roomFor(
    Math.min(a.first, b.first),
    Math.max(a.first + a.bits.length * 8, b.first + b.bits.length * 8) - 1,
  );
  for (const { first, bits } of [a, b]) {
    const at = (first - joined.first) / 8;
    for (let byte = 0; byte < bits.length; byte++) joined.bits[at + byte]! |= bits[byte]!;
  }
  return joined;
};

/** The first day and its base as text, for PostgreSQL and JSON. */
export const dayText = ({ first, bits }: DaySet): string =>
  `${first}:${Buffer.from(bits).toString('base64')}`;

export const parseDays = (text: string): DaySet => {
  const at = text.indexOf(':');
  return { first: Number(text.slice(0, at)), bits: Buffer.from(text.slice(at + 1), 'base64') };
};

const dateText = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);

/** The result of ClickHouse's `quantileExact(0.5)`, calculated from the count of each value. */
const medianOf = (counts: ReadonlyMap<number, number>, total: number): number => {
  let left = Math.floor(total / 2);
  for (const [value, count] of [...counts].sort(([a], [b]) => a - b)) {
    if (left < count) return value;
    left -= count;
  }
  throw new RangeError('no values');
};

/** Range and frequency of some dates. */
export type DateFacts = Pick<SegmentFacts, 'minDate' | 'maxDate' | 'frequency'>;

/**
 * Facts about rows with these dates, equal to those of `countSegments`.
 * @param areYears True: the days are first days of years, whose frequency is annual whatever gaps there are.
 */
export const dateFactsOf = (days: DaySet, areYears: boolean): DateFacts => {
  const gaps = new Map<number, number>();
  let least: number | undefined;
  let last: number | undefined;
  let distances = 0;
  for (const day of daysOf(days)) {
    if (last !== undefined) {
      gaps.set(day - last, (gaps.get(day - last) ?? 0) + 1);
      distances += 1;
    }
    least ??= day;
    last = day;
  }
  if (least === undefined || last === undefined) return { minDate: null, maxDate: null, frequency: null };
  const ofDays = distances === 0 ? null : frequencyOf(medianOf(gaps, distances));
  return {
    minDate: dateText(least),
    maxDate: dateText(last),
    frequency: areYears ? 'Annual' : ofDays,
  };
};

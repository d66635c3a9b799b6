/** SQL of stored dates and their parts. */
import type { PhysicalType } from '../../model/column.js';
import type { DateStorage } from '../../model/column-types/column-type.js';
import { dateStorageOf } from '../../model/column-types/column-types.js';
import { firstDate32, lastDate32 } from '../../model/column-types/date.js';
import type { DatePart, PeriodStart, StoredDate } from './typed.js';

export interface DateSql {
  readonly sql: string;
  readonly physical: PhysicalType;
}

interface FormSql {
  /** ClickHouse type of a parameter for comparisons. */
  readonly parameter: 'Date32' | 'String';
  /** First and last date of the type. */
  readonly first: string;
  readonly last: string;
  /** Converts an array of texts to the right side of IN. */
  readonly list: (texts: string) => string;
  /** Converts a date to text, YYYY-MM-DD. */
  readonly text: (sql: string) => string;
  readonly starts: Readonly<Record<PeriodStart, (sql: string) => string>>;
  readonly parts: Readonly<Record<DatePart, (sql: string) => string>>;
}

/** The only column a date depends on. */
const columnOf = (node: StoredDate): Extract<StoredDate, { kind: 'column' }> =>
  node.kind === 'column' ? node : columnOf(node.operand);

export const isNullDate = (node: StoredDate): string => `isNull(${columnOf(node).column.sql})`;

/** The same day in a 400-year cycle that Date32 covers: weeks repeat every 400 years. */
const shifted = (text: string): string =>
  `toDate32OrNull(concat(toString(1900 + positiveModulo(toInt32OrNull(substring(${text}, 1, 4)) - 1900, 400)), substring(${text}, 5)))`;

const monday = (date: string): string => `(${date} - (toDayOfWeek(${date}) - 1))`;

/** Shifts the Monday back by the years of its day, since it may be in the year before. */
const textMonday = (text: string): string => {
  const start = `toString(${monday(shifted(text))})`;
  const years = `(toInt32OrNull(substring(${text}, 1, 4)) - toInt32(toYear(${shifted(text)})))`;
  return `concat(leftPad(toString(toInt32OrNull(substring(${start}, 1, 4)) + ${years}), 4, '0'), substring(${start}, 5))`;
};

/** toStartOfYear and the like return the narrower Date, and toDayOfYear is wrong for 2299-12-31. */
const dateStarts: Readonly<Record<PeriodStart, (sql: string) => string>> = {
  startofyear: (sql) => `makeDate32(toYear(${sql}), 1, 1)`,
  startofquarter: (sql) => `makeDate32(toYear(${sql}), toQuarter(${sql}) * 3 - 2, 1)`,
  startofmonth: (sql) => `(${sql} - (toDayOfMonth(${sql}) - 1))`,
  startofweek: monday,
};

const quarterOfText = (sql: string): string => `intDiv(toInt32OrNull(substring(${sql}, 6, 2)) + 2, 3)`;

const textStarts: Readonly<Record<PeriodStart, (sql: string) => string>> = {
  startofyear: (sql) => `concat(substring(${sql}, 1, 4), '-01-01')`,
  startofquarter: (sql) =>
    `concat(substring(${sql}, 1, 5), leftPad(toString(${quarterOfText(sql)} * 3 - 2), 2, '0'), '-01')`,
  startofmonth: (sql) => `concat(substring(${sql}, 1, 7), '-01')`,
  startofweek: textMonday,
};

const dateParts: Readonly<Record<DatePart, (sql: string) => string>> = {
  year: (sql) => `toYear(${sql})`,
  quarter: (sql) => `toQuarter(${sql})`,
  month: (sql) => `toMonth(${sql})`,
  week: (sql) => `toISOWeek(${sql})`,
  day: (sql) => `toDayOfMonth(${sql})`,
};

const textParts: Readonly<Record<DatePart, (sql: string) => string>> = {
  year: (sql) => `toInt64OrNull(substring(${sql}, 1, 4))`,
  quarter: quarterOfText,
  month: (sql) => `toInt64OrNull(substring(${sql}, 6, 2))`,
  week: (sql) => `toISOWeek(${shifted(sql)})`,
  day: (sql) => `toInt64OrNull(substring(${sql}, 9, 2))`,
};

const forms: Readonly<Record<DateStorage, FormSql>> = {
  days: {
    parameter: 'Date32',
    first: firstDate32,
    last: lastDate32,
    list: (texts) => `CAST(${texts}, 'Array(Date32)')`,
    text: (sql) => `toString(${sql})`,
    starts: dateStarts,
    parts: dateParts,
  },
  texts: {
    parameter: 'String',
    first: '0000-01-01',
    last: '9999-12-31',
    list: (texts) => texts,
    text: (sql) => sql,
    starts: textStarts,
    parts: textParts,
  },
};

export const formSql = (physical: PhysicalType): FormSql => forms[dateStorageOf(physical)];

export const dateSql = (node: StoredDate): DateSql => {
  if (node.kind === 'column') {
    return { sql: node.column.sql, physical: node.column.physical };
  }
  const { sql, physical } = dateSql(node.operand);
  // The operand is needed several times. A lambda keeps nested SQL from growing exponentially.
  const start = formSql(physical).starts[node.kind];
  const operand = node.operand.kind === 'column' ? sql : undefined;
  return {
    sql: operand === undefined ? `arrayMap(x -> ${start('x')}, [${sql}])[1]` : start(operand),
    physical,
  };
};

export const datePartSql = (part: DatePart, node: StoredDate): string => {
  const { sql, physical } = dateSql(node);
  return formSql(physical).parts[part](sql);
};

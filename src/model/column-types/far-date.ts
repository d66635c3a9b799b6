import { asItIs, type ColumnType, quotedText } from './column-type.js';

/** Day number in the proleptic Gregorian calendar, for years outside of ClickHouse's date types. */
const dayNumber = (sql: string): string => {
  const year = `toUInt16(substring(${sql}, 1, 4))`;
  const isLeap = `${year} % 4 = 0 AND (${year} % 100 != 0 OR ${year} % 400 = 0)`;
  return `if(${sql} IS NULL, NULL, toInt32(${year} * 365
        + intDiv(${year} - 1, 4) - intDiv(${year} - 1, 100) + intDiv(${year} - 1, 400)
        + toDayOfYear(toDate32(concat(if(${isLeap}, '2000', '2001'), substring(${sql}, 5))))))`;
};

/** Dates of a column that has some outside of Date32, as `YYYY-MM-DD`: texts of equal length, which sort like dates. */
export const farDate: ColumnType<'t'> = {
  letter: 't',
  dataType: 'Date',
  compares: 'date',
  isEntity: true,
  storage: () => 'String',
  plain: { kind: () => 's', reinterpreted: false },
  text: asItIs,
  canonicalText: asItIs,
  widened: (sql, from) => from.text(sql),
  key: asItIs,
  dates: 'texts',
  numbers: undefined,
  measure: undefined,
  days: dayNumber,
  json: quotedText,
  delimited: 'quoted',
  sheet: 'dayText',
  encoder: 'dayTexts',
};

import { asItIs, type ColumnType, noWay, quotedText } from './column-type.js';

/** First and last day of a Date32. */
export const firstDate32 = '1900-01-01';
export const lastDate32 = '2299-12-31';

/** Days from 1900-01-01 to 2299-12-31. */
export const date: ColumnType<'d'> = {
  letter: 'd',
  dataType: 'Date',
  compares: 'date',
  isEntity: true,
  storage: () => 'Date32',
  plain: { kind: () => 'd', reinterpreted: false },
  text: (sql) => `toString(${sql})`,
  canonicalText: (sql) => `toString(${sql})`,
  widened: noWay,
  key: asItIs,
  dates: 'days',
  numbers: undefined,
  measure: (sql) => `toFloat64(toInt32(${sql}))`,
  days: (sql) => `toInt32(${sql})`,
  json: quotedText,
  delimited: 'quoted',
  sheet: 'day',
  encoder: 'days',
};

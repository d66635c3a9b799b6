import { asItIs, type ColumnType, noWay, quotedText } from './column-type.js';

/** Days from 1900-01-01 to 2299-12-31. */
export const date: ColumnType<'d'> = {
  letter: 'd',
  dataType: 'Date',
  compares: 'date',
  storage: () => 'Date32',
  pool: { slot: () => 'd', reinterpreted: false },
  text: (sql) => `toString(${sql})`,
  widened: noWay,
  key: asItIs,
  measure: (sql) => `toFloat64(toInt32(${sql}))`,
  days: (sql) => `toInt32(${sql})`,
  json: quotedText,
  delimited: 'quoted',
  sheet: 'day',
  encoder: 'days',
};

import { type ColumnType, noWay, numberJson } from './column-type.js';

/** Numbers whose text is recovered from a double, digit for digit. */
export const double: ColumnType<'f'> = {
  letter: 'f',
  dataType: 'Decimal',
  compares: 'number',
  isEntity: false,
  storage: () => 'Float64',
  pool: { slot: () => 'f', reinterpreted: false },
  text: (sql) => `toString(${sql})`,
  widened: noWay,
  // 0 and -0 are the same number with different bits.
  key: (sql) => `(${sql} + 0)`,
  dates: undefined,
  numbers: 'doubles',
  measure: (sql) => `toFloat64(${sql})`,
  days: undefined,
  json: numberJson,
  delimited: 'bare',
  sheet: 'number',
  encoder: 'doubles',
};

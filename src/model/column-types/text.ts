import { asItIs, type ColumnType } from './column-type.js';

/** Texts; also numbers beyond 76 digits. */
export const text: ColumnType<'s'> = {
  letter: 's',
  dataType: 'String',
  compares: 'text',
  storage: () => 'String',
  pool: { slot: () => 's', reinterpreted: false },
  text: asItIs,
  widened: (sql, from) => from.text(sql),
  key: asItIs,
  measure: undefined,
  days: undefined,
  json: (sql) => `toJSONString(${sql})`,
  delimited: 'escaped',
  sheet: 'text',
  encoder: 'texts',
};

import { asItIs, type ColumnType } from './column-type.js';

/** Texts; also numbers beyond 76 digits. */
export const text: ColumnType<'s'> = {
  letter: 's',
  dataType: 'String',
  compares: 'text',
  isEntity: true,
  storage: () => 'String',
  plain: { kind: () => 's', reinterpreted: false },
  text: asItIs,
  canonicalText: asItIs,
  widened: (sql, from) => from.text(sql),
  key: asItIs,
  dates: undefined,
  numbers: undefined,
  measure: undefined,
  days: undefined,
  json: (sql) => `toJSONString(${sql})`,
  delimited: 'escaped',
  sheet: 'text',
  encoder: 'texts',
};

import { type ColumnType, noWay, numberJson } from './column-type.js';

/** Numbers outside of this range have an exponent in their text: no decimal has all of their digits. */
const range = { least: '1e-50', most: '1e76' } as const;

/** Digits without sign, point, exponent and outer zeros. */
const significant = (text: string): string =>
  text
    .replace(/e.*$/i, '')
    .replace(/[-+.]/g, '')
    .replace(/^0+|0+$/g, '');

/** True if a double has all digits of a number that is written like this. */
export const isExactDouble = (text: string): boolean =>
  Number.isFinite(Number(text)) && significant(String(Number(text))) === significant(text);

/** Without the sign of zero, and without an exponent if a decimal can represent the number. */
const canonicalText = (sql: string): string => {
  const text = `toString(${sql} + 0)`;
  const whole = `toString(toDecimal256OrNull(${text}, 0))`;
  const fraction = `toString(toDecimal256OrNull(${text}, 76))`;
  const isOutside = `abs(${sql}) < ${range.least} OR abs(${sql}) >= ${range.most}`;
  return `multiIf(position(${text}, 'e') = 0 OR ${isOutside}, ${text}, abs(${sql}) >= 1, ${whole}, ${fraction})`;
};

/** Numbers whose text can be restored from a double digit for digit. */
export const double: ColumnType<'f'> = {
  letter: 'f',
  dataType: 'Decimal',
  compares: 'number',
  isEntity: false,
  storage: () => 'Float64',
  plain: { kind: () => 'f', reinterpreted: false },
  text: (sql) => `toString(${sql})`,
  canonicalText,
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

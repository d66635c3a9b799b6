import type { PhysicalType } from '../column.js';
import { asItIs, type ColumnType, numberJson } from './column-type.js';

interface DecimalShape {
  readonly precision: 38 | 76;
  readonly scale: number;
}

/** Precision and scale of an exact decimal type, or undefined for every other type. */
export const decimalShapeOf = (physical: PhysicalType): DecimalShape | undefined => {
  const match = /^n(38|76)_(\d+)$/.exec(physical);
  return match ? { precision: Number(match[1]) as 38 | 76, scale: Number(match[2]) } : undefined;
};

/** Maximum digits of a decimal, before and after the point together. */
export const maxDigits = 76;
/** Maximum digits of a decimal in 16 bytes. */
const maxShortDigits = 38;

/** The type for the given digits before and after the point; undefined: too many for a decimal. */
export const decimalOf = (integer: number, fraction: number): PhysicalType | undefined => {
  if (integer + fraction > maxDigits) return undefined;
  return `n${integer + fraction > maxShortDigits ? maxDigits : maxShortDigits}_${fraction}`;
};

/** @throws RangeError for another type. */
export const requireDecimalShape = (physical: PhysicalType): DecimalShape => {
  const shape = decimalShapeOf(physical);
  if (shape === undefined) throw new RangeError(`${physical} is no decimal type`);
  return shape;
};

const storage = (physical: PhysicalType): string => {
  const { precision, scale } = requireDecimalShape(physical);
  return `Decimal(${precision}, ${scale})`;
};

/** Exact numbers of up to 38 or 76 digits, with a fixed number of digits after the point. */
export const decimal: ColumnType<'n'> = {
  letter: 'n',
  dataType: 'Decimal',
  compares: 'number',
  isEntity: false,
  storage,
  // The digits without the point.
  plain: {
    kind: (physical) => (requireDecimalShape(physical).precision === 38 ? 'i' : 'h'),
    reinterpreted: true,
  },
  text: (sql) => `toString(${sql})`,
  canonicalText: (sql) => `toString(${sql})`,
  // By its shortest text, which has the digits of the double's value.
  widened: (sql, from, physical) =>
    `CAST(${from.numbers === 'doubles' ? from.text(sql) : sql}, 'Nullable(${storage(physical)})')`,
  key: asItIs,
  dates: undefined,
  numbers: 'decimals',
  measure: (sql) => `toFloat64(${sql})`,
  days: undefined,
  json: numberJson,
  delimited: 'bare',
  sheet: 'exactNumber',
  encoder: 'decimals',
};

import { decimalShapeOf } from '../../model/column.js';
import { type CompiledRules, compileRules } from './column-rules.js';
import type { EncodeColumn, EncodePhysical } from './types.js';

/**
 * The growing data of one column of a block, laid out as ClickHouse wants it: a byte per row that says null,
 * then the values. Which of the value arrays is used depends on the type. One shape for all columns keeps the
 * loops that fill them fast. Bytes are little-endian, as every platform that Node and ClickHouse run on.
 */
export interface ColumnBuffer {
  readonly physical: EncodePhysical;
  /** Type in ClickHouse's notation. */
  readonly type: string;
  readonly field: number;
  readonly fixed: boolean;
  readonly rules: CompiledRules;
  readonly scale: number;
  readonly precision: number;
  /** 32-bit words of a decimal. */
  readonly limbs: number;
  nulls: Uint8Array;
  days: Int32Array;
  doubles: Float64Array;
  words: Uint32Array;
  /** Values with their lengths in front; `textBytes` of it are in use. */
  text: Uint8Array;
  /** The memory of `text`, for writes of whole words. */
  textView: DataView;
  textBytes: number;
}

const noDays = new Int32Array(0);
const noDoubles = new Float64Array(0);
const noWords = new Uint32Array(0);
const noBytes = new Uint8Array(0);

const nativeType = (physical: EncodePhysical): string => {
  if (physical === 'd') return 'Nullable(Date32)';
  if (physical === 'f') return 'Nullable(Float64)';
  if (physical === 's' || physical === 't' || physical === 'u' || physical === 'skip')
    return 'Nullable(String)';
  const shape = decimalShapeOf(physical);
  if (shape === undefined) throw new TypeError(`No such physical type: ${physical}`);
  return `Nullable(Decimal(${shape.precision}, ${shape.scale}))`;
};

export const createColumnBuffer = (column: EncodeColumn): ColumnBuffer => {
  const { physical } = column;
  const shape = physical === 'u' || physical === 'skip' ? undefined : decimalShapeOf(physical);
  return {
    physical,
    type: nativeType(physical),
    field: column.sourceIndex,
    fixed: column.fixed === true,
    rules: compileRules(column.rules),
    scale: shape?.scale ?? 0,
    precision: shape?.precision ?? 0,
    limbs: shape?.precision === 76 ? 8 : 4,
    nulls: noBytes,
    days: noDays,
    doubles: noDoubles,
    words: noWords,
    text: noBytes,
    textView: new DataView(noBytes.buffer),
    textBytes: 0,
  };
};

const isTextual = (physical: EncodePhysical): boolean =>
  physical === 's' || physical === 't' || physical === 'u';

/** Chunks differ a little in their rows: room to spare, so that the next one need not allocate again. */
export const withHeadroom = (rows: number): number => rows + (rows >> 3);

/** Empties the column and makes room for `rows` values; text grows as it comes. */
export const resetColumn = (column: ColumnBuffer, rows: number): void => {
  column.textBytes = 0;
  const room = withHeadroom(rows);
  if (column.nulls.length < rows) column.nulls = new Uint8Array(room);
  if (isTextual(column.physical)) return;
  if (column.physical === 'd') {
    if (column.days.length < rows) column.days = new Int32Array(room);
  } else if (column.physical === 'f') {
    if (column.doubles.length < rows) column.doubles = new Float64Array(room);
  } else if (column.words.length < rows * column.limbs) {
    column.words = new Uint32Array(room * column.limbs);
  }
};

/** Makes room for `more` bytes of text and returns the array to write to. */
export const growText = (column: ColumnBuffer, used: number, more: number): Uint8Array => {
  const grown = new Uint8Array(Math.max(1_024, (used + more) * 2));
  grown.set(column.text.subarray(0, used));
  column.text = grown;
  column.textView = new DataView(grown.buffer);
  return grown;
};

const bytesOf = (array: Int32Array | Float64Array | Uint32Array, length: number): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, length * array.BYTES_PER_ELEMENT);

/** The values of the first `rows` rows as bytes, without the nulls. */
export const valueBytes = (column: ColumnBuffer, rows: number): Uint8Array => {
  if (isTextual(column.physical)) return column.text.subarray(0, column.textBytes);
  if (column.physical === 'd') return bytesOf(column.days, rows);
  if (column.physical === 'f') return bytesOf(column.doubles, rows);
  return bytesOf(column.words, rows * column.limbs);
};

import type { ColumnType } from '../model/column-types/column-type.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import { decimalShapeOf } from '../model/column-types/decimal.js';
import { type CompiledRules, compileRules } from './column-rules.js';
import type { FieldIndex } from './field-index.js';
import type { EncodeColumn, EncodePhysical } from './types.js';

/**
 * Data of one column of a block in ClickHouse's layout: a null flag per row, then the values. The type decides which value array is used. All
 * columns have the same object shape, which keeps the loops that fill them fast. Numbers are little-endian, as on every platform that
 * Node.js and ClickHouse support.
 */
export interface ColumnBuffer {
  readonly physical: EncodePhysical;
  readonly encoder: Encoder;
  /** Type in ClickHouse's notation. */
  readonly type: string;
  readonly field: number;
  readonly fixed: boolean;
  readonly years: boolean;
  readonly rules: CompiledRules;
  readonly scale: number;
  readonly precision: number;
  /** 32-bit words of a decimal. */
  readonly limbs: number;
  nulls: Uint8Array;
  days: Int32Array;
  doubles: Float64Array;
  words: Uint32Array;
  /** Values, each after its length; the first `textBytes` bytes are in use. */
  text: Uint8Array;
  textBytes: number;
}

/**
 * Writes rows `from` to `to` of the index to the column, starting at slot `at`.
 * @returns the first row that does not fit, or -1. Rows before it are written.
 */
export type ColumnLoop = (
  column: ColumnBuffer,
  bytes: Uint8Array,
  index: FieldIndex,
  from: number,
  to: number,
  at: number,
) => number;

const noDays = new Int32Array(0);
const noDoubles = new Float64Array(0);
const noWords = new Uint32Array(0);
const noBytes = new Uint8Array(0);

type Encoder = ColumnType['encoder'];

export const createColumnBuffer = (column: EncodeColumn): ColumnBuffer => {
  const { physical } = column;
  // A column without a type yet is encoded as text; its loop accepts only markers.
  const encodedType = physical === 'u' || physical === 'skip' ? 's' : physical;
  const { encoder, storage } = columnTypeOf(encodedType);
  const shape = decimalShapeOf(encodedType);
  return {
    physical,
    encoder,
    type: `Nullable(${storage(encodedType)})`,
    field: column.sourceIndex,
    fixed: column.fixed === true,
    years: column.years === true && encoder === 'doubles',
    rules: compileRules(column.rules),
    scale: shape?.scale ?? 0,
    precision: shape?.precision ?? 0,
    limbs: shape?.precision === 76 ? 8 : 4,
    nulls: noBytes,
    days: noDays,
    doubles: noDoubles,
    words: noWords,
    text: noBytes,
    textBytes: 0,
  };
};

/** Rows to allocate: an eighth more, since the next chunk may have a few more rows. */
export const withHeadroom = (rows: number): number => rows + (rows >> 3);

const bytesOf = (array: Int32Array | Float64Array | Uint32Array, length: number): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, length * array.BYTES_PER_ELEMENT);

/** The array that an encoder fills. */
interface Values {
  /** Makes room for `rows` values. */
  reserve(column: ColumnBuffer, rows: number): void;
  bytes(column: ColumnBuffer, rows: number): Uint8Array;
}

/** The loops grow the array themselves. */
const texts: Values = {
  reserve: () => undefined,
  bytes: (column) => column.text.subarray(0, column.textBytes),
};

const values: Readonly<Record<Encoder, Values>> = {
  days: {
    reserve(column, rows) {
      if (column.days.length < rows) column.days = new Int32Array(withHeadroom(rows));
    },
    bytes: ({ days }, rows) => bytesOf(days, rows),
  },
  doubles: {
    reserve(column, rows) {
      if (column.doubles.length < rows) column.doubles = new Float64Array(withHeadroom(rows));
    },
    bytes: ({ doubles }, rows) => bytesOf(doubles, rows),
  },
  decimals: {
    reserve(column, rows) {
      const { limbs, words } = column;
      if (words.length < rows * limbs) column.words = new Uint32Array(withHeadroom(rows) * limbs);
    },
    bytes: ({ words, limbs }, rows) => bytesOf(words, rows * limbs),
  },
  dayTexts: texts,
  texts,
};

/** Clears the column and makes room for `rows` values. */
export const resetColumn = (column: ColumnBuffer, rows: number): void => {
  column.textBytes = 0;
  if (column.nulls.length < rows) column.nulls = new Uint8Array(withHeadroom(rows));
  values[column.encoder].reserve(column, rows);
};

/** Makes room for `more` bytes of text and returns the array to write to. */
export const growText = (column: ColumnBuffer, used: number, more: number): Uint8Array => {
  const grown = new Uint8Array(Math.max(1_024, (used + more) * 2));
  grown.set(column.text.subarray(0, used));
  column.text = grown;
  return grown;
};

/** Bytes of the values of the first `rows` rows, without the null flags. */
export const valueBytes = (column: ColumnBuffer, rows: number): Uint8Array =>
  values[column.encoder].bytes(column, rows);

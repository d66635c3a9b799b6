import type { ColumnType } from '../model/column-types/column-type.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import { decimalShapeOf } from '../model/column-types/decimal.js';
import { type CompiledRules, compileRules } from './column-rules.js';
import type { EncodeColumn, EncodePhysical } from './types.js';

/**
 * The growing data of one column of a block, laid out as ClickHouse wants it: a byte per row that says null,
 * then the values. Which of the value arrays is used depends on the type. One shape for all columns keeps the
 * loops that fill them fast. Bytes are little-endian, as every platform that Node and ClickHouse run on.
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
  /** Values with their lengths in front; `textBytes` of it are in use. */
  text: Uint8Array;
  textBytes: number;
}

const noDays = new Int32Array(0);
const noDoubles = new Float64Array(0);
const noWords = new Uint32Array(0);
const noBytes = new Uint8Array(0);

type Encoder = ColumnType['encoder'];

/** Nothing but markers is read as text, and checked. */
const typeOf = (physical: EncodePhysical): { encoder: Encoder; native: string } => {
  const settled = physical === 'u' || physical === 'skip' ? 's' : physical;
  const { encoder, storage } = columnTypeOf(settled);
  return { encoder, native: `Nullable(${storage(settled)})` };
};

export const createColumnBuffer = (column: EncodeColumn): ColumnBuffer => {
  const { physical } = column;
  const shape = physical === 'u' || physical === 'skip' ? undefined : decimalShapeOf(physical);
  const { encoder, native } = typeOf(physical);
  return {
    physical,
    encoder,
    type: native,
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

/** Chunks differ a little in their rows: room to spare, so that the next one need not allocate again. */
export const withHeadroom = (rows: number): number => rows + (rows >> 3);

const bytesOf = (array: Int32Array | Float64Array | Uint32Array, length: number): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, length * array.BYTES_PER_ELEMENT);

/** Which of the arrays an encoder fills. */
interface Values {
  /** Makes room for `rows` values. */
  reserve(column: ColumnBuffer, rows: number): void;
  bytes(column: ColumnBuffer, rows: number): Uint8Array;
}

/** Text grows as it comes. */
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

/** Empties the column and makes room for `rows` values. */
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

/** The values of the first `rows` rows as bytes, without the nulls. */
export const valueBytes = (column: ColumnBuffer, rows: number): Uint8Array =>
  values[column.encoder].bytes(column, rows);

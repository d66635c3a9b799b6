/** Loops over one column of a block that encode plain values in the kernel and other values in JavaScript. */
import { type ColumnBuffer, type ColumnLoop, growText } from './column-buffer.js';
import { maxDate32Day, minDate32Day } from './date-text.js';
import { addresses, kernel, kernelMemory } from './kernel.js';
import {
  encodeDecimals as decimalsInJavaScript,
  encodeDoubles as doublesInJavaScript,
} from './number-columns.js';
import { encodeDays as daysInJavaScript, encodeTexts as textsInJavaScript } from './text-columns.js';

/** Encodes plain values, from row `from` to slot `at` of the column. @returns the first row that is not plain, or `to` */
type PlainLoop = (column: ColumnBuffer, fieldCount: number, from: number, to: number, at: number) => number;

/** Other values in a block after which JavaScript encodes all remaining rows. */
const maxOthers = 64;

const { text, starts, ends, nulls, values, powers } = addresses;

/** Arguments of every encoder of the kernel. */
const kernelArguments = (
  column: ColumnBuffer,
  fieldCount: number,
  from: number,
  to: number,
): readonly number[] => [text, starts, ends, fieldCount, column.field, from, to, nulls, values];

const plainTexts: PlainLoop = (column, fieldCount, from, to) => {
  const stop = kernel.encodeTexts(...kernelArguments(column, fieldCount, from, to));
  const bytes = kernel.written();
  if (column.textBytes + bytes > column.text.length) growText(column, column.textBytes, bytes);
  column.text.set(kernelMemory.texts.subarray(0, bytes), column.textBytes);
  column.textBytes += bytes;
  return stop;
};

const plainDoubles: PlainLoop = (column, fieldCount, from, to, at) => {
  const stop = kernel.encodeDoubles(...kernelArguments(column, fieldCount, from, to), powers);
  column.doubles.set(kernelMemory.doubles.subarray(from, stop), at);
  return stop;
};

const plainDecimals: PlainLoop = (column, fieldCount, from, to, at) => {
  const { scale, limbs } = column;
  const stop = kernel.encodeDecimals(...kernelArguments(column, fieldCount, from, to), scale, limbs);
  column.words.set(kernelMemory.words.subarray(from * limbs, stop * limbs), at * limbs);
  return stop;
};

const plainDays: PlainLoop = (column, fieldCount, from, to, at) => {
  const days = kernelArguments(column, fieldCount, from, to);
  const stop = kernel.encodeDays(...days, minDate32Day, maxDate32Day);
  column.days.set(kernelMemory.days.subarray(from, stop), at);
  return stop;
};

const withKernel =
  (plain: PlainLoop, loop: ColumnLoop): ColumnLoop =>
  (column, bytes, index, from, to, at) => {
    const { plain: isPlain, isNullText } = column.rules;
    let row = from;
    if (index.inKernel && isPlain && isNullText === undefined && column.physical !== 'u') {
      for (let others = 0; others < maxOthers; others++) {
        const stop = plain(column, index.fieldCount, row, to, at + row - from);
        column.nulls.set(kernelMemory.nulls.subarray(row, stop), at + row - from);
        row = stop;
        if (row === to) return -1;
        if (loop(column, bytes, index, row, row + 1, at + row - from) >= 0) return row;
        if (++row === to) return -1;
      }
    }
    return loop(column, bytes, index, row, to, at + row - from);
  };

export const encodeTexts = withKernel(plainTexts, textsInJavaScript);
export const encodeDoubles = withKernel(plainDoubles, doublesInJavaScript);
export const encodeDecimals = withKernel(plainDecimals, decimalsInJavaScript);
export const encodeDays = withKernel(plainDays, daysInJavaScript);

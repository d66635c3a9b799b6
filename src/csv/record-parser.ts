import { CR, LF } from './bytes.js';
import type { FieldIndex } from './field-index.js';
import { addresses, blockRows, kernel, kernelMemory, windowBytes } from './kernel.js';
import { afterLineEnd, indexRecord } from './record-slow-path.js';

/** Fewest bytes to copy to the kernel for a block. */
const minWindow = 16 << 10;

/** True if the block has as many records as it may have; malformed records count apart. */
const isFull = ({ capacity, malformed }: FieldIndex, rows: number): boolean =>
  rows === capacity || malformed.length === blockRows;

/** Copies about as many bytes as the next block needs to the kernel's memory. */
const openWindow = (index: FieldIndex, bytes: Uint8Array): void => {
  const from = index.next;
  const to = Math.min(bytes.length, from + index.window);
  kernelMemory.text.set(bytes.subarray(from, to));
  index.text = kernelMemory.text.subarray(0, to - from);
  index.textStart = from;
  index.inKernel = true;
};

/** Sets the size of the next window: an eighth more than this block used, or twice this window if the block did not get full. */
const fitWindow = (index: FieldIndex): void => {
  const used = index.next - index.textStart;
  const wanted = isFull(index, index.rows) ? used + (used >> 3) : index.window * 2;
  index.window = Math.min(windowBytes, Math.max(minWindow, wanted));
};

/** Indexes plain records, from `from` to the first that is not plain. @returns their number */
const indexPlain = (index: FieldIndex, from: number, rows: number): number => {
  const { fieldCount, capacity, ordinals, dialect, text } = index;
  const { starts, ends, recordStarts, recordEnds, lines } = addresses;
  const found = kernel.indexPlain(
    addresses.text,
    from,
    text.length,
    fieldCount,
    capacity - rows,
    index.line,
    dialect.delimiter,
    dialect.quote,
    starts + rows * fieldCount * 4,
    ends + rows * fieldCount * 4,
    recordStarts + rows * 4,
    recordEnds + rows * 4,
    lines + rows * 4,
  );
  for (let row = rows; row < rows + found; row++) ordinals[row] = index.ordinal++;
  index.next = index.textStart + kernel.next();
  index.line = kernel.line();
  return found;
};

/** Indexes a block of `index.text`. @param final True if the text reaches the end of the chunk, which also ends a record. */
const indexText = (index: FieldIndex, final: boolean, stopAtMalformed: boolean): void => {
  const { text, textStart, ordinals, lines, recordStarts } = index;
  const end = text.length;
  let rows = 0;
  for (;;) {
    if (index.inKernel) rows += indexPlain(index, index.next - textStart, rows);
    const p = index.next - textStart;
    if (isFull(index, rows) || p === end) break;
    const { line } = index;
    if (text[p] === LF || text[p] === CR) {
      // The kernel skips blank lines, except for a CR at the end of the window: an LF may follow it.
      if (!final) break;
      index.next = textStart + afterLineEnd(text, p);
      index.line++;
      continue;
    }
    const good = indexRecord(index, p, rows);
    if (!final && index.next - textStart === end) {
      // The record continues after the window.
      if (!good) index.malformed.pop();
      index.next = textStart + p;
      index.line = line;
      break;
    }
    if (good) {
      recordStarts[rows] = p;
      lines[rows] = line;
      ordinals[rows++] = index.ordinal;
    }
    index.ordinal++;
    if (!good && stopAtMalformed) break;
  }
  index.rows = rows;
};

/** Indexes the next block of records. @param stopAtMalformed The block ends at the first malformed record. */
export const indexRecords = (index: FieldIndex, bytes: Uint8Array, stopAtMalformed: boolean): void => {
  index.malformed.length = 0;
  if (index.shared) {
    openWindow(index, bytes);
    indexText(index, index.textStart + index.text.length === bytes.length, stopAtMalformed);
    fitWindow(index);
    if (index.rows > 0 || index.malformed.length > 0) return;
  }
  // The next record is larger than the window: indexes it in place, without the kernel.
  index.text = bytes;
  index.textStart = 0;
  index.inKernel = false;
  indexText(index, true, stopAtMalformed);
};

import { CR, LF } from './bytes.js';
import type { FieldIndex } from './field-index.js';
import { addresses, kernel, kernelMemory, windowBytes } from './kernel.js';
import { indexRecord } from './record-slow-path.js';

/** Least bytes that are copied to the kernel for a block. */
const leastWindow = 16 << 10;

/** Copies about as much as the next block needs into the memory of the kernel. */
const openWindow = (index: FieldIndex, bytes: Uint8Array): void => {
  const from = index.next;
  const to = Math.min(bytes.length, from + index.window);
  kernelMemory.text.set(bytes.subarray(from, to));
  index.text = kernelMemory.text.subarray(0, to - from);
  index.textStart = from;
  index.inKernel = true;
};

/** The window of the next block: what this one took and an eighth, or twice as much where it ended before the block was full. */
const fitWindow = (index: FieldIndex): void => {
  const used = index.next - index.textStart;
  const wanted = index.rows < index.capacity ? index.window * 2 : used + (used >> 3);
  index.window = Math.min(windowBytes, Math.max(leastWindow, wanted));
};

/** Plain records from `from` on. @returns how many */
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

/** Position after the line end at `p`. */
const afterLineEnd = (text: Uint8Array, p: number): number =>
  text[p] === CR && text[p + 1] === LF ? p + 2 : p + 1;

/** Indexes a block of `index.text`; only where that ends the chunk does its end end a record. */
const indexText = (index: FieldIndex, final: boolean, stopAtMalformed: boolean): void => {
  const { text, textStart, capacity, ordinals, lines, recordStarts } = index;
  const end = text.length;
  let rows = 0;
  while (rows < capacity && index.next - textStart < end) {
    if (index.inKernel) rows += indexPlain(index, index.next - textStart, rows);
    const p = index.next - textStart;
    if (rows === capacity || p === end) break;
    const { line } = index;
    if (text[p] === LF || text[p] === CR) {
      const after = afterLineEnd(text, p);
      if (!final && after === end) break;
      index.next = textStart + after;
      index.line++;
      continue;
    }
    const good = indexRecord(index, p, rows);
    if (!final && index.next - textStart >= end) {
      // It continues behind the window.
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

/**
 * Indexes the next block of records; `index.rows` is 0 when there are none left. With `stopAtMalformed` the
 * block ends at the first malformed record.
 */
export const indexRecords = (index: FieldIndex, bytes: Uint8Array, stopAtMalformed: boolean): void => {
  index.malformed.length = 0;
  if (index.shared) {
    openWindow(index, bytes);
    indexText(index, index.textStart + index.text.length === bytes.length, stopAtMalformed);
    fitWindow(index);
    if (index.rows > 0 || index.malformed.length > 0 || index.next === bytes.length) return;
  }
  // The next record is larger than the window.
  index.text = bytes;
  index.textStart = 0;
  index.inKernel = false;
  indexText(index, true, stopAtMalformed);
};

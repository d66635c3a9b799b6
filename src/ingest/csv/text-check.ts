import { isUtf8 } from 'node:buffer';
import { type AppError, invalid } from '../../lib/errors.js';
import { countLineEnds, LF } from './bytes.js';
import type { SplitChunk } from './types.js';

/**
 * Length of the UTF-8 byte order mark at the start of a file, or -1 where more bytes are needed to tell. UTF-16
 * is told by its mark and refused; without one it is full of NULs, which `checkText` refuses.
 */
export const startOfText = (head: Uint8Array, final: boolean): number => {
  const [a, b, c] = head;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) {
    throw invalid('unsupported_encoding', 'The file is encoded in UTF-16; it has to be UTF-8.');
  }
  if (head.length < 3 && !final) return -1;
  return a === 0xef && b === 0xbb && c === 0xbf ? 3 : 0;
};

/** The error of the first NUL or invalid UTF-8 in a chunk, with its line; undefined where there is none. */
export const checkText = (chunk: Pick<SplitChunk, 'bytes' | 'firstLine'>): AppError | undefined => {
  const { bytes, firstLine } = chunk;
  const nul = bytes.indexOf(0);
  if (nul >= 0) {
    const line = firstLine + countLineEnds(bytes, 0, nul);
    return invalid(
      'nul_character',
      `Line ${line}: the file holds a NUL character; it has to be UTF-8 text.`,
      {
        line,
      },
    );
  }
  if (isUtf8(bytes)) return undefined;
  const line = firstLine + countLineEnds(bytes, 0, invalidLineStart(bytes));
  return invalid('invalid_utf8', `Line ${line}: the file is not valid UTF-8.`, { line });
};

/** First byte of the first stretch up to an LF that is not valid. No character extends over an LF. */
const invalidLineStart = (bytes: Buffer): number => {
  let start = 0;
  for (;;) {
    const lineEnd = bytes.indexOf(LF, start);
    const end = lineEnd < 0 ? bytes.length : lineEnd + 1;
    if (lineEnd < 0 || !isUtf8(bytes.subarray(start, end))) return start;
    start = end;
  }
};

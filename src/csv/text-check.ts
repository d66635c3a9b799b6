import { isUtf8 } from 'node:buffer';
import { type AppError, invalid } from '../lib/errors.js';
import { countLineEnds, LF } from './bytes.js';
import type { SplitChunk } from './types.js';

/** Error for the first NUL or invalid UTF-8 in a chunk, with its line; undefined if the text is valid. */
export const checkText = (chunk: Pick<SplitChunk, 'bytes' | 'firstLine'>): AppError | undefined => {
  const { bytes, firstLine } = chunk;
  const nul = bytes.indexOf(0);
  if (nul >= 0) {
    const line = firstLine + countLineEnds(bytes, 0, nul);
    return invalid(
      'nul_character',
      `Line ${line}: the file contains a NUL character. It must be UTF-8 text.`,
      {
        line,
      },
    );
  }
  if (isUtf8(bytes)) return undefined;
  const line = firstLine + countLineEnds(bytes, 0, invalidLineStart(bytes));
  return invalid('invalid_utf8', `Line ${line}: the file is not valid UTF-8.`, { line });
};

/** Start of the first invalid line. Lines can be checked one by one, since no UTF-8 character contains an LF. */
const invalidLineStart = (bytes: Buffer): number => {
  let start = 0;
  for (;;) {
    const lineEnd = bytes.indexOf(LF, start);
    if (lineEnd < 0 || !isUtf8(bytes.subarray(start, lineEnd + 1))) return start;
    start = lineEnd + 1;
  }
};

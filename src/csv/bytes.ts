/** Bytes with a meaning in CSV, numbers and dates. */
export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const SLASH = 0x2f;
export const ZERO = 0x30;
export const COLON = 0x3a;
export const SEMICOLON = 0x3b;
export const PIPE = 0x7c;

/** Longest value that an error message quotes. */
const shownValueChars = 200;

/** Text of a field for a message, with quotes unescaped, truncated to 200 characters. */
export const shownValue = (bytes: Uint8Array, start: number, end: number, doubledQuotes: boolean): string => {
  // A character takes up to four bytes and a doubled quote two.
  const limit = Math.min(end, start + shownValueChars * 4);
  const text = new TextDecoder().decode(bytes.subarray(start, limit));
  const plain = doubledQuotes ? text.replaceAll('""', '"') : text;
  return [...plain].slice(0, shownValueChars).join('');
};

/** Number of line ends (LF, CRLF, CR) between two positions. */
export const countLineEnds = (bytes: Uint8Array, start: number, end: number): number => {
  let count = 0;
  for (let p = start; p < end; p++) {
    const byte = bytes[p];
    if (byte === LF || (byte === CR && bytes[p + 1] !== LF)) count++;
  }
  return count;
};

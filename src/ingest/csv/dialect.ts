import { COMMA, CR, LF, PIPE, QUOTE, SEMICOLON, TAB } from './bytes.js';

/** In order of preference. */
const delimiters = [COMMA, SEMICOLON, TAB, PIPE] as const;

export const isDelimiterCandidate = (byte: number): boolean =>
  byte === COMMA || byte === SEMICOLON || byte === TAB || byte === PIPE;

/**
 * The delimiter of a file by its header record: the one that occurs most often outside of quotes; among equals
 * the comma, then `;`, tab, `|`. A header without any is one column, read with commas. Only the header counts:
 * a wrong guess makes rows of another length, which are refused, never read wrongly.
 */
export const sniffDelimiter = (header: Uint8Array): number => {
  const counts = new Map<number, number>(delimiters.map((delimiter) => [delimiter, 0]));
  let quoted = false;
  for (let p = 0; p < header.length; p++) {
    const byte = header[p]!;
    if (quoted) {
      if (byte !== QUOTE) continue;
      if (header[p + 1] === QUOTE) p++;
      else quoted = false;
    } else if (byte === QUOTE) {
      quoted = p === 0 || isDelimiterCandidate(header[p - 1]!);
    } else if (byte === LF || byte === CR) {
      break;
    } else if (isDelimiterCandidate(byte)) {
      counts.set(byte, counts.get(byte)! + 1);
    }
  }
  let best: number = COMMA;
  for (const delimiter of delimiters) {
    if (counts.get(delimiter)! > counts.get(best)!) best = delimiter;
  }
  return best;
};

import { COMMA, CR, LF, PIPE, QUOTE, SEMICOLON, TAB } from './bytes.js';

/** In order of preference: a name may well contain a comma, but hardly a tab or a semicolon. */
const delimiters = [TAB, SEMICOLON, COMMA, PIPE] as const;

export const isDelimiterCandidate = (byte: number): boolean =>
  byte === COMMA || byte === SEMICOLON || byte === TAB || byte === PIPE;

/** 1 for bytes that may have a meaning while the delimiter is unknown. */
const special = new Uint8Array(256);
for (const byte of [...delimiters, QUOTE, LF, CR]) special[byte] = 1;

/** Candidate delimiters in a header, outside of quotes, most frequent first; ties in the order tab, `;`, comma, `|`. */
export const likelyDelimiters = (header: Uint8Array): number[] => {
  const counts = new Uint32Array(256);
  let quoted = false;
  for (let p = 0; p < header.length; p++) {
    const byte = header[p]!;
    if (special[byte] === 0) continue;
    if (quoted) {
      if (byte !== QUOTE) continue;
      if (header[p + 1] === QUOTE) p++;
      else quoted = false;
    } else if (byte === QUOTE) {
      quoted = p === 0 || isDelimiterCandidate(header[p - 1]!);
    } else if (byte === LF || byte === CR) {
      break;
    } else {
      counts[byte]!++;
    }
  }
  return delimiters.filter((byte) => counts[byte]! > 0).sort((a, b) => counts[b]! - counts[a]!);
};

const separatorLine = /^sep=([,;\t|])$/i;

/**
 * Delimiter in a first line such as `sep=;`, which spreadsheets write; undefined for any other record. Such a line cannot be a header, since
 * it would have a column without a name.
 */
export const announcedDelimiter = (record: Uint8Array): number | undefined => {
  if (record.length !== 'sep=;'.length) return undefined;
  return separatorLine.exec(Buffer.from(record).toString('latin1'))?.[1]?.charCodeAt(0);
};

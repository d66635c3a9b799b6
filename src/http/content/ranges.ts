import rangeParser from 'range-parser';
import type { ByteRange } from '../../storage/objects/object-storage.js';

/**
 * `Range` of RFC 9110, 14. `whole`: the header is absent, malformed, or requests more ranges than is reasonable, for which a server may
 * send everything. `unsatisfiable`: no range is within the file.
 */
type RangeAnswer =
  | { readonly kind: 'whole' }
  | { readonly kind: 'unsatisfiable' }
  | { readonly kind: 'parts'; readonly parts: readonly ByteRange[] };

const maxParts = 32;

const whole: RangeAnswer = { kind: 'whole' };

/** A suffix that is longer than the file means the whole file (RFC 9110, 14.1.2); the parser would treat it as unsatisfiable. */
const withinFile = (piece: string, size: number): string => {
  const suffix = /^-(\d+)$/.exec(piece);
  return suffix !== null && Number(suffix[1]) > size ? '0-' : piece;
};

/** `first-last`, `first-` or `-suffix`. A range that ends before it begins makes the whole header invalid. */
const isPiece = (text: string): boolean => {
  const [, first, last] = /^(\d+)-(\d*)$/.exec(text) ?? [];
  if (first === undefined) return /^-\d+$/.test(text);
  return last === '' || Number(last) >= Number(first);
};

export const parseRange = (header: string | undefined, size: number): RangeAnswer => {
  const list = /^\s*bytes\s*=(.*)$/is.exec(header ?? '')?.[1] ?? '';
  const pieces = list
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  if (pieces.length === 0 || pieces.length > maxParts || !pieces.every(isPiece)) return whole;
  const parts = rangeParser(size, `bytes=${pieces.map((piece) => withinFile(piece, size)).join(',')}`);
  if (parts === -2) return whole;
  if (parts === -1) return { kind: 'unsatisfiable' };
  const requestedBytes = parts.reduce((sum, { start, end }) => sum + end - start + 1, 0);
  // Overlapping ranges with more bytes than the file are an attack or a mistake.
  return requestedBytes > size ? whole : { kind: 'parts', parts: [...parts] };
};

interface MultipartFrame {
  readonly contentType: string;
  readonly length: number;
  /** Text before each part, and after the last. */
  readonly heads: readonly Buffer[];
  readonly end: Buffer;
}

/** Multipart heads for several ranges: `multipart/byteranges`. */
export const frameParts = (
  parts: readonly ByteRange[],
  size: number,
  contentType: string,
  boundary: string,
): MultipartFrame => {
  const heads = parts.map(({ start, end }, index) =>
    Buffer.from(
      `${index === 0 ? '' : '\r\n'}--${boundary}\r\nContent-Type: ${contentType}\r\nContent-Range: bytes ${start}-${end}/${size}\r\n\r\n`,
    ),
  );
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  const data = parts.reduce((sum, part) => sum + part.end - part.start + 1, 0);
  const length = heads.reduce((sum, head) => sum + head.length, data + end.length);
  return { contentType: `multipart/byteranges; boundary=${boundary}`, length, heads, end };
};

import type { ByteRange } from '../storage/objects/object-store.js';

/**
 * `Range` of RFC 9110, 14: `whole` when the header is absent, malformed or asks for more pieces than is
 * reasonable (a server may then answer everything), `unsatisfiable` when no piece lies within the file.
 */
export type RangeAnswer =
  | { readonly kind: 'whole' }
  | { readonly kind: 'unsatisfiable' }
  | { readonly kind: 'parts'; readonly parts: readonly ByteRange[] };

const mostParts = 32;

const whole: RangeAnswer = { kind: 'whole' };

/** One `first-last`, `first-` or `-suffix`; null when it lies outside, undefined when malformed. */
const parsePart = (text: string, size: number): ByteRange | null | undefined => {
  const match = /^(\d*)-(\d*)$/.exec(text.trim());
  const [, first = '', last = ''] = match ?? [];
  if (match === null || (first === '' && last === '')) return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? null : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? null : { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
};

export const parseRange = (header: string | undefined, size: number): RangeAnswer => {
  const match = /^\s*bytes\s*=(.*)$/is.exec(header ?? '');
  if (match === null) return whole;
  const texts = match[1]!.split(',').filter((text) => text.trim() !== '');
  if (texts.length === 0 || texts.length > mostParts) return whole;
  const parts: ByteRange[] = [];
  for (const text of texts) {
    const part = parsePart(text, size);
    if (part === undefined) return whole;
    if (part !== null) parts.push(part);
  }
  if (parts.length === 0) return { kind: 'unsatisfiable' };
  const asked = parts.reduce((sum, { start, end }) => sum + end - start + 1, 0);
  // Pieces that overlap into more than the file are an attack or a mistake.
  return asked > size ? whole : { kind: 'parts', parts };
};

export interface MultipartFrame {
  readonly contentType: string;
  readonly length: number;
  /** What stands before each part, and after the last. */
  readonly heads: readonly Buffer[];
  readonly end: Buffer;
}

/** The envelope of several ranges: `multipart/byteranges`. */
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

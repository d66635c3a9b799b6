import { textKind } from './field-index.js';

/**
 * Position of the next byte that is not text, or `end`. Tests four bytes per iteration, which is about twice as fast as a plain loop. If the
 * delimiter is a comma, letters and digits are above `top`, so one comparison is enough for most bytes.
 */
export const fieldEnd = (
  bytes: Uint8Array,
  from: number,
  end: number,
  classes: Uint8Array,
  top: number,
): number => {
  let p = from;
  for (const last = end - 4; p <= last; p += 4) {
    let byte = bytes[p]!;
    if (byte <= top && classes[byte] !== textKind) return p;
    byte = bytes[p + 1]!;
    if (byte <= top && classes[byte] !== textKind) return p + 1;
    byte = bytes[p + 2]!;
    if (byte <= top && classes[byte] !== textKind) return p + 2;
    byte = bytes[p + 3]!;
    if (byte <= top && classes[byte] !== textKind) return p + 3;
  }
  while (p < end && classes[bytes[p]!] === textKind) p++;
  return p;
};

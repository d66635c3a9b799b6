import { TextDecoder } from 'node:util';
import { AppError, invalid } from '../lib/errors.js';

/** Turns the bytes of a file into UTF-8 without a byte order mark. */
interface UnicodeReader {
  /** UTF-8 is handed on as it is; what was held back at the start may come with it. */
  read(piece: Uint8Array): Uint8Array;
  /** The rest, once the file is over. */
  end(): Uint8Array;
}

const nothing = new Uint8Array(0);
/** Length of the longest mark. */
const markBytes = 3;

const decodeStrictly = (decoder: TextDecoder, bytes: Uint8Array, final: boolean): string => {
  try {
    return decoder.decode(bytes, { stream: !final });
  } catch (error) {
    throw new AppError('invalid', 'invalid_utf16', 'The file begins like UTF-16 and is not valid UTF-16.', {
      cause: error,
    });
  }
};

/**
 * Tells the encoding by the byte order mark: UTF-16 with one is converted, everything else is taken for UTF-8,
 * which is checked later with the lines at hand. UTF-16 without a mark is then refused for its NULs.
 */
export const createUnicodeReader = (): UnicodeReader => {
  let head: Uint8Array | undefined = nothing;
  let utf16: TextDecoder | undefined;

  const decode = (bytes: Uint8Array, final: boolean): Uint8Array => {
    if (utf16 === undefined) return bytes;
    const text = decodeStrictly(utf16, bytes, final);
    // Only an earlier conversion writes this character, for bytes that it could not read.
    if (text.includes('\ufffd')) {
      throw invalid('invalid_utf16', 'The file is UTF-16 and holds replacement characters (U+FFFD).');
    }
    return Buffer.from(text);
  };

  const open = (bytes: Uint8Array, final: boolean): Uint8Array => {
    head = undefined;
    const [a, b, c] = bytes;
    if (a === 0xff && b === 0xfe) utf16 = new TextDecoder('utf-16le', { fatal: true });
    else if (a === 0xfe && b === 0xff) utf16 = new TextDecoder('utf-16be', { fatal: true });
    else if (a === 0xef && b === 0xbb && c === 0xbf) return bytes.subarray(markBytes);
    return decode(bytes, final);
  };

  return {
    read: (piece) => {
      if (head === undefined) return decode(piece, false);
      const bytes = head.length === 0 ? piece : Buffer.concat([head, piece]);
      if (bytes.length >= markBytes) return open(bytes, false);
      head = Uint8Array.from(bytes);
      return nothing;
    },
    end: () => (head === undefined ? decode(nothing, true) : open(head, true)),
  };
};

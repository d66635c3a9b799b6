import { TextDecoder } from 'node:util';
import { AppError, invalid } from '../lib/errors.js';

/** Converts a file to UTF-8 without a byte order mark. */
interface UnicodeReader {
  /** Converts the next piece. Holds the first bytes until they show whether there is a byte order mark. */
  read(piece: Uint8Array): Uint8Array;
  /** Returns the remaining bytes at the end of the file. */
  end(): Uint8Array;
}

const nothing = new Uint8Array(0);
/** Length of the longest mark. */
const markBytes = 3;

const decodeStrictly = (decoder: TextDecoder, bytes: Uint8Array, final: boolean): string => {
  try {
    return decoder.decode(bytes, { stream: !final });
  } catch (error) {
    const message = 'The file starts with a UTF-16 byte order mark but is not valid UTF-16.';
    throw new AppError('invalid', 'invalid_utf16', message, { cause: error });
  }
};

/**
 * Recognises the encoding by the byte order mark. Converts UTF-16 with a mark. Everything else is treated as UTF-8 and checked later, when the
 * line is known; UTF-16 without a mark is then refused because of its NULs.
 */
export const createUnicodeReader = (): UnicodeReader => {
  let head: Uint8Array | undefined = nothing;
  let utf16: TextDecoder | undefined;

  const decode = (bytes: Uint8Array, final: boolean): Uint8Array => {
    if (utf16 === undefined) return bytes;
    const text = decodeStrictly(utf16, bytes, final);
    // An earlier conversion wrote this character for bytes that it could not read.
    if (text.includes('\ufffd')) {
      throw invalid('invalid_utf16', 'The file is UTF-16 and contains replacement characters (U+FFFD).');
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

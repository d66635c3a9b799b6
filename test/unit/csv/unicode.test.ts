import { describe, expect, it } from 'vitest';
import { createUnicodeReader } from '../../../src/csv/unicode.js';

/** Converted bytes of a file that arrives in pieces of `pieceBytes`. */
const read = (bytes: Uint8Array, pieceBytes: number): Buffer => {
  const reader = createUnicodeReader();
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    pieces.push(reader.read(bytes.slice(at, at + pieceBytes)));
  return Buffer.concat([...pieces, reader.end()]);
};

const text = 'a,é🎁\n';
const littleEndian = Buffer.from(`\ufeff${text}`, 'utf16le');
const bigEndian = Buffer.from(littleEndian).swap16();

it('the reader waits for three bytes, in which it recognises a byte order mark', () => {
  const reader = createUnicodeReader();
  expect(reader.read(Buffer.from('ab')).toString()).toBe('');
  expect(reader.read(Buffer.from('c')).toString()).toBe('abc');
  expect(reader.read(Buffer.from('d')).toString()).toBe('d');
});

describe.each([1, 2, 3, 4, 100])('a file in pieces of %d bytes', (pieceBytes) => {
  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
    ['little-endian UTF-16', littleEndian],
    ['big-endian UTF-16', bigEndian],
  ])('becomes UTF-8 without a byte order mark: %s', (_, bytes) => {
    expect(read(bytes, pieceBytes).toString()).toBe(text);
  });

  it.each([
    [''],
    ['ff'],
    ['efbb'],
    ['ff4142'],
    ['41fe42'],
    ['fe4142'],
    ['41ff42'],
    ['efbb41'],
    ['ef41bf'],
    ['41bbbf'],
  ])('with part of a byte order mark is unchanged: %s', (hex) => {
    expect(read(Buffer.from(hex, 'hex'), pieceBytes).toString('hex')).toBe(hex);
  });

  it('loses only one byte order mark', () => {
    expect(read(Buffer.from('\ufeff\ufeffa'), pieceBytes).toString()).toBe('\ufeffa');
    expect(read(Buffer.from('\ufeff'), pieceBytes)).toHaveLength(0);
    expect(read(Buffer.from('\ufeff', 'utf16le'), pieceBytes)).toHaveLength(0);
  });

  it.each([
    ['a little-endian character that is cut', littleEndian.subarray(0, -1)],
    ['a big-endian character that is cut', bigEndian.subarray(0, -1)],
    ['half of a surrogate pair', Buffer.from('\ufeffa\ud83db', 'utf16le')],
    ['half of a surrogate pair, big-endian', Buffer.from('\ufeffa\ud83db', 'utf16le').swap16()],
  ])('is refused for %s', (_, bytes) => {
    expect(() => read(bytes, pieceBytes)).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        code: 'invalid_utf16',
        message: 'The file starts with a UTF-16 byte order mark but is not valid UTF-16.',
        cause: expect.any(TypeError),
      }),
    );
  });

  it('is refused for a replacement character in UTF-16', () => {
    expect(() => read(Buffer.from('\ufeffa\ufffdb', 'utf16le'), pieceBytes)).toThrow(
      expect.objectContaining({
        code: 'invalid_utf16',
        message: 'The file is UTF-16 and contains replacement characters (U+FFFD).',
      }),
    );
  });
});

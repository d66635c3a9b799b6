import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../../src/uploads/receive/text-encoding.js';

type Encoding = Parameters<typeof decodeText>[1];

async function* piecesOf(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const decode = async (bytes: Buffer, encoding: Encoding, pieceBytes: number): Promise<string> => {
  const pieces: Buffer[] = [];
  for await (const piece of decodeText(piecesOf(bytes, pieceBytes), encoding)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
};

describe.each([1, 2, 100])('a file in pieces of %i bytes', (pieceBytes) => {
  it('in windows-1252 is converted, however short it is', async () => {
    const text = Buffer.from([0x80, 0x2c, 0xe9, 0x0a]);
    expect(await decode(text, 'windows-1252', pieceBytes)).toBe('\u20ac,é\n');
    expect(await decode(text.subarray(0, 1), 'windows-1252', pieceBytes)).toBe('\u20ac');
    expect(await decode(Buffer.of(), 'windows-1252', pieceBytes)).toBe('');
  });

  it.each([
    ['utf-8', Buffer.from('\ufeffname\n')],
    ['utf-16le', Buffer.from('\ufeffname\n', 'utf16le')],
    ['utf-16be', Buffer.from('\ufeffname\n', 'utf16le').swap16()],
  ])('with the mark of %s is not windows-1252', async (encoding, bytes) => {
    await expect(decode(bytes, 'windows-1252', pieceBytes)).rejects.toMatchObject({
      code: 'wrong_encoding',
      message: expect.stringContaining(encoding),
    });
  });

  it('needs the mark of a given UTF-16', async () => {
    const bytes = Buffer.from('\ufeffa\n', 'utf16le');
    expect(await decode(bytes, 'utf-16le', pieceBytes)).toBe(bytes.toString());
    for (const wrong of [bytes.swap16(), Buffer.from('a'), Buffer.of()])
      await expect(decode(wrong, 'utf-16le', pieceBytes)).rejects.toMatchObject({
        code: 'no_byte_order_mark',
      });
  });
});

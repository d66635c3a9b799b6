import { describe, expect, it } from 'vitest';
import { columnHead, createBlockWriter, varUint } from '../../../src/csv/native-block.js';

const KiB = 1024;

describe('a variable-length number', () => {
  it.each([
    [0, '00'],
    [127, '7f'],
    [128, '8001'],
    [300, 'ac02'],
    [16_383, 'ff7f'],
    [16_384, '808001'],
    [2 ** 32 + 5, '8580808010'],
    [Number.MAX_SAFE_INTEGER, 'ffffffffffffff0f'],
  ])('%d is encoded as %s', (value, hex) => {
    expect(varUint(value).toString('hex')).toBe(hex);
  });

  it('precedes the name and the type of a column as their length in bytes', () => {
    expect(columnHead('né', 'UInt8').toString('latin1')).toBe('\x03n\xc3\xa9\x05UInt8');
  });
});

describe('a block', () => {
  const piece = (bytes: number, value: number): Buffer => Buffer.alloc(bytes, value);
  /** Pieces of the block written from `pieces`. */
  const written = (writer: ReturnType<typeof createBlockWriter>, pieces: readonly Buffer[]): Buffer[] => {
    for (const one of pieces) writer.add(one);
    const found = writer.pieces();
    expect(Buffer.concat(found).equals(Buffer.concat(pieces))).toBe(true);
    writer.reset();
    return found;
  };

  it('of small pieces is a single piece', () => {
    expect(written(createBlockWriter(), [])).toEqual([]);
    expect(written(createBlockWriter(), [piece(3, 1), piece(0, 0), piece(5, 2)])).toHaveLength(1);
  });

  it('refers to large pieces and copies small ones', () => {
    const small = piece(64 * KiB - 1, 1);
    const large = Buffer.concat([piece(7, 0), piece(64 * KiB, 2), piece(9, 0)]).subarray(7, 7 + 64 * KiB);
    const found = written(createBlockWriter(), [small, large, piece(5, 3)]);
    expect(found.map(({ length }) => length)).toEqual([64 * KiB - 1, 64 * KiB, 5]);
    expect(found[0]?.buffer).not.toBe(small.buffer);
    expect(found[1]?.buffer).toBe(large.buffer);
    expect(written(createBlockWriter(), [large, large, small])).toHaveLength(3);
  });

  it('collects small pieces in a buffer of 128 KiB, then in one of 1 MiB', () => {
    const almost = 64 * KiB - 1;
    const pieces = [piece(almost, 1), piece(almost, 2), piece(2, 3)];
    const writer = createBlockWriter();
    expect(written(writer, pieces).map(({ length }) => length)).toEqual([128 * KiB]);
    for (let at = 0; at < 16; at += 1) pieces.push(piece(almost, at));
    pieces.push(piece(16, 4));
    expect(written(writer, pieces).map(({ length }) => length)).toEqual([128 * KiB, KiB * KiB]);
    pieces.push(piece(1, 5));
    expect(written(writer, pieces).map(({ length }) => length)).toEqual([128 * KiB, KiB * KiB, 1]);
  });

  it('reuses the buffers of the previous block', () => {
    const writer = createBlockWriter();
    const pieces = [piece(64 * KiB - 1, 1), piece(64 * KiB - 1, 2), piece(64 * KiB - 1, 3)];
    const memory = written(writer, pieces).map(({ buffer }) => buffer);
    expect(memory).toHaveLength(2);
    expect(written(writer, pieces).map(({ buffer }) => buffer)).toEqual(memory);
    expect(written(writer, [piece(4, 4)])[0]?.buffer).toBe(memory[0]);
  });
});

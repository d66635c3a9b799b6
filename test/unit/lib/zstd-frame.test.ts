import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { compressZstd, decompressZstd } from '../../../src/lib/zstd.js';
import { bombOf } from '../../support/zstd-bomb.js';

const sizes = [0, 1, 2, 255, 256, 65_791, 131_071, 131_072, 131_073, 1_000_000, 5_000_001];
const contents: Readonly<Record<string, (size: number) => Buffer>> = {
  'random bytes': randomBytes,
  zeros: (size) => Buffer.alloc(size),
  rows: (size) => {
    const rows = Array.from({ length: Math.ceil(size / 8) }, (_, row) => `${row % 977},${Math.sqrt(row)}\n`);
    return Buffer.from(rows.join('')).subarray(0, size);
  },
};

describe('a zstd frame', () => {
  it.each(Object.keys(contents))('of %s decompresses to the same bytes, whatever its size', async (name) => {
    for (const size of sizes) {
      const bytes = contents[name]?.(size) ?? Buffer.alloc(0);
      const frame = await compressZstd(bytes);
      expect((await decompressZstd(frame, bytes.length)).equals(bytes), `${size} bytes`).toBe(true);
    }
  });

  it('is refused when it does not contain the announced number of bytes', async () => {
    const frame = await compressZstd(Buffer.alloc(1_000, 'x'));
    for (const size of [0, 999, 1_001, 2 ** 31]) await expect(decompressZstd(frame, size)).rejects.toThrow();
  });

  it('is refused before it is decompressed when its blocks may contain far more than announced', async () => {
    const bomb = bombOf(1_200_000_000);
    expect(bomb.length).toBeLessThan(40_000);
    const before = process.memoryUsage().rss;
    await expect(decompressZstd(bomb, 1_000)).rejects.toThrow('may have many more');
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  });

  it('is refused when it is truncated, next to another frame, or not a frame', async () => {
    const frame = await compressZstd(Buffer.from('a,b\n'.repeat(1_000)));
    for (let length = 0; length < frame.length; length += 1)
      await expect(decompressZstd(frame.subarray(0, length), 4_000)).rejects.toThrow();
    await expect(decompressZstd(Buffer.concat([frame, frame]), 4_000)).rejects.toThrow('exactly one frame');
    await expect(decompressZstd(Buffer.concat([frame, frame]), 8_000)).rejects.toThrow();
    // A skippable frame in front of it.
    const skippable = Buffer.concat([Buffer.from('502a4d1804000000', 'hex'), Buffer.from('skip'), frame]);
    await expect(decompressZstd(skippable, 4_000)).rejects.toThrow('not a zstd frame');
    await expect(decompressZstd(Buffer.from('a,b\n1,2\n'), 8)).rejects.toThrow('not a zstd frame');
  });

  it('is refused when it needs a dictionary or a large window, or declares another size', async () => {
    const raw = (header: number[]): Buffer =>
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, ...header, 0x21, 0, 0, ...Buffer.from('text')]);
    expect(String(await decompressZstd(raw([0x00, 0x48]), 4))).toBe('text');
    expect(String(await decompressZstd(raw([0x20, 4]), 4))).toBe('text');
    await expect(decompressZstd(raw([0x20, 5]), 4)).rejects.toThrow('has 5 bytes');
    await expect(decompressZstd(raw([0x01, 0x48, 7]), 4)).rejects.toThrow('dictionary');
    await expect(decompressZstd(raw([0x00, 0xf8]), 4)).rejects.toThrow('window');
    await expect(decompressZstd(raw([0x08, 0x48]), 4)).rejects.toThrow('reserved');
  });
});

import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { type BodyLimits, decodeBody } from '../../../../src/uploads/receive/body-decoder.js';

const limits: BodyLimits = {
  maxCompressedBytes: 1_000_000,
  maxBytes: 1_000_000,
  maxRatio: 1_000,
  idleMs: 10_000,
  minBytesPerSecond: 0,
};

async function* inPieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** The text of a file, or the code of the error. */
const read = async (source: AsyncIterable<Buffer>, changes: Partial<BodyLimits> = {}): Promise<string> => {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of decodeBody(source, { ...limits, ...changes })) pieces.push(piece);
  } catch (error) {
    return (error as { code: string }).code;
  }
  return Buffer.concat(pieces).toString();
};

const first = gzipSync('a,b\n1,2\n');
const second = gzipSync('3,4\n');

describe.each([1, 7, 1024])('a gzip file in pieces of %i bytes', (pieceBytes) => {
  const readBytes = (...parts: Buffer[]): Promise<string> => read(inPieces(Buffer.concat(parts), pieceBytes));

  it('may have several members', async () => {
    expect(await readBytes(first, second)).toBe('a,b\n1,2\n3,4\n');
  });

  it('is refused if it is truncated, except at the end of a member', async () => {
    const whole = Buffer.concat([first, second]);
    for (let length = 2; length < whole.length; length++) {
      const text = await readBytes(whole.subarray(0, length));
      expect(text, `${length} bytes`).toBe(length === first.length ? 'a,b\n1,2\n' : 'gzip_truncated');
    }
  });

  it('may be padded with zeros, and is refused with data after the padding', async () => {
    const padding = Buffer.alloc(40);
    expect(await readBytes(first, padding)).toBe('a,b\n1,2\n');
    expect(await readBytes(first, padding, second)).toBe('gzip_damaged');
    expect(await readBytes(first, padding, Buffer.from('3,4\n'))).toBe('gzip_damaged');
    expect(await readBytes(first, Buffer.from('3,4\n'))).toBe('gzip_damaged');
  });
});

describe('a gzip file that ends in padding', () => {
  it('is refused if it stalls within the padding', async () => {
    const hanging = (async function* () {
      yield first;
      yield Buffer.alloc(8);
      await new Promise((resolve) => setTimeout(resolve, 400));
    })();
    expect(await read(hanging, { idleMs: 50 })).toBe('upload_idle');
  });
});

describe('a file that arrives slowly', () => {
  let clock = 0;
  /** Pieces of ten bytes, each of which arrives after so many milliseconds. */
  async function* after(waits: readonly number[]): AsyncGenerator<Buffer> {
    for (const ms of waits) {
      clock += ms;
      yield Buffer.from('a,b\n1,2\n3\n');
    }
  }
  const readAfter = async (waits: readonly number[]): Promise<string> => {
    const now = vi.spyOn(performance, 'now').mockImplementation(() => clock);
    try {
      return await read(after(waits), { minBytesPerSecond: 1_000 });
    } finally {
      now.mockRestore();
    }
  };

  it('is refused after a minute', async () => {
    expect(await readAfter(Array.from({ length: 59 }, () => 1_000))).toContain('1,2');
    expect(await readAfter(Array.from({ length: 62 }, () => 1_000))).toBe('upload_too_slow');
  });

  it('is read if the process stood still and not the client', async () => {
    expect(await readAfter([70_000, 1_000])).toContain('1,2');
  });
});

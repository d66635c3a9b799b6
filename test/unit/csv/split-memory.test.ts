import { describe, expect, it } from 'vitest';
import {
  createSplitMemory,
  dropBytes,
  fillMemory,
  moveOn,
  recycleMemory,
} from '../../../src/csv/split-memory.js';

const KiB = 1024;

/** Bytes beyond a chunk, which tell CR from CRLF. */
const slack = 8;

describe('memory for the bytes of a stream', () => {
  it.each([
    [100, 100 + slack],
    [64 * KiB, 64 * KiB + slack],
    [64 * KiB + 1, 64 * KiB + slack],
  ])('for a first chunk of %d bytes begins with %d', (firstChunkBytes, bytes) => {
    const { buffer, filled } = createSplitMemory(firstChunkBytes, 1_000);
    expect([buffer.length, filled]).toEqual([bytes, 0]);
  });

  it('takes what fits of a piece, from an offset on', () => {
    const memory = createSplitMemory(4, 1_000);
    expect(fillMemory(memory, Buffer.from('abcde'), 2)).toBe(3);
    expect(fillMemory(memory, Buffer.from('0123456789abc'), 1)).toBe(4 + slack - 3);
    expect(memory.buffer.toString()).toBe('cde123456789');
    expect(memory.filled).toBe(12);
    expect(fillMemory(memory, Buffer.from('x'), 0)).toBe(0);
  });

  it('takes 64 KiB at a time', () => {
    const memory = createSplitMemory(64 * KiB, 1_000);
    moveOn(memory, 0, 200 * KiB);
    expect(fillMemory(memory, Buffer.alloc(150 * KiB), 0)).toBe(64 * KiB);
    expect(fillMemory(memory, Buffer.alloc(150 * KiB), 128 * KiB)).toBe(22 * KiB);
    expect(memory.filled).toBe(86 * KiB);
  });

  it('drops the bytes at its beginning', () => {
    const memory = createSplitMemory(10, 1_000);
    fillMemory(memory, Buffer.from('abcdef'), 0);
    dropBytes(memory, 2);
    expect(memory.buffer.subarray(0, memory.filled).toString()).toBe('cdef');
  });

  it('leaves its bytes to a chunk and goes on with those behind it', () => {
    const memory = createSplitMemory(10, 1_000);
    fillMemory(memory, Buffer.from('abcdef'), 0);
    const before = memory.buffer;
    moveOn(memory, 4, 20);
    expect(before.subarray(0, 6).toString()).toBe('abcdef');
    expect(memory.buffer).toHaveLength(20 + slack);
    expect(memory.buffer.subarray(0, memory.filled).toString()).toBe('ef');
    // As much as is left, where that is more.
    moveOn(memory, 0, 1);
    expect(memory.buffer).toHaveLength(1 + slack);
    fillMemory(memory, Buffer.alloc(7), 0);
    moveOn(memory, 0, 0);
    expect([memory.buffer.length, memory.filled]).toEqual([9, 9]);
    moveOn(memory, 0, 100);
    fillMemory(memory, Buffer.alloc(21), 0);
    moveOn(memory, 10, 0);
    expect([memory.buffer.length, memory.filled]).toEqual([20, 20]);
  });
});

describe('memory of released chunks', () => {
  it('is used again where it is large enough', () => {
    const memory = createSplitMemory(10, 100);
    const small = new ArrayBuffer(100 + slack);
    const large = new ArrayBuffer(150);
    recycleMemory(memory, small);
    recycleMemory(memory, large);
    expect(memory.spare.map(({ buffer }) => buffer)).toEqual([small, large]);
    moveOn(memory, 0, 101);
    expect(memory.buffer.buffer).toBe(large);
    moveOn(memory, 0, 101);
    expect(memory.buffer).toHaveLength(101 + slack);
    moveOn(memory, 0, 100);
    expect(memory.buffer.buffer).toBe(small);
    expect(memory.spare).toEqual([]);
  });

  it.each([
    ['is too small by a byte', 100 + slack - 1, 0],
    ['has just the size of a chunk', 100 + slack, 1],
    ['has twice the size', 200, 1],
    ['has more than twice the size', 201, 0],
  ])('is kept by its size: %s', (_, bytes, kept) => {
    const memory = createSplitMemory(10, 100);
    recycleMemory(memory, new ArrayBuffer(bytes));
    expect(memory.spare).toHaveLength(kept);
  });

  it('is that of two chunks at most', () => {
    const memory = createSplitMemory(10, 100);
    for (let at = 0; at < 3; at += 1) recycleMemory(memory, new ArrayBuffer(150));
    expect(memory.spare).toHaveLength(2);
  });
});

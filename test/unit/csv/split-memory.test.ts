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
  ])('starts at the size of a first chunk of %d bytes, at most 64 KiB: %d', (firstChunkBytes, bytes) => {
    const { buffer, filled } = createSplitMemory(firstChunkBytes, 1_000);
    expect([buffer.length, filled]).toEqual([bytes, 0]);
  });

  it('takes as much of a piece as fits, from an offset', () => {
    const memory = createSplitMemory(4, 1_000);
    expect(fillMemory(memory, Buffer.from('abcde'), 2)).toBe(3);
    expect(fillMemory(memory, Buffer.from('0123456789abc'), 1)).toBe(4 + slack - 3);
    expect(memory.buffer.toString()).toBe('cde123456789');
    expect(memory.filled).toBe(12);
    expect(fillMemory(memory, Buffer.from('x'), 0)).toBe(0);
  });

  it('takes at most 64 KiB at a time', () => {
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

  it('hands its buffer over to a chunk and continues with the bytes after it', () => {
    const memory = createSplitMemory(10, 1_000);
    fillMemory(memory, Buffer.from('abcdef'), 0);
    const before = memory.buffer;
    moveOn(memory, 4, 20);
    expect(before.subarray(0, 6).toString()).toBe('abcdef');
    expect(memory.buffer).toHaveLength(20 + slack);
    expect(memory.buffer.subarray(0, memory.filled).toString()).toBe('ef');
    // At least the remaining bytes.
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
  it('is reused if it is large enough', () => {
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
    ['has exactly the size of a chunk', 100 + slack, 1],
    ['has twice the size', 200, 1],
    ['has more than twice the size', 201, 0],
  ])('is kept depending on its size: %s', (_, bytes, kept) => {
    const memory = createSplitMemory(10, 100);
    recycleMemory(memory, new ArrayBuffer(bytes));
    expect(memory.spare).toHaveLength(kept);
  });

  it('is kept for at most two chunks', () => {
    const memory = createSplitMemory(10, 100);
    for (let at = 0; at < 3; at += 1) recycleMemory(memory, new ArrayBuffer(150));
    expect(memory.spare).toHaveLength(2);
  });
});

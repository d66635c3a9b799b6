import { describe, expect, it } from 'vitest';
import { createFieldIndex, openIndex } from '../../../src/csv/field-index.js';
import { windowBytes } from '../../../src/csv/kernel.js';
import { indexRecords } from '../../../src/csv/record-parser.js';
import { comma } from './reference.js';

const KiB = 1024;

/** A record of two fields, `bytes` long with its line end. */
const record = (bytes: number): string => `${'x'.repeat(bytes - 3)},1\n`;

const index = createFieldIndex(comma, 2);

/** Rows of each block, whether the kernel indexed it, and the bytes to copy for the next one. */
const blocksOf = (text: string) => {
  const blocks: { rows: number; kernel: boolean; window: number }[] = [];
  openIndex(index);
  for (;;) {
    indexRecords(index, Buffer.from(text), false);
    if (index.rows === 0) return blocks;
    blocks.push({ rows: index.rows, kernel: index.inKernel, window: index.window });
  }
};

describe('blocks of records that the kernel indexes', () => {
  it('have the records of a window, which doubles until a block is full and then fits a block', () => {
    index.window = 64 * KiB;
    const fitting = 2_048 * 100 * (9 / 8);
    expect(blocksOf(record(100).repeat(9_000))).toEqual([
      { rows: 655, kernel: true, window: 128 * KiB },
      { rows: 1_310, kernel: true, window: 256 * KiB },
      { rows: 2_048, kernel: true, window: fitting },
      { rows: 2_048, kernel: true, window: fitting },
      { rows: 2_048, kernel: true, window: fitting },
      { rows: 891, kernel: true, window: 2 * fitting },
    ]);
  });

  it('have a window of at least 16 KiB and at most the memory of the kernel', () => {
    index.window = 64 * KiB;
    expect(blocksOf(record(4).repeat(2_048)).at(-1)?.window).toBe(16 * KiB);
    index.window = windowBytes / 2;
    const large = blocksOf(record(4 * KiB).repeat(700));
    expect(large.map(({ rows }) => rows)).toEqual([128, 256, 256, 60]);
    expect(large.every(({ window }) => window === windowBytes)).toBe(true);
  });

  it('end with the last record, whether it has a line end or not', () => {
    for (const text of ['a,b\nc,d', 'a,b\nc,d\n', 'a,b\nc,d\r', 'a,b\n"c""",d', 'a,b\n\n"c",d\n\n\r'])
      expect(blocksOf(text)).toMatchObject([{ rows: 2, kernel: true }]);
  });

  it('have at most as many malformed records as a block can have rows', () => {
    index.window = 64 * KiB;
    openIndex(index);
    const malformed: number[] = [];
    const bytes = Buffer.from('x\n'.repeat(5_000));
    do {
      indexRecords(index, bytes, false);
      malformed.push(index.malformed.length);
    } while (index.malformed.length > 0);
    expect(malformed).toEqual([2_048, 2_048, 904, 0]);
    expect(index.ordinal).toBe(5_000);
  });

  it('continue over blank lines and quoted records', () => {
    index.window = 64 * KiB;
    const text = `${record(100)}\n\r\n${record(100)}"q""",\r\r`.repeat(400);
    expect(blocksOf(text)[0]).toMatchObject({ rows: Math.floor((64 * KiB) / 211) * 3 + 1, kernel: true });
  });

  it('fall back to JavaScript only for a record larger than the window', () => {
    index.window = 16 * KiB;
    const blocks = blocksOf(`${record(100)}${record(40 * KiB)}${record(100).repeat(5_000)}`);
    expect(blocks[0]).toEqual({ rows: 1, kernel: true, window: 32 * KiB });
    expect(blocks[1]).toMatchObject({ rows: 2_048, kernel: false });
    expect(blocks[2]).toMatchObject({ kernel: true });
  });
});

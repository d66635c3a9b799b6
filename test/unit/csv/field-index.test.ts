import { describe, expect, it } from 'vitest';
import { closeIndex, createFieldIndex, openIndex } from '../../../src/csv/field-index.js';
import { indexRecords } from '../../../src/csv/record-parser.js';
import { comma } from './reference.js';

describe('an index', () => {
  it.each([
    [1, 2_048, true],
    [64, 2_048, true],
    [65, 2_016, true],
    [5_000, 26, true],
    [131_072, 1, true],
    [131_073, 1, false],
  ])('of %d fields holds at most %d records, indexed by the kernel: %s', (fieldCount, capacity, shared) => {
    const index = createFieldIndex(comma, fieldCount);
    expect([index.capacity, index.shared]).toEqual([capacity, shared]);
    expect(createFieldIndex(comma, fieldCount, false).shared).toBe(false);
  });

  it('has the highest byte that ends a field or opens a quote as its top byte', () => {
    const top = (delimiter: number, quote: number): number =>
      createFieldIndex({ delimiter, quote }, 1).topByte;
    expect([top(0x2c, 0x22), top(0x09, 0x7e), top(0x01, 0x02)]).toEqual([0x2c, 0x7e, 0x0d]);
  });

  it('releases its chunk', () => {
    const index = createFieldIndex(comma, 1, false);
    openIndex(index);
    indexRecords(index, Buffer.from('a\nb\n'), false);
    expect([index.rows, index.next, index.ordinal, index.line]).toEqual([2, 4, 2, 2]);
    closeIndex(index);
    expect(index.text).toHaveLength(0);
    openIndex(index);
    expect([index.rows, index.next, index.ordinal, index.line]).toEqual([0, 0, 0, 0]);
  });
});

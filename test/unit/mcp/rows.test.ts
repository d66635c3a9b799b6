import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { exact, exactText, fitting } from '../../../src/mcp/exact.js';
import { readRows } from '../../../src/mcp/rows.js';

/** Stream of rows in pieces of `pieceBytes`, with the position up to which it was read. */
const rowsOf = (rows: readonly object[], pieceBytes: number) => {
  const text = Buffer.from(`[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`);
  let sent = 0;
  const body = Readable.from(
    (function* () {
      for (let at = 0; at < text.length; at += pieceBytes) {
        sent = at;
        yield text.subarray(at, at + pieceBytes);
      }
    })(),
    { objectMode: false, highWaterMark: 1 },
  );
  return { body, sent: () => sent, length: text.length };
};

describe('readRows', () => {
  it('reads rows from pieces of any size, in the order of the names', async () => {
    const rows = [
      { b: 'ü\n', a: 1, '10': null },
      { b: '"', a: 2, '10': 'x' },
    ];
    for (const pieceBytes of [1, 2, 3, 7, 1_000])
      expect(await readRows(rowsOf(rows, pieceBytes).body, ['b', '10', 'a'], 1_000)).toEqual({
        rows: [
          ['ü\n', null, 1],
          ['"', 'x', 2],
        ],
        isCut: false,
      });
    expect(await readRows(rowsOf([], 1).body, ['a'], 10)).toEqual({ rows: [], isCut: false });
  });

  it('stops at the first row that does not fit, and destroys the stream', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => ({ n }));
    const { body, sent, length } = rowsOf(many, 100);
    const { rows, isCut } = await readRows(body, ['n'], 50);
    expect([rows.length, isCut, body.destroyed]).toEqual([12, true, true]);
    expect(sent()).toBeLessThan(length / 10);
  });

  it('stops within a row that is longer than the limit', async () => {
    const { body, sent } = rowsOf([{ t: 'x'.repeat(2_000_000) }], 1_000);
    expect(await readRows(body, ['t'], 50_000)).toEqual({ rows: [], isCut: true });
    expect(sent()).toBeLessThan(300_000);
  });

  it('rejects with the error of its stream', async () => {
    const body = Readable.from(
      (function* () {
        yield Buffer.from('[\n{"a":1},\n');
        throw new Error('cut off');
      })(),
      { objectMode: false },
    );
    await expect(readRows(body, ['a'], 100)).rejects.toThrow('cut off');
  });
});

describe('exact', () => {
  it('keeps numbers of up to 15 digits, and turns others into text', () => {
    const kept = [0, 1.5, -2.25, 123_456_789_012_345, 0.1, 1e-7, 0.000_123_456_789_012_345];
    expect(exact(kept)).toEqual(kept);
    expect(exact([2 ** 53, 0.123_456_789_012_345_6, 1e21, -0])).toEqual([
      '9007199254740992',
      '0.1234567890123456',
      '1e+21',
      '-0',
    ]);
    expect(exact({ a: [{ b: 2 ** 60 }], c: null, d: 'x', e: true })).toEqual({
      a: [{ b: '1152921504606847000' }],
      c: null,
      d: 'x',
      e: true,
    });
  });

  it('reads decimal text of up to 15 digits as a number', () => {
    expect(['1.37', '-5', '0', '1.50'].map(exactText)).toEqual([1.37, -5, 0, 1.5]);
    expect(['1915883588174806058', '123456789012345678901234567890.25'].map(exactText)).toEqual([
      '1915883588174806058',
      '123456789012345678901234567890.25',
    ]);
    expect(['1e400', '-1e400', '1e-400', '0e5'].map(exactText)).toEqual(['1e400', '-1e400', '1e-400', 0]);
  });
});

describe('fitting', () => {
  it('returns as many items as fit into a length', () => {
    expect(fitting(['ab', 'cd', 'ef'], 10)).toEqual(['ab', 'cd']);
    expect(fitting(['ab'], 1)).toEqual([]);
    expect(fitting(['ab', 'cd'], 10)).toEqual(['ab', 'cd']);
  });
});

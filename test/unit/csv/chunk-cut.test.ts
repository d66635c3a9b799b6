import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutChunk } from '../../../src/csv/chunk-cut.js';
import type { SplitChunk } from '../../../src/csv/types.js';
import { comma, parseReference } from './reference.js';

const chunkOf = (text: string, rows: number): SplitChunk => ({
  bytes: Buffer.from(text),
  firstRow: 70,
  rows,
  firstLine: 90,
  last: true,
});

const field = fc.oneof(
  fc.stringMatching(/^[a-z0-9 ]{0,12}$/),
  fc.stringMatching(/^[a-z",\n\r]{0,8}$/).map((text) => `"${text.replaceAll('"', '""')}"`),
);
const lineEnd = fc.constantFrom('\n', '\r\n', '\n\n');
const records = fc.array(
  fc.tuple(fc.constantFrom('x', '1', '"q\n"'), field, lineEnd).map(([a, b, end]) => `${a},${b}${end}`),
  { minLength: 1, maxLength: 40 },
);

describe('cutChunk', () => {
  it('keeps all records, quoted or not, and gives each part its first row and line', () => {
    fc.assert(
      fc.property(records, fc.integer({ min: 1, max: 12 }), (list, pieces) => {
        const text = list.join('');
        const parts = cutChunk(chunkOf(text, list.length), comma, pieces);
        expect(
          parts.flatMap(({ bytes }) => parseReference(bytes.toString()).map(({ fields }) => fields)),
        ).toEqual(parseReference(text).map(({ fields }) => fields));
        const whole = parseReference(text);
        let row = 70;
        for (const part of parts) {
          expect(part.firstRow).toBe(row);
          expect(part.rows).toBeGreaterThan(0);
          expect(part.firstLine).toBe((whole[row - 70]?.line ?? 0) + 89);
          row += part.rows;
        }
        expect(row).toBe(70 + list.length);
        expect(parts.map(({ last }) => last)).toEqual(parts.map((_, at) => at === parts.length - 1));
        if (list.length > 1) expect(parts.length).toBeGreaterThan(1);
      }),
    );
  });

  it.each([
    [1, [50, 50]],
    [2, [50, 50]],
    [4, [25, 25, 25, 25]],
    [5, [20, 20, 20, 20, 20]],
  ])('for %d pieces returns parts of equal size, at least two', (pieces, rows) => {
    const parts = cutChunk(chunkOf('1,abcdefg\n'.repeat(100), 100), comma, pieces);
    expect(parts.map((part) => part.rows)).toEqual(rows);
    expect(parts.every(({ bytes, rows: count }) => bytes.length === count * 10)).toBe(true);
  });

  it('puts a record larger than a part into a part of its own', () => {
    const long = `"${'x'.repeat(90)}\n",1\n`;
    const parts = cutChunk(chunkOf(`a,b\n${long}c,d\n`, 3), comma, 4);
    expect(parts.map(({ bytes }) => bytes.toString())).toEqual(['a,b\n', long, 'c,d\n']);
    expect(parts.map(({ firstLine }) => firstLine)).toEqual([90, 91, 93]);
  });

  it.each(['a,b', 'a,b\nc,d', 'a,b\r\nc,d\r', 'a,b\nc,"d"'])(
    'keeps a last record without a line end: %j',
    (text) => {
      const rows = parseReference(text).length;
      const parts = cutChunk(chunkOf(text, rows), comma, 2);
      expect(parts.map((part) => part.rows)).toEqual(Array.from({ length: rows }, () => 1));
      expect(parts.map(({ bytes }) => bytes.toString()).join('')).toBe(text);
    },
  );

  it('returns a chunk of one record unchanged', () => {
    const [part, ...more] = cutChunk(chunkOf('a,"b\nc"\n', 1), comma, 8);
    expect(more).toEqual([]);
    expect(part).toMatchObject({ firstRow: 70, rows: 1, firstLine: 90, last: true });
    expect(part?.bytes.toString()).toBe('a,"b\nc"\n');
  });
});

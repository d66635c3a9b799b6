import { describe, expect, it } from 'vitest';
import { createRecordScan, eachRecord, nextRecord, shiftScan } from '../../../src/csv/record-scan.js';
import { comma } from './reference.js';

const KiB = 1024;
const newScan = () => createRecordScan(comma.delimiter);

describe('the end of a record', () => {
  it.each<[string, number, number, number]>([
    ['a\r\nb', 2, -1, 2],
    ['a\r\rb', 2, -1, 2],
    ['a\nb', 1, -1, 1],
    ['"a"",b', 3, -1, 3],
    ['"a"\n', 3, -1, 3],
    ['"a"\n', 4, 4, 4],
    ['a,"b\r\n', 5, -1, -1],
    ['\r\n', 1, -1, -1],
    ['\n\r\n', 2, -1, -1],
  ])(
    'in %j depends only on its first %d bytes: %d, or %d if no others follow',
    (text, length, open, final) => {
      const bytes = Buffer.from(text);
      expect(nextRecord(newScan(), bytes, length, false)).toBe(open);
      expect(nextRecord(newScan(), bytes, length, true)).toBe(final);
    },
  );

  it.each(['a\r\nb\n', '"a""\n";"b"\r\n', 'x,"y\r\n"\r\n', '\r\n\r\nab\r', 'a "b\n"c\n', '"a" "\n"\n'])(
    'in %j is the same whether the bytes arrive at once or one by one',
    (text) => {
      const bytes = Buffer.from(text);
      const ends = (step: number): [number, number, number][] => {
        const scan = createRecordScan(-1);
        const found: [number, number, number][] = [];
        for (let length = step; length <= bytes.length; length += step) {
          const final = length === bytes.length;
          while (nextRecord(scan, bytes, length, final) >= 0)
            found.push([scan.foundStart, scan.foundTextEnd, scan.foundLine]);
        }
        return found;
      };
      expect(ends(1)).toEqual(ends(bytes.length));
      expect(ends(1).length).toBeGreaterThan(0);
    },
  );

  it('ignores line ends in quotes only if the quote opens a field', () => {
    const endOf = (text: string, delimiter = comma.delimiter): number =>
      nextRecord(createRecordScan(delimiter), Buffer.from(text), text.length, true);
    expect(endOf('a;"b\nc"\n')).toBe(5);
    expect(endOf('a;"b\nc"\n', 0x3b)).toBe(8);
    expect(endOf('a,"b\nc"\n')).toBe(8);
    // The delimiter of a header is not known yet, so each candidate counts.
    for (const delimiter of [',', ';', '\t', '|']) expect(endOf(`a${delimiter}"b\nc"\n`, -1)).toBe(8);
    expect(endOf('a:"b\nc"\n', -1)).toBe(5);
  });
});

describe('all records in memory', () => {
  /** Records after a first one of `before` bytes, and the state after them, relative to the end of the first. */
  const scannedAfter = (before: number, text: string) => {
    const scan = newScan();
    const all = `${'x'.repeat(before - 1)}\n${text}`;
    const records: number[][] = [];
    // Bytes beyond `filled` are stale and must be ignored.
    eachRecord(scan, { buffer: Buffer.from(`${all}\n"\n"`), filled: all.length }, (end) => {
      records.push([scan.foundStart - before, scan.foundLine, end - before]);
    });
    const { position, recordStart, recordLine, line, quoted, quoteLine } = scan;
    return [records.slice(1), position - before, recordStart - before, recordLine, line, quoted, quoteLine];
  };

  it.each(['\r\n\r\n"a\r\n""",b\r\n', ',"\n"\n', '"",""\r', 'a "x\n"y\n', '"long\r\n\r\n', ',"'])(
    'are the same wherever the kernel resumes: %j',
    (pattern) => {
      const text = pattern.repeat(3);
      const expected = scannedAfter(2, text);
      for (const resumesAt of [64 * KiB, 128 * KiB - 1])
        for (let more = -40; more <= 2; more++)
          expect(scannedAfter(resumesAt + more, text)).toEqual(expected);
    },
  );

  it('are found after earlier bytes are dropped', () => {
    const scan = newScan();
    const text = 'a\n"b\n",c\n\nd\ne';
    const found: string[] = [];
    let dropped = 0;
    const memory = { buffer: Buffer.from(text), filled: text.length };
    eachRecord(scan, memory, (end) => {
      found.push(memory.buffer.subarray(scan.foundStart, end).toString());
      memory.buffer = memory.buffer.subarray(end);
      memory.filled -= end;
      dropped += end;
      shiftScan(scan, end);
    });
    expect(found).toEqual(['a\n', '"b\n",c\n', 'd\n']);
    expect([dropped + scan.position, dropped + scan.recordStart]).toEqual([text.length, text.length - 1]);
  });
});

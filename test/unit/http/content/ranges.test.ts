import { describe, expect, it } from 'vitest';
import { frameParts, parseRange } from '../../../../src/http/content/ranges.js';

describe('parseRange', () => {
  it.each([
    ['bytes=0-9', [{ start: 0, end: 9 }]],
    ['bytes=90-', [{ start: 90, end: 99 }]],
    ['bytes=-5', [{ start: 95, end: 99 }]],
    ['bytes=-500', [{ start: 0, end: 99 }]],
    ['bytes=95-200', [{ start: 95, end: 99 }]],
    [
      ' Bytes = 0-1 , 5-6,-1',
      [
        { start: 0, end: 1 },
        { start: 5, end: 6 },
        { start: 99, end: 99 },
      ],
    ],
    ['bytes=0-1,200-300', [{ start: 0, end: 1 }]],
  ])('reads %j', (header, parts) => {
    expect(parseRange(header, 100)).toEqual({ kind: 'parts', parts });
  });

  it.each([undefined, '', 'lines=0-1', 'bytes=', 'bytes=a-b', 'bytes=5-1', 'bytes=-', 'bytes=1-2-3'])(
    'returns the whole file for %j',
    (header) => {
      expect(parseRange(header, 100)).toEqual({ kind: 'whole' });
    },
  );

  it.each(['bytes=100-', 'bytes=-0', 'bytes=200-300,400-'])('cannot satisfy %j', (header) => {
    expect(parseRange(header, 100)).toEqual({ kind: 'unsatisfiable' });
  });

  it('returns the whole file for ranges that add up to more than the file, or for very many ranges', () => {
    expect(parseRange('bytes=0-99,0-99', 100)).toEqual({ kind: 'whole' });
    const many = Array.from({ length: 33 }, (_, index) => `${index}-${index}`).join(',');
    expect(parseRange(`bytes=${many}`, 100)).toEqual({ kind: 'whole' });
  });

  it('cannot satisfy a range of an empty file', () => {
    expect(parseRange('bytes=0-', 0)).toEqual({ kind: 'unsatisfiable' });
  });
});

describe('frameParts', () => {
  it('frames the parts, and returns the exact length of the body', () => {
    const parts = [
      { start: 0, end: 1 },
      { start: 5, end: 9 },
    ];
    const { heads, end, length } = frameParts(parts, 10, 'text/csv', 'XX');
    const text = `${heads[0]}01${heads[1]}56789${end}`;
    expect(text).toBe(
      '--XX\r\nContent-Type: text/csv\r\nContent-Range: bytes 0-1/10\r\n\r\n01\r\n--XX\r\nContent-Type: text/csv\r\nContent-Range: bytes 5-9/10\r\n\r\n56789\r\n--XX--\r\n',
    );
    expect(length).toBe(text.length);
  });
});

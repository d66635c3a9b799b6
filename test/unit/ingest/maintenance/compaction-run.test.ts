import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseRun } from '../../../../src/rows/compact.js';
import type { ListedSegment } from '../../../../src/rows/compactions.js';

const listOf = (sizes: readonly number[]): ListedSegment[] =>
  sizes.map((bytes, at) => ({ id: 1_000 * (at + 1) + 1, uploadNumber: at + 1, rows: 1, bytes, whole: true }));

const chosen = (sizes: readonly number[], least = 3, maxBytes = 1_000_000): number[] | undefined =>
  chooseRun(listOf(sizes), { least, maxBytes })?.map(({ bytes }) => bytes);

describe('the run that is joined', () => {
  it.each<[why: string, sizes: number[], run: number[] | undefined]>([
    ['all of equal small ones', [5, 5, 5, 5], [5, 5, 5, 5]],
    ['none of few', [5, 5], undefined],
    ['those behind a large one', [1_000, 5, 6, 7], [5, 6, 7]],
    ['those before a large one', [5, 6, 7, 1_000], [5, 6, 7]],
    ['empty ones, which cost a part too', [0, 0, 0], [0, 0, 0]],
    ['one that is no larger than all others together', [15, 5, 5, 5], [15, 5, 5, 5]],
    ['not one that is', [16, 5, 5, 5], [5, 5, 5]],
    ['the longer of two', [5, 5, 5, 900, 7, 7, 7, 7], [7, 7, 7, 7]],
  ])('is %s', (_why, sizes, run) => {
    expect(chosen(sizes)).toEqual(run);
  });

  it('does not hold segments that a version has in part', () => {
    const list = listOf([5, 5, 5, 5, 5, 5, 5]).map((segment, at) => ({ ...segment, whole: at !== 3 }));
    expect(chooseRun(list, { least: 3, maxBytes: 100 })?.map(({ id }) => id)).toEqual([1001, 2001, 3001]);
    expect(chooseRun(list, { least: 4, maxBytes: 100 })).toBeUndefined();
  });

  it('keeps its bounds, and ends: joining again and again copies a row a few times', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 200 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 2, max: 12 }), (given, least) => {
        const maxBytes = 5_000;
        let list = listOf(given);
        const total = given.reduce((sum, size) => sum + Math.max(size, 1), 0);
        let copied = 0;
        for (;;) {
          const run = chooseRun(list, { least, maxBytes });
          if (run === undefined) break;
          const bytes = run.reduce((sum, segment) => sum + Math.max(segment.bytes, 1), 0);
          expect(run.length).toBeGreaterThanOrEqual(least);
          expect(bytes).toBeLessThanOrEqual(maxBytes);
          copied += bytes;
          const start = list.indexOf(run[0]!);
          const joined = { ...run[0]!, rows: run.length, bytes };
          list = [...list.slice(0, start), joined, ...list.slice(start + run.length)];
        }
        expect(copied).toBeLessThanOrEqual(total * (1 + Math.log2(Math.max(total, 2))));
      }),
      { numRuns: 200, seed: 11 },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseNext, chooseRun, type ListedSegment } from '../../../src/rows/runs.js';

const listOf = (sizes: readonly number[]): ListedSegment[] =>
  sizes.map((bytes, at) => ({
    id: 1_000 * (at + 1) + 1,
    uploadNumber: at + 1,
    rows: 1,
    bytes,
    patch: false,
    hidden: 0,
    whole: true,
  }));

const chosen = (sizes: readonly number[], least = 3, maxBytes = 1_000_000): number[] | undefined =>
  chooseRun(listOf(sizes), { least, maxBytes })?.map(({ bytes }) => bytes);

describe('the run to join', () => {
  it.each<[why: string, sizes: number[], run: number[] | undefined]>([
    ['all segments, if they are equally small', [5, 5, 5, 5], [5, 5, 5, 5]],
    ['none, if there are few segments', [5, 5], undefined],
    ['the segments after a large one', [1_000, 5, 6, 7], [5, 6, 7]],
    ['the segments before a large one', [5, 6, 7, 1_000], [5, 6, 7]],
    ['empty segments, since each costs a part', [0, 0, 0], [0, 0, 0]],
    ['all segments, if none is larger than the others together', [15, 5, 5, 5], [15, 5, 5, 5]],
    ['without a segment that is larger than the others together', [16, 5, 5, 5], [5, 5, 5]],
    ['the longer of two runs', [5, 5, 5, 900, 7, 7, 7, 7], [7, 7, 7, 7]],
  ])('is %s', (_why, sizes, run) => {
    expect(chosen(sizes)).toEqual(run);
  });

  it('does not include segments of which a version has only a part', () => {
    const list = listOf([5, 5, 5, 5, 5, 5, 5]).map((segment, at) => ({ ...segment, whole: at !== 3 }));
    expect(chooseRun(list, { least: 3, maxBytes: 100 })?.map(({ id }) => id)).toEqual([1001, 2001, 3001]);
    expect(chooseRun(list, { least: 4, maxBytes: 100 })).toBeUndefined();
  });

  it('respects its bounds, and repeated joining ends after few copies of each row', () => {
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

describe('bases and patches', () => {
  const mixed = (kinds: string, bytes = 5): ListedSegment[] =>
    listOf([...kinds].map(() => bytes)).map((segment, at) => ({ ...segment, patch: kinds[at] === 'p' }));
  const next = (kinds: string): string | undefined =>
    chooseNext(mixed(kinds), { least: 3, maxBytes: 1_000_000 })
      ?.map(({ id }) => Math.floor(id / 1_000))
      .join(' ');

  it.each<[kinds: string, run: string | undefined]>([
    ['bpbpb', '1 3 5'],
    ['bppp', undefined],
    ['bpppp', '2 3 4 5'],
    ['bpbppp', '2 4 5 6'],
    ['bpbp', undefined],
  ])('are joined only with their own kind: %s becomes a join of %s', (kinds, run) => {
    expect(next(kinds)).toBe(run);
  });

  it('leave at most 16 patches, however different their sizes are', () => {
    const growing = mixed('p'.repeat(20)).map((patch, at) => ({ ...patch, bytes: 10 ** (at + 1) }));
    const run = chooseNext(growing, { least: 3, maxBytes: 10 ** 30 });
    expect(run?.map(({ bytes }) => bytes)).toEqual([10, 100, 1_000, 10_000, 100_000]);
  });

  it('stay bounded in number at logarithmic cost', () => {
    let patches: ListedSegment[] = [];
    let copied = 0;
    for (let day = 1; day <= 2_000; day += 1) {
      patches.push({ ...listOf([100])[0]!, id: day * 1_000 + 1, patch: true });
      for (;;) {
        const run = chooseNext(patches, { least: 1_000, maxBytes: 10 ** 12 });
        if (run === undefined) break;
        const bytes = run.reduce((sum, one) => sum + one.bytes, 0);
        copied += bytes;
        const start = patches.indexOf(run[0]!);
        patches = [...patches.slice(0, start), { ...run[0]!, bytes }, ...patches.slice(start + run.length)];
      }
      expect(patches.length).toBeLessThanOrEqual(16);
    }
    expect(copied).toBeLessThanOrEqual(2_000 * 100 * (1 + Math.log2(2_000)));
  });
});

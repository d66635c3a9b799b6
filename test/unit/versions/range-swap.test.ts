import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RunRange, swapRanges, swapWhole } from '../../../src/rows/swap.js';

/** Upload numbers of the segments of the run, with other uploads between them. */
const uploadNumbers = [4, 10, 20];

const range = (
  place: number,
  from: number,
  until: number | null = null,
  beforeUpload: number | null = null,
) => ({
  place,
  from,
  until,
  beforeUpload,
});

const joined = (ranges: readonly RunRange[], until: number | null = null) =>
  swapRanges(ranges, uploadNumbers, until);

describe('ranges of a run', () => {
  it('become those of the joined segment, cut for versions with only the start of the run', () => {
    expect(joined([range(0, 1), range(1, 2), range(2, 3)])).toEqual({
      joined: [
        { from: 1, until: 2, beforeUpload: 10 },
        { from: 2, until: 3, beforeUpload: 20 },
        { from: 3, until: null, beforeUpload: null },
      ],
      rest: [],
    });
  });

  it('are switched even if they ended and started again several times', () => {
    expect(joined([range(0, 1, 5), range(1, 2, 5), range(2, 2, 5), range(0, 7), range(1, 8, 9)])).toEqual({
      joined: [
        { from: 1, until: 2, beforeUpload: 10 },
        { from: 2, until: 5, beforeUpload: null },
        { from: 7, until: 8, beforeUpload: 10 },
        { from: 8, until: 9, beforeUpload: 20 },
        { from: 9, until: null, beforeUpload: 10 },
      ],
      rest: [],
    });
  });

  it('keep the cut of the last segment', () => {
    expect(joined([range(0, 1), range(1, 1, 4, 16), range(1, 4)])?.joined).toEqual([
      { from: 1, until: 4, beforeUpload: 16 },
      { from: 4, until: null, beforeUpload: 20 },
    ]);
  });

  it('are switched up to the end of a window; later ones stay', () => {
    expect(joined([range(0, 1), range(1, 2, 9), range(2, 2, 3)], 3)).toEqual({
      joined: [
        { from: 1, until: 2, beforeUpload: 10 },
        { from: 2, until: 3, beforeUpload: null },
      ],
      rest: [range(0, 3), range(1, 3, 9)],
    });
  });

  it.each<[why: string, ranges: RunRange[]]>([
    ['a gap', [range(0, 1), range(2, 2)]],
    ['no start', [range(1, 1)]],
    ['a cut in the middle', [range(0, 1, null, 5), range(1, 2)]],
    ['a start that ends first', [range(0, 1, 3), range(1, 1)]],
  ])('are not switched with %s', (_why, ranges) => {
    expect(joined(ranges)).toBeUndefined();
  });
});

/** Part of the run that a version has: its first `count` segments, the last of them possibly cut. */
interface Held {
  readonly count: number;
  readonly cut: number | null;
}

/** Uploads of each segment: one that was joined before has several, and a version may have only part of it. */
const uploads = [[1, 2, 5], [6], [8, 9], [12, 13, 14]];
const firsts = uploads.map(([first]) => first!);

const held = fc
  .record({
    count: fc.integer({ min: 0, max: uploads.length }),
    cut: fc.option(fc.integer({ min: 1, max: 2 })),
  })
  .map(({ count, cut }): Held => ({ count, cut: uploads[count - 1]?.[cut ?? 3] ?? null }));

/** Ranges of the versions. */
const rangesOf = (versions: readonly Held[]): RunRange[] => {
  const ranges: RunRange[] = [];
  for (let place = 0; place < uploads.length; place += 1) {
    let open: RunRange | undefined;
    const has = (at: number): number | null | undefined => {
      const { count, cut } = versions[at]!;
      if (place >= count) return undefined;
      return place === count - 1 ? cut : null;
    };
    for (let at = 0; at < versions.length; at += 1) {
      const cut = has(at);
      if (open !== undefined && open.beforeUpload !== cut) {
        ranges.push({ ...open, until: at + 1 });
        open = undefined;
      }
      if (cut !== undefined) open ??= { place, from: at + 1, until: null, beforeUpload: cut };
    }
    if (open !== undefined) ranges.push(open);
  }
  return ranges;
};

const before = (all: readonly number[], cut: number | null): number[] =>
  all.filter((upload) => upload < (cut ?? Infinity));

const uploadsOf = ({ count, cut }: Held): number[] => before(uploads.slice(0, count).flat(), cut);

describe('any history', () => {
  it('reads the same rows, window by window', () => {
    fc.assert(
      fc.property(
        fc.array(held, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 2, max: 14 }),
        (versions, end) => {
          const all = rangesOf(versions).sort((a, b) => a.from - b.from);
          const first = swapRanges(
            all.filter(({ from }) => from < end),
            firsts,
            end,
          );
          const left = [...(first?.rest ?? []), ...all.filter(({ from }) => from >= end)];
          const second = swapRanges(left, firsts, null);
          const swapped = [...(first?.joined ?? []), ...(second?.joined ?? [])];
          for (const [at, version] of versions.entries()) {
            const found = swapped.filter(
              ({ from, until }) => from <= at + 1 && (until === null || until > at + 1),
            );
            expect(found).toHaveLength(version.count === 0 ? 0 : 1);
            const rows = found.flatMap(({ beforeUpload }) => before(uploads.flat(), beforeUpload));
            expect(rows).toEqual(uploadsOf(version));
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('ranges of a run that is only switched as a whole', () => {
  it('become those of the joined segment for versions with the whole run, and stay for others', () => {
    expect(swapWhole([range(0, 1), range(1, 2), range(2, 3)], 3)).toEqual({
      joined: [{ from: 3, until: null, beforeUpload: null }],
      rest: [range(0, 1, 3), range(1, 2, 3)],
    });
  });

  it('are switched as often as versions have the whole run', () => {
    const ranges = [range(0, 1, 6), range(1, 2, 6), range(0, 7, 8), range(0, 9), range(1, 9, 11)];
    expect(swapWhole(ranges, 2)).toEqual({
      joined: [
        { from: 2, until: 6, beforeUpload: null },
        { from: 9, until: 11, beforeUpload: null },
      ],
      rest: [range(0, 1, 2), range(0, 7, 8), range(0, 11)],
    });
  });

  it('stay if no version has the whole run, as in a clone of an earlier version', () => {
    expect(swapWhole([range(0, 1), range(1, 1, 4)], 3)).toEqual({
      joined: [],
      rest: [range(0, 1), range(1, 1, 4)],
    });
  });

  it('stay if a version has only a part of a segment', () => {
    expect(swapWhole([range(0, 1, 3, 20), range(0, 3), range(1, 2)], 2)).toEqual({
      joined: [{ from: 3, until: null, beforeUpload: null }],
      rest: [range(0, 1, 3, 20), range(1, 2, 3)],
    });
  });

  it('give each version of any history all or nothing of the joined segment, and keep its rows', () => {
    const has = fc.array(fc.boolean(), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(has, { minLength: 1, maxLength: 12 }), (versions) => {
        const ranges = [0, 1, 2].flatMap((place) =>
          versions.flatMap((version, at) => {
            if (version[place] !== true || (at > 0 && versions[at - 1]![place] === true)) return [];
            const end = versions.findIndex((other, later) => later > at && other[place] !== true);
            return [range(place, at + 1, end < 0 ? null : end + 1)];
          }),
        );
        const { joined: whole, rest } = swapWhole(ranges, 3);
        const holds = (at: number, one: { from: number; until: number | null }): boolean =>
          one.from <= at + 1 && (one.until === null || one.until > at + 1);
        for (const [at, version] of versions.entries()) {
          const isWhole = version.every(Boolean);
          expect(whole.filter((one) => holds(at, one))).toHaveLength(isWhole ? 1 : 0);
          const places = rest.filter((one) => holds(at, one)).map(({ place }) => place);
          expect(places.sort()).toEqual(isWhole ? [] : [0, 1, 2].filter((place) => version[place]));
        }
      }),
      { numRuns: 500 },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RunRange, swapRanges } from '../../../../src/rows/swap.js';

const starts = [0, 10, 20, 35];

const range = (place: number, from: number, until: number | null = null, rowLimit: number | null = null) => ({
  place,
  from,
  until,
  rowLimit,
});

const joined = (ranges: readonly RunRange[], until: number | null = null) =>
  swapRanges(ranges, starts, { until });

describe('ranges of a run', () => {
  it('become those of the joined segment, cut where a version ends inside of the run', () => {
    expect(joined([range(0, 1), range(1, 2), range(2, 3)])).toEqual({
      joined: [
        { from: 1, until: 2, rowLimit: 10 },
        { from: 2, until: 3, rowLimit: 20 },
        { from: 3, until: null, rowLimit: null },
      ],
      rest: [],
    });
  });

  it('are led over however often they were ended and opened again', () => {
    expect(joined([range(0, 1, 5), range(1, 2, 5), range(2, 2, 5), range(0, 7), range(1, 8, 9)])).toEqual({
      joined: [
        { from: 1, until: 2, rowLimit: 10 },
        { from: 2, until: 5, rowLimit: null },
        { from: 7, until: 8, rowLimit: 10 },
        { from: 8, until: 9, rowLimit: 20 },
        { from: 9, until: null, rowLimit: 10 },
      ],
      rest: [],
    });
  });

  it('keep a cut of the last one, moved behind those before it', () => {
    expect(joined([range(0, 1), range(1, 1, 4, 6), range(1, 4)])?.joined).toEqual([
      { from: 1, until: 4, rowLimit: 16 },
      { from: 4, until: null, rowLimit: 20 },
    ]);
  });

  it('are led over up to the end of a window; what lies behind it stays', () => {
    expect(joined([range(0, 1), range(1, 2, 9), range(2, 2, 3)], 3)).toEqual({
      joined: [
        { from: 1, until: 2, rowLimit: 10 },
        { from: 2, until: 3, rowLimit: null },
      ],
      rest: [range(0, 3), range(1, 3, 9)],
    });
  });

  it.each<[why: string, ranges: RunRange[]]>([
    ['a gap', [range(0, 1), range(2, 2)]],
    ['no start', [range(1, 1)]],
    ['a cut in the middle', [range(0, 1, null, 5), range(1, 2)]],
    ['a start that ends first', [range(0, 1, 3), range(1, 1)]],
  ])('are refused with %s', (_why, ranges) => {
    expect(joined(ranges)).toBeUndefined();
  });
});

/** Versions as a list of how much of the run each has: so many whole segments, and perhaps a cut in the last of them. */
interface Held {
  readonly count: number;
  readonly cut: number | null;
}

const lengths = [4, 0, 3, 5];
const positions = [0, 4, 4, 7, 12];

const held = fc
  .record({
    count: fc.integer({ min: 0, max: lengths.length }),
    cut: fc.option(fc.integer({ min: 0, max: 4 })),
  })
  .map(({ count, cut }): Held => {
    const length = lengths[count - 1] ?? 0;
    return { count, cut: cut === null || count === 0 || cut >= length ? null : cut };
  });

/** The same as ranges. */
const rangesOf = (versions: readonly Held[]): RunRange[] => {
  const ranges: RunRange[] = [];
  for (let place = 0; place < lengths.length; place += 1) {
    let open: RunRange | undefined;
    const has = (at: number): number | null | undefined => {
      const { count, cut } = versions[at]!;
      if (place >= count) return undefined;
      return place === count - 1 ? cut : null;
    };
    for (let at = 0; at < versions.length; at += 1) {
      const limit = has(at);
      if (open !== undefined && open.rowLimit !== limit) {
        ranges.push({ ...open, until: at + 1 });
        open = undefined;
      }
      if (limit !== undefined) open ??= { place, from: at + 1, until: null, rowLimit: limit };
    }
    if (open !== undefined) ranges.push(open);
  }
  return ranges;
};

const rowsOf = ({ count, cut }: Held): number =>
  count === 0 ? 0 : cut === null ? positions[count]! : positions[count - 1]! + cut;

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
            positions,
            { until: end },
          );
          const left = [...(first?.rest ?? []), ...all.filter(({ from }) => from >= end)];
          const second = swapRanges(left, positions, { until: null });
          const swapped = [...(first?.joined ?? []), ...(second?.joined ?? [])];
          for (const [at, version] of versions.entries()) {
            const found = swapped.filter(
              ({ from, until }) => from <= at + 1 && (until === null || until > at + 1),
            );
            expect(found).toHaveLength(version.count === 0 ? 0 : 1);
            const rows = found.map(({ rowLimit }) => rowLimit ?? positions.at(-1)!);
            expect(rows[0] ?? 0).toBe(rowsOf(version));
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

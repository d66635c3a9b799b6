import { describe, expect, it } from 'vitest';
import {
  betters,
  leaves,
  planEvening,
  planLeaving,
  planText,
  wholeShare,
} from '../../../../src/rows/spread-plan.js';

/** Rows of each shard when a plan has been carried out, were rows as fine as sand. */
const carriedOut = (rows: Readonly<Record<number, number>>): Record<number, number> => {
  const plan = planEvening(new Map(Object.entries(rows).map(([shard, own]) => [Number(shard), own])), []);
  if (plan === undefined) return rows;
  const after: Record<number, number> = { ...rows };
  let moved = 0;
  for (const [shard, share] of plan.leaving) {
    const leave = ((rows[shard] ?? 0) * share) / wholeShare;
    after[shard] = (after[shard] ?? 0) - leave;
    moved += leave;
  }
  for (const shard of plan.targets) after[shard] = (after[shard] ?? 0) + moved / plan.targets.length;
  return after;
};

describe('rows of a spread store', () => {
  it.each([
    { before: { 1: 600, 2: 600, 3: 0 } },
    { before: { 1: 900, 2: 0, 3: 0 } },
    { before: { 1: 1_000, 2: 400, 3: 100 } },
    { before: { 1: 500, 2: 500, 3: 500, 4: 0, 5: 0 } },
  ])('go to shards that have few: $before', ({ before }) => {
    const all = Object.values(before).reduce((sum, rows) => sum + rows, 0);
    const fair = all / Object.keys(before).length;
    const after = Object.values(carriedOut(before));
    expect(after.reduce((sum, rows) => sum + rows, 0)).toBeCloseTo(all);
    for (const rows of after) expect(Math.abs(rows - fair)).toBeLessThan(fair * 0.25);
  });

  it.each([
    { why: 'none has so few', rows: [400, 300, 200] },
    { why: 'there are none', rows: [0, 0, 0] },
    { why: 'there is one shard', rows: [100] },
  ])('stay when $why', ({ rows }) => {
    expect(planEvening(new Map(rows.map((own, at) => [at + 1, own])), [])).toBeUndefined();
  });

  it('never leave a shard that is open all together', () => {
    const rows = new Map(Array.from({ length: 500 }, (_, at) => [at + 1, at === 0 ? 1_000_000 : 0]));
    expect(planEvening(rows, [])?.leaving.get(1)).toBe(wholeShare - 1);
  });

  it('leave a shard that is emptied all together', () => {
    const plan = planLeaving([1, 2, 3], [2]);
    expect(plan).toEqual({ leaving: new Map([[2, wholeShare]]), targets: [1, 3], closed: [2] });
    expect(leaves(wholeShare)).toBe('true');
  });

  it('have a plan of one text, in whichever order it was made', () => {
    const plan = (leaving: [number, number][], targets: number[]) =>
      planText({ leaving: new Map(leaving), targets, closed: [] });
    expect(
      plan(
        [
          [2, 5],
          [1, 64],
        ],
        [4, 3],
      ),
    ).toBe(
      plan(
        [
          [1, 64],
          [2, 5],
        ],
        [3, 4],
      ),
    );
    expect(plan([[1, 64]], [3])).not.toBe(plan([[1, 63]], [3]));
    expect(plan([[1, 64]], [2, 3])).not.toContain("'");
  });

  it.each([
    { why: 'none would', changes: {}, moves: false },
    { why: 'they would only change places', changes: { 1: -2_000, 3: 2_000 }, moves: false },
    { why: 'the shards come nearer to each other', changes: { 1: -900, 3: 900 }, moves: true },
  ])('move or stay, as $why', ({ changes, moves }) => {
    const rows = new Map([
      [1, 2_000],
      [2, 1_000],
      [3, 0],
    ]);
    expect(betters(rows, new Map(Object.entries(changes).map(([shard, own]) => [Number(shard), own])))).toBe(
      moves,
    );
  });
});

import { describe, expect, it } from 'vitest';
import { divergenceOf, type Lineage } from '../../../src/rows/lineage.js';
import { tablePlace } from '../../../src/rows/place.js';

type Kind = 'base' | 'patch' | 'gone patch' | 'forgotten';

const runOf = (folds: boolean, parts: Readonly<Record<number, Kind>>) => ({
  folds,
  parts: Object.entries(parts).map(([id, kind]) => ({
    id: Number(id),
    patch: kind === 'forgotten' ? null : kind !== 'base',
    rows: Number(id),
    stored: kind === 'base' || kind === 'patch',
  })),
});

const version = (segmentIds: readonly number[], patches: readonly number[] = []) => ({
  place: tablePlace({ storeId: 1, shard: 1 }),
  columns: [],
  rowCount: 1_000,
  segmentIds,
  patches,
});

/** Base 10, patches 20 to 40, of which 50 is the fold. */
const fold: Lineage = new Map([[50, runOf(true, { 10: 'base', 20: 'patch', 30: 'patch', 40: 'patch' })]]);
const none = { from: { segmentIds: [] }, to: { segmentIds: [] } };

describe('two versions, one with a fold', () => {
  it('differ at the positions of patches that only the later one was made of', () => {
    const from = version([10, 20], [20]);
    const to = version([50, 60], [60]);
    expect(divergenceOf({ from, to }, fold)).toEqual({
      rest: none,
      differing: [30, 40, 60],
      retained: [
        expect.objectContaining({ id: 30, rows: 30 }),
        expect.objectContaining({ id: 40, rows: 40 }),
      ],
    });
  });

  it('differ in rows that were appended to one of them', () => {
    const [from, to] = [version([10, 20], [20]), version([50, 70])];
    expect(divergenceOf({ from, to }, fold)).toMatchObject({
      rest: { from: { segmentIds: [] }, to: { segmentIds: [70] } },
      differing: [30, 40],
    });
  });

  it('do not differ if both were made of the same segments', () => {
    const [from, to] = [version([10, 20, 30, 40], [20, 30, 40]), version([50])];
    expect(divergenceOf({ from, to }, fold)).toEqual({ rest: none, differing: [], retained: [] });
  });

  it('find positions of joined patches in the patch that they became', () => {
    const joined: Lineage = new Map([
      [45, runOf(false, { 20: 'forgotten', 30: 'forgotten' })],
      [50, runOf(true, { 10: 'base', 45: 'patch', 40: 'patch' })],
    ]);
    expect(divergenceOf({ from: version([10, 20], [20]), to: version([50]) }, joined)).toMatchObject({
      differing: [40, 45],
    });
    // A version has the patch that was joined.
    expect(divergenceOf({ from: version([10, 45], [45]), to: version([50]) }, joined)).toMatchObject({
      differing: [40],
    });
  });

  it.each([
    ['a patch was deleted', { 10: 'base', 20: 'patch', 30: 'gone patch', 40: 'patch' }],
    ['the record of a segment was deleted', { 10: 'base', 20: 'patch', 30: 'forgotten', 40: 'patch' }],
    ['rows were appended before the fold', { 10: 'base', 20: 'patch', 30: 'base', 40: 'patch' }],
  ] as const)('are compared in full if %s', (_, parts) => {
    const lineage: Lineage = new Map([[50, runOf(true, parts)]]);
    const [from, to] = [version([10, 20], [20]), version([50])];
    expect(divergenceOf({ from, to }, lineage)).toBeUndefined();
    expect(divergenceOf({ from: to, to: from }, lineage)).toBeUndefined();
  });

  it('are compared in full if one has only a part of a segment', () => {
    const from = { ...version([10, 20], [20]), cuts: [{ segmentId: 10, beforeUpload: 3 }] };
    expect(divergenceOf({ from, to: version([50]) }, fold)).toBeUndefined();
  });
});

describe('two versions, one with joined patches', () => {
  /** 35 has the patches 20 to 40, and 36 the patches 50 and 60. */
  const joins: Lineage = new Map([
    [35, runOf(false, { 20: 'gone patch', 30: 'gone patch', 40: 'gone patch' })],
    [36, runOf(false, { 50: 'gone patch', 60: 'gone patch' })],
  ]);

  it('differ at the positions of a joined patch with patches of only the later one', () => {
    const [from, to] = [version([10, 20], [20]), version([10, 35, 36], [35, 36])];
    expect(divergenceOf({ from, to }, joins)).toEqual({ rest: none, differing: [35, 36], retained: [] });
  });

  it('do not differ if the joined patch was made of the patches of the other one', () => {
    const [from, to] = [version([10, 20, 30, 40], [20, 30, 40]), version([10, 35], [35])];
    expect(divergenceOf({ from, to }, joins)).toEqual({ rest: none, differing: [], retained: [] });
  });
});

import { describe, expect, it } from 'vitest';
import type { StoredColumn } from '../../../src/model/column.js';
import { dataTypeOf } from '../../../src/model/column-types/column-types.js';
import type { Place } from '../../../src/model/version.js';
import type { Lineage } from '../../../src/rows/lineage.js';
import { areAlike, pairRows } from '../../../src/rows/pair.js';
import { placeOf, tablePlace } from '../../../src/rows/place.js';
import type { CountedRows } from '../../../src/rows/source.js';

const column = (id: number, physical: 's' | 'f'): StoredColumn => ({
  id,
  storageId: id,
  name: `C${id}`,
  physical,
  dataType: dataTypeOf(physical),
  isEntity: false,
  description: null,
});

const place = tablePlace({ storeId: 5, shard: 1 });

const version = (
  segmentIds: readonly number[],
  rowCount: number,
  rest: Partial<CountedRows> = {},
): CountedRows => ({ place, columns: [column(1, 's')], segmentIds, rowCount, ...rest });

/** Rows that a read of two versions includes, without the SQL. */
const summaryOf = (from: CountedRows, to: CountedRows) => {
  const { parts, sides, maxRows, shared, byPosition } = pairRows('db', from, to);
  return { reads: parts.map(({ side }) => side), sides, maxRows, shared, byPosition };
};

const toSide = '_seg IN {second:Array(UInt64)}';

describe('two versions with the same columns', () => {
  it.each<[string, CountedRows, CountedRows, ReturnType<typeof summaryOf>]>([
    [
      'nothing, if they have the same segments',
      version([1, 2], 30),
      version([2, 1], 30),
      { reads: [], sides: [], maxRows: 0, shared: 'all of from', byPosition: false },
    ],
    [
      'the added segments, if the later one has more',
      version([1], 10),
      version([1, 2, 3], 60),
      { reads: ['1'], sides: ['to'], maxRows: 50, shared: 'all of from', byPosition: false },
    ],
    [
      'the removed segments, if the earlier one has more',
      version([1, 2], 30),
      version([1], 10),
      { reads: ['0'], sides: ['from'], maxRows: 20, shared: 'all of to', byPosition: false },
    ],
    [
      'the segments that they do not share, in one statement',
      version([1, 2], 30),
      version([1, 3], 40),
      { reads: [toSide], sides: ['from', 'to'], maxRows: 70, shared: 'some', byPosition: false },
    ],
    [
      'all rows in one statement, if they share no segment',
      version([1, 2], 30),
      version([3], 40),
      { reads: [toSide], sides: ['from', 'to'], maxRows: 70, shared: 'none', byPosition: false },
    ],
    [
      'all rows of one, if the other is empty',
      version([], 0),
      version([3], 40),
      { reads: ['1'], sides: ['to'], maxRows: 40, shared: 'none', byPosition: false },
    ],
    [
      'nothing, if both are empty',
      version([], 0),
      version([], 0),
      { reads: [], sides: [], maxRows: 0, shared: 'none', byPosition: false },
    ],
    [
      'a segment of both, if one has only a part of it',
      version([1, 2], 30, { cuts: [{ segmentId: 2, beforeUpload: 9 }] }),
      version([1, 2], 40),
      { reads: ['0', '1'], sides: ['from', 'to'], maxRows: 70, shared: 'some', byPosition: false },
    ],
    [
      'nothing of a segment of which both have the same part',
      version([1, 2], 30, { cuts: [{ segmentId: 2, beforeUpload: 9 }] }),
      version([1, 2, 3], 40, { cuts: [{ segmentId: 2, beforeUpload: 9 }] }),
      { reads: ['1'], sides: ['to'], maxRows: 10, shared: 'all of from', byPosition: false },
    ],
    [
      'each in its own statement, if they are on different servers',
      version([1], 10),
      version([3], 40, { place: tablePlace({ storeId: 5, shard: 2 }) }),
      { reads: ['0', '1'], sides: ['from', 'to'], maxRows: 50, shared: 'none', byPosition: false },
    ],
    [
      'rows at patched positions, if the later one has patches',
      version([1], 100),
      version([1, 7], 100, { patches: [7], patchRows: [3] }),
      { reads: ['0', '1'], sides: ['from', 'to'], maxRows: 6, shared: 'some', byPosition: true },
    ],
    [
      'rows at the positions of all patches, if each has patches of its own',
      version([1, 6], 100, { patches: [6], patchRows: [2] }),
      version([1, 7], 4, { patches: [7], patchRows: [3] }),
      { reads: ['0', '0', '1', '1'], sides: ['from', 'to'], maxRows: 9, shared: 'some', byPosition: true },
    ],
    [
      'up to all rows, if one has patches and more rows',
      version([1], 100),
      version([1, 2, 7], 120, { patches: [7], patchRows: [3] }),
      { reads: ['0', '1'], sides: ['from', 'to'], maxRows: 220, shared: 'some', byPosition: true },
    ],
    [
      'up to all rows, if the number of patched rows is unknown',
      version([1], 100),
      version([1, 7], 90, { patches: [7] }),
      { reads: ['0', '1'], sides: ['from', 'to'], maxRows: 190, shared: 'some', byPosition: true },
    ],
    [
      'nothing, if they have the same patches',
      version([1, 7], 100, { patches: [7] }),
      version([1, 7], 100, { patches: [7] }),
      { reads: [], sides: [], maxRows: 0, shared: 'all of from', byPosition: false },
    ],
    [
      'all rows of each, if one has patches and they share no segment',
      version([1, 7], 100, { patches: [7] }),
      version([2], 50),
      { reads: ['0', '1'], sides: ['from', 'to'], maxRows: 150, shared: 'none', byPosition: false },
    ],
  ])('read %s', (_, from, to, expected) => {
    expect(summaryOf(from, to)).toEqual(expected);
  });

  it('are guarded by counts, together or each by its own', () => {
    const guarded = (from: CountedRows, to: CountedRows) => {
      const { values } = pairRows('db', from, to);
      return Object.fromEntries(Object.entries(values).filter(([name]) => name.endsWith('Count')));
    };
    expect(guarded(version([1, 2], 30), version([3], 40))).toEqual({ pairCount: 70 });
    expect(guarded(version([1, 2], 30), version([1, 3], 40))).toEqual({ fromCount: 30, toCount: 40 });
    expect(guarded(version([1], 10), version([1, 2], 30))).toEqual({ toCount: 30 });
  });

  it('list the segments of the later one in a parameter', () => {
    expect(pairRows('db', version([1, 2], 30), version([1, 3, 4], 40)).values).toMatchObject({
      pair: [2, 3, 4],
      second: [3, 4],
    });
  });

  it('read patched positions of all segments, unless the patches replace all rows there', () => {
    const earlier = version([1, 2], 100);
    const later = version([1, 2, 7], 100, { patches: [7], patchRows: [3] });
    expect(pairRows('db', earlier, later).values).toMatchObject({
      differing: [7],
      fromBoth: [1, 2],
      toOnly: [7],
    });
    const behind = version([1, 5, 7], 100, { patches: [5, 7], patchRows: [1, 1] });
    const without = version([1, 7], 100, { patches: [7], patchRows: [1] });
    expect(pairRows('db', without, behind).values).toMatchObject({
      differing: [5],
      fromBoth: [1, 7],
      toOnly: [5],
      toBoth: [1, 7],
    });
  });
});

describe('patches that only one of two versions has', () => {
  const patched = (...patches: readonly number[]): CountedRows =>
    version([1, ...patches], 100, { patches, patchRows: patches.map(() => 2) });
  const readOf = (from: CountedRows, to: CountedRows) => {
    const { fromOnly, fromBoth, toOnly, toBoth } = pairRows('db', from, to).values;
    return { fromOnly, fromBoth, toOnly, toBoth };
  };

  it('replace all other rows at their positions if they are the last ones', () => {
    expect(readOf(patched(5), patched(5, 7, 8))).toEqual({ fromBoth: [1, 5], toOnly: [7, 8] });
  });

  it('do not replace rows of a later patch that both versions have', () => {
    expect(readOf(patched(7), patched(5, 7, 8))).toEqual({
      fromBoth: [1, 7],
      toOnly: [5, 8],
      toBoth: [1, 7],
    });
  });

  it('do not replace rows of a version that lacks one of them', () => {
    expect(readOf(patched(6), patched(7))).toEqual({
      fromOnly: [6],
      fromBoth: [1],
      toOnly: [7],
      toBoth: [1],
    });
  });
});

describe('statements about two versions', () => {
  const cut = [{ segmentId: 2, beforeUpload: 9 }];
  const from = version([1, 2], 100);
  const patchedTo = version([1, 2, 7, 8], 100, { patches: [7, 8], patchRows: [3, 4], hidden: 7 });
  /** Patches 5 and 6 were folded into 50, and both are still stored. */
  const lineage = new Map([
    [
      50,
      {
        folds: true,
        parts: [
          { id: 1, patch: false, rows: 100, stored: true },
          { id: 5, patch: true, rows: 2, stored: true },
          { id: 6, patch: true, rows: 3, stored: true },
        ],
      },
    ],
  ]);

  it.each<[string, CountedRows, CountedRows, Lineage?]>([
    ['own rows', version([1, 2], 30), version([1, 3], 40)],
    ['all rows', version([1, 2], 30), version([3], 40)],
    ['one more', version([1], 10), version([1, 2], 30)],
    ['parts', version([1, 2, 3], 30, { cuts: cut }), version([1, 2], 40)],
    ['patches', from, patchedTo],
    [
      'patches of parts',
      version([1, 2], 90, { cuts: cut }),
      version([1, 2, 3, 7], 95, { cuts: cut, patches: [7], patchRows: [3] }),
    ],
    ['a fold', version([1, 5], 100, { patches: [5], patchRows: [2] }), version([50, 60], 130), lineage],
    ['only a fold', version([1, 5], 100, { patches: [5], patchRows: [2] }), version([50], 100), lineage],
  ])('match the golden file: %s', async (name, earlier, later, known) => {
    const found = pairRows('db', earlier, later, known);
    const text = [
      ...found.parts.map(({ from: table, where, side }) => `${side}: FROM ${table} WHERE ${where}`),
      JSON.stringify(found.values),
      `${found.sides.join()}, at most ${found.maxRows}, ${found.shared} shared`,
    ];
    await expect(`${text.join('\n')}\n`).toMatchFileSnapshot(`./pair/${name.replaceAll(' ', '-')}.txt`);
  });
});

describe('two versions with different columns', () => {
  it('are read in full, each in its own statement', () => {
    const from = version([1, 2], 30);
    const to = version([1, 2], 30, { columns: [column(1, 's'), column(2, 'f')] });
    expect(summaryOf(from, to)).toEqual({
      reads: ['0', '1'],
      sides: ['from', 'to'],
      maxRows: 60,
      shared: 'none',
      byPosition: false,
    });
    expect(summaryOf(version([], 0), to)).toMatchObject({ reads: ['1'], sides: ['to'] });
    expect(summaryOf(from, { ...to, segmentIds: [], rowCount: 0 })).toMatchObject({ sides: ['from'] });
  });

  it('are alike with columns in another order, but not with other types or ids', () => {
    const [one, two] = [column(1, 's'), column(2, 'f')];
    expect(areAlike([one, two], [two, one])).toBe(true);
    expect(areAlike([one, two], [one])).toBe(false);
    expect(areAlike([one], [{ ...one, physical: 'f' }])).toBe(false);
    expect(areAlike([one], [{ ...one, id: 3 }])).toBe(false);
    expect(areAlike([one], [{ ...one, name: 'Other' }])).toBe(true);
  });
});

it('versions in pools are read together if they have the same slot map', () => {
  const pool = (mapId: number): Place =>
    placeOf({ storeId: 5, shard: 1, pool: { mapId, pool: 'narrow', slots: { c1_s: 's0' } } });
  const from = version([1], 10, { place: pool(1) });
  expect(pairRows('db', from, version([2], 10, { place: pool(1) })).parts).toHaveLength(1);
  expect(pairRows('db', from, version([2], 10, { place: pool(2) })).parts).toHaveLength(2);
});

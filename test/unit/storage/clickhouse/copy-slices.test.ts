import { expect, it } from 'vitest';
import { conditionOf, groupsOf, isSame, mergeSlices, sliceRows } from '../../../../src/rows/copy-slices.js';

const slice = (segmentId: number, number: number, rows: number, hash = '1') => ({
  segmentId,
  slice: number,
  rows,
  hash,
});

it('adds what a slice has on several shards, and its hashes as numbers of 64 bits', () => {
  const largest = String(2n ** 64n - 1n);
  const merged = mergeSlices([[slice(1, 0, 5, largest), slice(1, 1, 2)], [slice(1, 0, 3, '6')]]);
  expect(merged.get('1/0')).toEqual(slice(1, 0, 8, '5'));
  expect(merged.get('1/1')).toEqual(slice(1, 1, 2));
});

it('tells slices apart by rows and by hash', () => {
  expect(isSame(slice(1, 0, 5), slice(1, 0, 5))).toBe(true);
  expect(isSame(slice(1, 0, 5), slice(1, 0, 4))).toBe(false);
  expect(isSame(slice(1, 0, 5), slice(1, 0, 5, '2'))).toBe(false);
  expect(isSame(slice(1, 0, 5), undefined)).toBe(false);
});

it('sends small slices together and a large one alone', () => {
  const small = [slice(1, 0, 10), slice(2, 0, 10), slice(3, 0, sliceRows - 20)];
  const large = slice(4, 0, sliceRows);
  expect(groupsOf([...small, large, slice(4, 1, 7)])).toEqual([small, [large], [slice(4, 1, 7)]]);
  expect(groupsOf([])).toEqual([]);
});

it('selects the rows of its slices by the key, and no others', () => {
  const sql = conditionOf([slice(4, 2, 5), slice(4, 3, 5)]).replaceAll(/\s+/g, ' ');
  expect(sql).toBe(
    `_seg IN (4) AND _row >= ${2 * sliceRows} AND _row < ${4 * sliceRows} AND (_seg, intDiv(_row, ${sliceRows})) IN ((4, 2), (4, 3))`,
  );
});

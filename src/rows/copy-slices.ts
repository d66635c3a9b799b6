/** Slices of segments: what is copied, compared and, after a kill, repeated at a time. */
import { addHashes, type HashedSlice } from './segment-hashes.js';
import { idList } from './shard-copy.js';

/** Positions of a slice. */
export const sliceRows = 4_194_304;

export const keyOf = ({ segmentId, slice }: HashedSlice): string => `${segmentId}/${slice}`;

/** Of slices whose rows lie on several shards: one each. */
export const mergeSlices = (lists: readonly (readonly HashedSlice[])[]): Map<string, HashedSlice> => {
  const slices = new Map<string, HashedSlice>();
  for (const one of lists.flat()) {
    const other = slices.get(keyOf(one));
    slices.set(
      keyOf(one),
      other === undefined
        ? one
        : { ...one, rows: one.rows + other.rows, hash: addHashes([one.hash, other.hash]) },
    );
  }
  return slices;
};

export const isSame = (a: HashedSlice, b: HashedSlice | undefined): boolean =>
  a.rows === b?.rows && a.hash === b.hash;

/** Slices that are sent together; a large one is alone. */
export const groupsOf = (slices: readonly HashedSlice[]): HashedSlice[][] => {
  const groups: HashedSlice[][] = [];
  let rows = Number.POSITIVE_INFINITY;
  for (const one of slices) {
    if (rows + one.rows > sliceRows) {
      groups.push([]);
      rows = 0;
    }
    groups.at(-1)?.push(one);
    rows += one.rows;
  }
  return groups;
};

export const rowsOf = (slices: Iterable<HashedSlice>): number =>
  [...slices].reduce((sum, { rows }) => sum + rows, 0);

/** Condition of their rows, which the key of the table answers. */
export const conditionOf = (slices: readonly HashedSlice[]): string => {
  const numbers = slices.map(({ slice }) => slice);
  const pairs = slices.map(({ segmentId, slice }) => `(${Number(segmentId)}, ${Number(slice)})`);
  return `_seg IN (${idList([...new Set(slices.map(({ segmentId }) => segmentId))])})
    AND _row >= ${Math.min(...numbers) * sliceRows} AND _row < ${(Math.max(...numbers) + 1) * sliceRows}
    AND (_seg, intDiv(_row, ${sliceRows})) IN (${pairs.join(', ')})`;
};

/** Result of a merge, computed from the key counts. */
import type { KeyExample, ProcessError, RowChanges } from '../../model/process.js';
import type { KeyCounts, SegmentMerge } from '../../rows/index.js';

export const notUnique = (examples: readonly KeyExample[]): ProcessError => {
  const [first] = examples;
  const names = Object.keys(first?.key ?? {}).map((name) => JSON.stringify(name));
  return {
    code: 'key_not_unique',
    message:
      `The key (${names.join(', ')}) is not unique in the ${first?.in}: ${first?.rows} rows have the first of the examples. ` +
      'Name more columns in the option key, or choose with onDuplicateKey which rows count.',
    examples,
  };
};

/** Number of rows of the new version, and changes to the previous ones. */
export const changesOf = (
  { mode }: SegmentMerge,
  { distinct, known, hits, same }: KeyCounts,
  before: number,
): { readonly expected: number; readonly changes: RowChanges } => {
  if (mode === 'delete')
    return { expected: before - hits, changes: { inserted: 0, replaced: 0, unchanged: 0, removed: hits } };
  const removed = mode === 'sync' ? before - hits : 0;
  const inserted = distinct - known;
  return {
    expected: before - removed + inserted,
    changes: { inserted, replaced: hits - same, unchanged: same, removed },
  };
};

/** Facts about a segment that replaces a run. */

import { CopyDiffers, type JoinedRows } from './copy.js';
import type { ListedSegment } from './listed-segment.js';

/**
 * Kind of a joined segment. Bases and patches that are joined together become a base: versions that have only a part of them keep
 * it, as do those that have only a part of a run of patches.
 */
export const joinedFacts = (run: readonly ListedSegment[], { read, rows }: JoinedRows) => {
  const sum = (of: (segment: ListedSegment) => number): number =>
    run.reduce((total, segment) => total + of(segment), 0);
  // Rows of a shard that was taken out of the cluster are not read, and would be missing for good.
  const expected = sum((segment) => segment.rows);
  if (read !== expected) throw new CopyDiffers(`${read} rows were read of ${expected}`);
  const patch = run.every((segment) => segment.patch);
  // Versions have as many rows as before.
  const hidden = sum((segment) => segment.hidden) - read + rows;
  if (hidden < 0 || (!patch && hidden !== 0))
    throw new CopyDiffers(`${rows} rows were written in place of ${rows - hidden}`);
  const bytes = sum((segment) => segment.bytes);
  return { rows, bytes: read === 0 ? bytes : Math.round((bytes / read) * rows), patch, hidden };
};

export type JoinedFacts = ReturnType<typeof joinedFacts>;

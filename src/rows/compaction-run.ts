/** A segment of a version as compaction looks at it. */
export interface ListedSegment {
  readonly id: number;
  /** Raw bytes of its rows. */
  readonly bytes: number;
  /** False where the version has only its first rows. */
  readonly whole: boolean;
}

export interface RunBounds {
  /** Fewest segments that are worth joining. */
  readonly least: number;
  /** Raw bytes of a joined segment at most. */
  readonly maxBytes: number;
}

/** Most segments of one run: each is a part that the statement holds open. */
const longestRun = 1_000;

/**
 * The longest run of neighbours that may be joined; undefined when none is worth it.
 *
 * No member is larger than all others together: each time a row is copied, the segment that it lies in at least
 * doubles, so that a row is copied a number of times that grows with the logarithm of the dataset.
 */
export const chooseRun = (
  segments: readonly ListedSegment[],
  { least, maxBytes }: RunBounds,
): readonly ListedSegment[] | undefined => {
  let best = { start: 0, length: 0 };
  for (let start = 0; start + Math.max(least, best.length + 1) <= segments.length; start += 1) {
    let total = 0;
    let largest = 0;
    for (let at = start; at < segments.length && at - start < longestRun; at += 1) {
      const { bytes, whole } = segments[at]!;
      // A segment without bytes still costs a part.
      const weight = Math.max(bytes, 1);
      total += weight;
      largest = Math.max(largest, weight);
      if (!whole || total > maxBytes) break;
      const length = at - start + 1;
      if (length >= least && length > best.length && largest * 2 <= total) best = { start, length };
    }
  }
  return best.length === 0 ? undefined : segments.slice(best.start, best.start + best.length);
};

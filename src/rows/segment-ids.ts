/** The numbers of segment ids (model/version.ts) in SQL. */

import { segmentNumbers } from '../model/version.js';
import { isPending } from '../storage/postgres/process-states.js';

const { perProcess, firstMerge, firstCompaction } = segmentNumbers;

/**
 * Condition that an upload wrote the rows of a segment as they are, or a compaction copied them: neither it nor a segment that it was
 * made of, through all compactions, was written by a merge. A fold holds rows of patches, which merges write.
 */
export const isNoMerge = (id: string): string => `NOT EXISTS (
  WITH RECURSIVE made_of (id) AS (
    SELECT ${id} UNION SELECT s.id FROM made_of m JOIN compactions c ON c.segment_id = m.id, unnest(c.run) AS s (id)
  ) SELECT 1 FROM made_of m WHERE m.id % ${perProcess} > ${firstMerge} AND m.id % ${perProcess} < ${firstCompaction})`;

/**
 * Condition that a process `alias` needs the segment of its current attempt or of its current merge: a pending one
 * writes it, a dry run keeps it for a while.
 */
export const isWrittenBy = (id: string, alias: string): string =>
  `(${isPending(alias)} OR ${alias}.kept_until > now()) AND ${id} % ${perProcess} IN (${alias}.attempt, ${firstMerge} + ${alias}.merge_attempt)`;

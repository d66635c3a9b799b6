/** The numbers of segment ids (model/version.ts) in SQL. */
import { segmentNumbers } from '../model/version.js';

const { perProcess, firstMerge, firstCompaction } = segmentNumbers;

/** Condition that a segment holds the rows of one upload, as an attempt wrote them or a compaction copied them. */
export const isNoMerge = (id: string): string =>
  `(${id} % ${perProcess} < ${firstMerge} OR ${id} % ${perProcess} >= ${firstCompaction})`;

/**
 * Condition that a process `alias` needs the segment of its current attempt or of its current merge: a pending one
 * writes it, a dry run keeps it for a while.
 */
export const isWrittenBy = (id: string, alias: string): string =>
  `(${alias}.status = 'pending' OR ${alias}.kept_until > now()) AND ${id} % ${perProcess} IN (${alias}.attempt, ${firstMerge} + ${alias}.merge_attempt)`;

/** Rows of `segments`. No other file writes them. A segment is registered before its first row is written. */
import { processOfSegment, segmentNumbers } from '../model/version.js';
import { isPending } from '../storage/postgres/process-states.js';
import type { Sql } from '../storage/postgres/sql.js';
import { inState, isOpen } from './compaction-states.js';
import { isListed } from './segment-ranges.js';

const { perProcess, firstMerge, firstCompaction } = segmentNumbers;

/**
 * Condition that the rows of the segment `g` were written by uploads, possibly copied by compactions, and never by a merge. A fold contains
 * rows of patches, which merges write.
 */
export const isNoMerge = `NOT EXISTS (
  WITH RECURSIVE made_of (id) AS (
    SELECT g.id UNION SELECT s.id FROM made_of m JOIN compactions c ON c.segment_id = m.id, unnest(c.run) AS s (id)
  ) SELECT 1 FROM made_of m WHERE m.id % ${perProcess} > ${firstMerge} AND m.id % ${perProcess} < ${firstCompaction})`;

/**
 * Condition that the process `p` needs the segment `s`, as that of its current attempt or merge: a pending process writes it, a dry run
 * keeps it for a while.
 */
export const isWrittenBy = `(${isPending('p')} OR p.kept_until > now())
  AND s.id % ${perProcess} IN (p.attempt, ${firstMerge} + p.merge_attempt)`;

/** Statement that adds a segment. Arguments are SQL expressions over `source`; without a slot map the rows go to an own table. */
export const addSegmentSql = (
  {
    id,
    processId,
    uploadNumber,
    storeId,
    slotMapId,
  }: Readonly<Record<'id' | 'processId' | 'uploadNumber' | 'storeId' | 'slotMapId', string>>,
  source = '',
  alias = 'new_segment',
): string => `
  INSERT INTO segments AS ${alias} (id, store_id, process_id, upload_number, slot_map_id)
  SELECT ${id}, ${storeId}, ${processId}, ${uploadNumber}, ${slotMapId} ${source}`;

/** Adds a segment with the place and the upload number of another segment of the store. */
export const addSegmentBeside = async (sql: Sql, id: number, other: number): Promise<void> => {
  await sql.query(
    `INSERT INTO segments (id, store_id, process_id, upload_number, slot_map_id)
     SELECT $1, store_id, $2, upload_number, slot_map_id FROM segments WHERE id = $3`,
    [id, processOfSegment(id), other],
  );
};

/** Statement that records the size of a segment, before a version lists it. All arguments are expressions. */
export const countSegmentSql = (
  id: string,
  { rows, bytes }: { readonly rows: string; readonly bytes: string },
  more = '',
): string => `UPDATE segments SET rows = ${rows}, bytes = ${bytes}${more} WHERE id = ${id}`;

/** Records hashes of segments that have none and have not moved since. Returns their number. */
export const recordHashes = async (
  sql: Sql,
  found: readonly {
    readonly segment: { readonly id: number; readonly mapId: number | null };
    readonly hash: string;
  }[],
): Promise<number> => {
  if (found.length === 0) return 0;
  const written = await sql.query(
    `UPDATE segments s SET hash = f.hash FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS f (id, map_id, hash)
     WHERE s.id = f.id AND s.hash IS NULL AND s.slot_map_id IS NOT DISTINCT FROM f.map_id RETURNING 1`,
    [found.map((f) => f.segment.id), found.map((f) => f.segment.mapId), found.map((f) => f.hash)],
  );
  return written.length;
};

/** Records the hashes of restored segments that are in the same kind of table as before. */
export const restoreHashes = async (
  tx: Sql,
  found: readonly { readonly id: number; readonly pool: string | null; readonly hash: string }[],
): Promise<void> => {
  await tx.query(
    `UPDATE segments s SET hash = f.hash FROM unnest($1::bigint[], $2::text[], $3::text[]) AS f (id, hash, pool)
     WHERE s.id = f.id AND (SELECT m.pool FROM slot_maps m WHERE m.id = s.slot_map_id) IS NOT DISTINCT FROM f.pool`,
    [found.map(({ id }) => id), found.map(({ hash }) => hash), found.map(({ pool }) => pool)],
  );
};

/** Restores the sizes and hashes of the segments of a saved dataset (saved-dataset.ts), before a version lists them. */
export const restoreSegmentFacts = async (tx: Sql): Promise<void> => {
  await tx.query(
    `UPDATE segments g SET rows = s.rows, bytes = s.bytes, patch = s.patch, hidden = s.hidden, hash = s.hash
     FROM saved_segments s JOIN new_segments n ON n.old = s.id WHERE g.id = n.id`,
  );
};

/** Deletes the hash of replaced rows. */
export const forgetHash = async (sql: Sql, id: number): Promise<void> => {
  await sql.query('UPDATE segments SET hash = NULL WHERE id = $1', [id]);
};

/**
 * Condition that the segment `s` is a folded patch while versions still have other segments of that run: comparing these versions with those
 * that have the fold needs its positions (lineage.ts).
 */
const isRetained = `s.patch AND s.unreferenced_at IS NULL AND EXISTS (SELECT 1 FROM compactions c
    WHERE c.store_id = s.store_id AND c.folds AND ${inState('swapping', 'done')} AND s.id = ANY (c.run)
      AND EXISTS (SELECT 1 FROM segment_ranges r WHERE r.segment_id = ANY (c.run)))`;

/** Condition that no version has the segment `s`, and no comparison needs it. */
const isUnlisted = `NOT ${isListed('s.id')} AND NOT (${isRetained})`;

/**
 * Condition that no version has the segment `s`, and nothing in progress will refer to it. An unreferenced segment never gets references
 * again.
 */
export const isUnreferenced = `${isUnlisted}
  AND NOT EXISTS (SELECT 1 FROM processes p
    WHERE p.id = s.process_id AND ${isWrittenBy})
  AND NOT EXISTS (SELECT 1 FROM compactions c WHERE c.segment_id = s.id AND ${isOpen})`;

/** Marks segments that no version has any more as unreferenced from now on. Readers may still be using them. */
export const noteUnlisted = async (tx: Sql, ids: readonly number[]): Promise<void> => {
  await tx.query(
    `UPDATE segments s SET unreferenced_at = now() WHERE s.id = ANY ($1) AND s.unreferenced_at IS NULL AND ${isUnlisted}`,
    [ids],
  );
};

/** Marks segments of a restored catalog to which nothing refers: the backup has no rows of them. */
export const noteUnsaved = async (tx: Sql): Promise<void> => {
  await tx.query(
    `UPDATE segments s SET unreferenced_at = now() WHERE s.rows IS NOT NULL AND s.unreferenced_at IS NULL AND NOT ${isListed('s.id')}
       AND NOT EXISTS (SELECT 1 FROM compactions c WHERE c.segment_id = s.id AND ${isOpen})`,
  );
};

/**
 * Marks unreferenced segments in the queue of released segments, which a trigger fills, so that the cost depends on what was released and
 * not on what is stored. A segment that something in progress refers to stays in the queue.
 */
export const noteReleased = async (sql: Sql): Promise<void> => {
  const seen = await sql.query<{ id: number; segmentId: number }>(
    'SELECT id, segment_id AS "segmentId" FROM released_segments ORDER BY id LIMIT 100000',
  );
  if (seen.length === 0) return;
  await sql.query(
    `UPDATE segments s SET unreferenced_at = now() WHERE s.id = ANY ($1) AND s.rows IS NOT NULL AND s.unreferenced_at IS NULL
       AND ${isUnreferenced}`,
    [seen.map(({ segmentId }) => segmentId)],
  );
  await sql.query(
    `DELETE FROM released_segments u WHERE u.id = ANY ($1) AND (
       ${isListed('u.segment_id')}
       OR NOT EXISTS (SELECT 1 FROM segments s WHERE s.id = u.segment_id AND s.unreferenced_at IS NULL))`,
    [seen.map(({ id }) => id)],
  );
};

/** Marks all published segments that are unreferenced. */
export const noteUnreferenced = async (sql: Sql): Promise<void> => {
  await sql.query(
    `UPDATE segments s SET unreferenced_at = now() WHERE s.rows IS NOT NULL AND s.unreferenced_at IS NULL AND ${isUnreferenced}`,
  );
};

/** Deletes unreferenced segments among the given ones. Returns their number. */
export const forgetSegments = async (sql: Sql, ids: readonly number[]): Promise<number> =>
  (await sql.query(`DELETE FROM segments s WHERE s.id = ANY ($1) AND ${isUnreferenced} RETURNING 1`, [ids]))
    .length;

/** Unreferenced segments among the given ones. */
export const readUnreferenced = async (sql: Sql, ids: readonly number[]): Promise<number[]> =>
  (
    await sql.query<{ id: number }>(
      `SELECT s.id FROM segments s WHERE s.id = ANY ($1) AND ${isUnreferenced}`,
      [ids],
    )
  ).map(({ id }) => id);

/** Ends the grace period of unreferenced segments among the given ones, so that the sweep drops them at once. */
export const expireUnreferenced = async (sql: Sql, ids: readonly number[]): Promise<void> => {
  await sql.query(
    `UPDATE segments s SET unreferenced_at = '-infinity' WHERE s.id = ANY ($1) AND s.rows IS NOT NULL AND ${isUnreferenced}`,
    [ids],
  );
};

/**
 * Restores a damaged segment from a backup into a new segment, which then replaces the old one in all versions; the versions and their ids do
 * not change. For rows that Kafka does not have, because a merge or a compaction wrote them or they are older than its retention.
 *
 * It is a compaction of one segment and follows the same rules (rows/compactions.ts).
 */
import { type AppError, conflict } from '../../lib/errors.js';
import type { Place } from '../../model/version.js';
import { type Compactions, type ReferencedSegment, slotMapOf } from '../../rows/index.js';
import type { Sql } from '../../storage/postgres/sql.js';

/** @throws AppError 409 with the reason; then nothing has changed */
export type RestoreSegment = (segment: ReferencedSegment) => Promise<'restored'>;

type WriteSegment = (id: number, place: Place) => Promise<void>;

interface SegmentRestoreOptions {
  readonly sql: Sql;
  readonly compactions: Compactions;
  /** Finds the rows. The result writes them under the segment id to a place, and checks count and hash. */
  readonly find: (segment: ReferencedSegment) => Promise<WriteSegment>;
}

const changedMeanwhile = (): AppError =>
  conflict('changed_meanwhile', 'The versions were rearranged in the meantime; try again.');

export const createSegmentRestore = ({ sql, compactions, find }: SegmentRestoreOptions): RestoreSegment => {
  const factsOf = async ({ id }: ReferencedSegment) => {
    const [row] = await sql.query<{ uploadNumber: number; bytes: number; patch: boolean; hidden: number }>(
      'SELECT upload_number AS "uploadNumber", coalesce(bytes, 0) AS bytes, patch, hidden FROM segments WHERE id = $1',
      [id],
    );
    if (row === undefined) throw changedMeanwhile();
    return row;
  };

  return async (segment) => {
    const write = await find(segment);
    const { id, rows } = segment;
    const run = [{ id, rows, ...(await factsOf(segment)), whole: true }];
    const replaced = await compactions.replace(segment.storeId, run, async (target) => {
      if ((slotMapOf(target.place) ?? null) !== segment.mapId) return undefined;
      await write(target.segment, target.place);
      return { rows };
    });
    if (replaced === 'busy')
      throw conflict('busy', 'Rows of this dataset are being rearranged at the moment; try again later.');
    if (typeof replaced === 'string') throw changedMeanwhile();
    return 'restored';
  };
};

/** Recorded hashes of segments: computed soon after a segment is published, compared by verification and backups. */
import { isAppError } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import { isUnreadable } from '../storage/clickhouse/errors.js';
import type { Sql } from '../storage/postgres/sql.js';
import { isSwapping } from './compaction-states.js';
import { countBefore, type HashedSegment, hashSegments } from './hash.js';
import { tablePlace } from './place.js';
import { byTable, placeColumnsSql, placesSql, type SegmentPlace } from './segment-place.js';
import { isListed } from './segment-ranges.js';
import { forgetHash, recordHashes } from './segment-records.js';

/** A segment of a version, according to PostgreSQL. */
export interface ReferencedSegment extends SegmentPlace {
  readonly mapId: number | null;
  readonly rows: number;
  /** Null: not recorded yet. */
  readonly hash: string | null;
}

const selectSql = `SELECT ${placeColumnsSql}, s.slot_map_id AS "mapId", s.rows, s.hash FROM ${placesSql}`;

/** Segments that a backup needs: those of versions, and those that versions will be switched to. */
export const readNeeded = (sql: Sql): Promise<ReferencedSegment[]> =>
  sql.query<ReferencedSegment>(
    `${selectSql} WHERE s.rows > 0 AND (${isListed('s.id')}
       OR EXISTS (SELECT 1 FROM compactions c WHERE c.segment_id = s.id AND ${isSwapping})) ORDER BY s.id`,
  );

export interface Hashes {
  /** Records the hashes of segments that have none yet. */
  record(stop: AbortSignal): Promise<void>;
  /** Page of segments with ids above `after`. @param dataset Only segments of its versions. */
  page(after: number, limit: number, dataset?: number): Promise<ReferencedSegment[]>;
  /** The segment as it is now; undefined if no version has it any more. */
  find(id: number): Promise<ReferencedSegment | undefined>;
  /** Hashes segments of one table. Leaves out segments without rows. */
  read(segments: readonly ReferencedSegment[], signal?: AbortSignal): Promise<HashedSegment[]>;
  /** Records hashes. Returns the number of segments that had none. */
  keep(found: readonly { readonly segment: ReferencedSegment; readonly hash: string }[]): Promise<number>;
  /** Forgets the hash of replaced rows. */
  forget(id: number): Promise<void>;
  /** Counts rows of a segment from uploads before `uploadNumber`. */
  countBefore(segment: SegmentPlace, uploadNumber: number): Promise<number>;
}

export interface HashesOptions {
  readonly sql: Sql;
  readonly clickhouse: ClickHouseServers;
  readonly log: Log;
}

const pageSize = 500;

export const createHashes = ({ sql, clickhouse, log }: HashesOptions): Hashes => {
  const read: Hashes['read'] = async (segments, signal) => {
    const [first] = segments;
    return first === undefined
      ? []
      : hashSegments(
          clickhouse,
          tablePlace(first),
          segments.map(({ id }) => id),
          signal,
        );
  };

  const listed = (condition: string, values: readonly unknown[]): Promise<ReferencedSegment[]> =>
    sql.query<ReferencedSegment>(
      `${selectSql} WHERE s.rows IS NOT NULL AND ${isListed('s.id')} AND ${condition}`,
      values,
    );

  /**
   * Skips segments with missing or unreadable rows, which `verify` reports. An unreachable shard does not stop the hashing of others.
   */
  const recordTable = async (segments: readonly ReferencedSegment[], stop: AbortSignal): Promise<void> => {
    try {
      const found = new Map((await read(segments, stop)).map((one) => [one.segmentId, one]));
      await recordHashes(
        sql,
        segments.flatMap((segment) => {
          const seen = found.get(segment.id);
          return seen?.rows === segment.rows ? [{ segment, hash: seen.hash }] : [];
        }),
      );
    } catch (error) {
      if (isUnreadable(error))
        log.error({ segments: segments.length, err: error }, 'rows of versions cannot be read');
      else if (isAppError(error) && error.kind === 'unavailable' && !stop.aborted)
        log.warn({ segments: segments.length, err: error }, 'hashes not written down, trying again later');
      else throw error;
    }
  };

  return {
    read,
    page: (after, limit, dataset) =>
      listed(
        `s.id > $1 AND ($2::bigint IS NULL OR EXISTS (
           SELECT 1 FROM segment_ranges d WHERE d.segment_id = s.id AND d.dataset_id = $2)) ORDER BY s.id LIMIT $3`,
        [after, dataset ?? null, limit],
      ),
    find: async (id) => (await listed('s.id = $1', [id]))[0],
    keep: (found) => recordHashes(sql, found),
    forget: (id) => forgetHash(sql, id),
    countBefore: (segment, uploadNumber) =>
      countBefore(clickhouse, tablePlace(segment), segment.id, uploadNumber),

    async record(stop) {
      for (let after = 0; !stop.aborted; ) {
        const page = await listed(
          `s.hash IS NULL AND s.rows > 0 AND s.id > $1 ORDER BY s.id LIMIT ${pageSize}`,
          [after],
        );
        for (const segments of byTable(page)) if (!stop.aborted) await recordTable(segments, stop);
        if (page.length < pageSize) return;
        after = page.at(-1)?.id ?? after;
      }
    },
  };
};

/** Writes down the hashes of segments that have none yet, soon after they were published, when nothing can have happened to them. */
import { isAppError } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { ShardNumber } from '../storage/clickhouse/client.js';
import { isUnreadable } from '../storage/clickhouse/errors.js';
import type { Sql } from '../storage/postgres/sql.js';
import { tableOf, tablePlace } from './place.js';
import type { HashedSegment, SegmentHashes } from './segment-hashes.js';
import { recordHashes } from './segment-records.js';
import type { PoolClass } from './slots.js';
import { shardSql } from './stores.js';

/** A segment that versions have, as PostgreSQL knows it. */
export interface NamedSegment {
  readonly id: number;
  readonly storeId: number;
  readonly shard: ShardNumber;
  readonly pool: PoolClass | null;
  readonly mapId: number | null;
  readonly rows: number;
  /** Null: not known yet. */
  readonly hash: string | null;
}

/** Selects `NamedSegment`s from `segments s`. */
export const namedSegmentSql = `
  SELECT s.id, s.store_id AS "storeId", ${shardSql('s')} AS shard, m.pool, s.slot_map_id AS "mapId", s.rows, s.hash
  FROM segments s LEFT JOIN slot_maps m ON m.id = s.slot_map_id
  WHERE s.rows IS NOT NULL AND EXISTS (SELECT 1 FROM segment_ranges r WHERE r.segment_id = s.id)`;

/** Segments that lie in one table of one server each, or in one that is spread. */
export const byTable = (segments: readonly NamedSegment[]): NamedSegment[][] => {
  const tables = new Map<string, NamedSegment[]>();
  for (const segment of segments) {
    const table = `${segment.shard}/${tableOf(tablePlace(segment))}`;
    const listed = tables.get(table);
    if (listed === undefined) tables.set(table, [segment]);
    else listed.push(segment);
  }
  return [...tables.values()];
};

export interface HashRecorder {
  /** Gives the number of hashes that were written down. */
  record(stop: AbortSignal): Promise<number>;
}

export interface HashRecorderOptions {
  readonly sql: Sql;
  readonly hashes: SegmentHashes;
  readonly log: Log;
}

const pageSize = 500;

/** Of several workers one does it. */
const lockSql = `SELECT pg_try_advisory_xact_lock(hashtext('tabulary hashes')) AS held`;

export const createHashRecorder = ({ sql, hashes, log }: HashRecorderOptions): HashRecorder => {
  /** Rows that are not as many as they should be, or cannot be read, are for `verify` to tell. */
  const readable = async (segments: readonly NamedSegment[], stop: AbortSignal): Promise<HashedSegment[]> => {
    const ids = segments.map(({ id }) => id);
    try {
      return await hashes.read(tablePlace(segments[0]!), ids, stop);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      log.error({ segments: ids.length, err: error }, 'rows of versions cannot be read');
      return [];
    }
  };

  const recordTable = async (segments: readonly NamedSegment[], stop: AbortSignal): Promise<number> => {
    const found = new Map((await readable(segments, stop)).map((one) => [one.segmentId, one]));
    return recordHashes(
      sql,
      segments.flatMap((segment) => {
        const seen = found.get(segment.id);
        return seen?.rows === segment.rows ? [{ segment, hash: seen.hash }] : [];
      }),
    );
  };

  /** A shard that is away holds up nothing of the others. */
  const recordReached = async (segments: readonly NamedSegment[], stop: AbortSignal): Promise<number> => {
    try {
      return await recordTable(segments, stop);
    } catch (error) {
      if (!isAppError(error) || error.kind !== 'unavailable' || stop.aborted) throw error;
      log.warn({ segments: segments.length, err: error }, 'hashes not written down, trying again later');
      return 0;
    }
  };

  /** Undefined when another worker is at it. */
  const recordPage = (
    after: number,
    stop: AbortSignal,
  ): Promise<{ page: NamedSegment[]; written: number } | undefined> =>
    sql.tx(async (tx) => {
      const [lock] = await tx.query<{ held: boolean }>(lockSql);
      if (lock?.held !== true) return undefined;
      const page = await tx.query<NamedSegment>(
        `${namedSegmentSql} AND s.hash IS NULL AND s.rows > 0 AND s.id > $1 ORDER BY s.id LIMIT ${pageSize}`,
        [after],
      );
      let written = 0;
      for (const segments of byTable(page)) if (!stop.aborted) written += await recordReached(segments, stop);
      return { page, written };
    });

  return {
    async record(stop) {
      let written = 0;
      for (let after = 0; !stop.aborted; ) {
        const done = await recordPage(after, stop);
        written += done?.written ?? 0;
        if (done === undefined || done.page.length < pageSize) break;
        after = done.page.at(-1)?.id ?? after;
      }
      return written;
    },
  };
};

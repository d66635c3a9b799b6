/** Compares the tables of stores with what PostgreSQL knows; pools have a sweep of their own. */
import type { Log } from '../lib/log.js';
import type { ShardNumber } from '../storage/clickhouse/client.js';
import { areSegmentsHeld } from '../storage/postgres/held-segments.js';
import type { Sql } from '../storage/postgres/sql.js';
import { tablePlace } from './place.js';
import { holdPools } from './pool-sweep.js';
import { isServed } from './shard-stores.js';
import { emptyTables, holdEmpty, knownStores, shardSql } from './stores.js';
import type { StoredSegment, StoreTables } from './tables.js';

export interface TableComparison {
  /** Drops rows that PostgreSQL does not know; gives the number of their segments. */
  dropOrphanSegments(): Promise<number>;
  /** Drops tables that PostgreSQL does not know, and returns their number. Tables without segments go as well. */
  dropOrphanStores(): Promise<number>;
  /** Segments of versions whose rows are not there. */
  findMissing(): Promise<number>;
}

export interface TableComparisonOptions {
  readonly sql: Sql;
  readonly tables: StoreTables;
  readonly log: Log;
}

/** A segment in the table of its store, as PostgreSQL knows it. */
interface NamedSegment {
  readonly id: number;
  readonly storeId: number;
  readonly shard: ShardNumber;
}

const placeKey = (storeId: number, segmentId: number, shard: ShardNumber): string =>
  `${shard ?? 'spread'}/${storeId}/${segmentId}`;

/** The places that they may have: what lies on a shard may be all of a segment, or what one has there that is spread. */
const keysOf = (segments: readonly StoredSegment[]): ReadonlySet<string> =>
  new Set(
    segments.flatMap(({ storeId, segmentId, shard }) => [
      placeKey(storeId, segmentId, shard),
      placeKey(storeId, segmentId, null),
    ]),
  );

export const createTableComparison = ({ sql, tables, log }: TableComparisonOptions): TableComparison => {
  /**
   * Rows that PostgreSQL does not know: written by a worker after its attempt was over and dropped. A segment is
   * known before its first row, so what is listed first and unknown afterwards is unknown for good.
   */
  const dropOrphanSegments = (): Promise<number> =>
    sql.tx(async (tx) => {
      if (!(await holdPools(tx)) || (await areSegmentsHeld(tx))) return 0;
      const present = await tables.listSegments();
      const known = await tx.query<NamedSegment>(
        `SELECT s.id, s.store_id AS "storeId", ${shardSql('s')} AS shard FROM segments s
       WHERE s.id = ANY ($1) AND s.slot_map_id IS NULL`,
        [present.map(({ segmentId }) => segmentId)],
      );
      const places = new Set(known.map(({ id, storeId, shard }) => placeKey(storeId, id, shard)));
      const orphans = present.filter(
        ({ storeId, segmentId, shard }) =>
          !places.has(placeKey(storeId, segmentId, shard)) && !places.has(placeKey(storeId, segmentId, null)),
      );
      for (const { storeId, segmentId, shard } of orphans) {
        await tables.dropSegments({ storeId, shard }, [segmentId]);
        log.info({ store: storeId, segment: segmentId }, 'rows dropped that belong to no segment');
      }
      return orphans.length;
    });

  const dropOrphanStores = async (): Promise<number> => {
    if (await areSegmentsHeld(sql)) return 0;
    const present = await tables.listStores();
    const ids = new Set(await knownStores(sql, present));
    const orphans = present.filter((id) => !ids.has(id));
    for (const id of orphans) {
      await tables.dropStore(id);
      log.info({ store: id }, 'table dropped that belongs to no dataset');
    }
    // Segments stay known until they are dropped: without one, nobody reads the table.
    for (const id of await emptyTables(sql, present))
      await sql.tx(async (tx) => {
        if (await holdEmpty(tx, id)) await tables.dropStore(id);
      });
    return orphans.length;
  };

  const findMissing = async (): Promise<number> => {
    const named = await sql.query<NamedSegment>(
      `SELECT s.id, s.store_id AS "storeId", ${shardSql('s')} AS shard FROM segments s
       WHERE s.rows > 0 AND s.slot_map_id IS NULL AND ${isServed('s', tables.served)}
         AND EXISTS (SELECT 1 FROM segment_ranges r WHERE r.segment_id = s.id)`,
    );
    const present = keysOf(await tables.listSegments());
    const missing = named.filter(({ id, storeId, shard }) => !present.has(placeKey(storeId, id, shard)));
    let lost = 0;
    for (const { id, storeId, shard } of missing) {
      // It may have been dropped in its turn between the two lists.
      const [still] = await sql.query('SELECT 1 FROM segment_ranges WHERE segment_id = $1 LIMIT 1', [id]);
      if (still === undefined || (await tables.countRows(tablePlace({ storeId, shard }), id)) > 0) continue;
      lost += 1;
      log.error({ store: storeId, segment: id }, 'rows of a version are not in ClickHouse');
    }
    return lost;
  };

  return { dropOrphanSegments, dropOrphanStores, findMissing };
};

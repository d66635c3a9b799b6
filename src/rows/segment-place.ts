/** The table of a segment, according to PostgreSQL. */
import type { ShardNumber } from '../storage/clickhouse/client.js';
import { tableOf, tablePlace } from './place.js';
import type { PoolClass } from './slots.js';
import { shardSql } from './stores.js';

export interface SegmentPlace {
  readonly id: number;
  /** Id of the store; meaningless if only the pool is known. */
  readonly storeId: number;
  /** Null: all shards. */
  readonly shard: ShardNumber;
  /** Null: the own table of the store. */
  readonly pool: PoolClass | null;
}

/** Columns of `SegmentPlace`, selected from `placesSql`. */
export const placeColumnsSql = `s.id, s.store_id AS "storeId", ${shardSql('s')} AS shard, m.pool`;
export const placesSql = 'segments s LEFT JOIN slot_maps m ON m.id = s.slot_map_id';

/** Name of the table of a segment, for messages. */
export const tableOfSegment = (segment: SegmentPlace): string => tableOf(tablePlace(segment));

/**
 * Groups segments by table and shard, and keeps their order.
 * @param fits Returns false if a list is full; the next segment of the table then starts another list.
 */
export const byTable = <T extends SegmentPlace>(
  segments: readonly T[],
  fits: (list: readonly T[], next: T) => boolean = () => true,
): T[][] => {
  const open = new Map<string, T[]>();
  const lists: T[][] = [];
  for (const segment of segments) {
    const key = `${segment.shard}/${tableOfSegment(segment)}`;
    const last = open.get(key);
    if (last !== undefined && fits(last, segment)) last.push(segment);
    else {
      const list = [segment];
      open.set(key, list);
      lists.push(list);
    }
  }
  return lists;
};

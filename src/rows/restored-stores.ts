/** Chooses the shards of stores that a restore has brought into the catalog, in its transaction. */
import type { ShardNumber } from '../storage/clickhouse/client.js';
import type { Sql } from '../storage/postgres/sql.js';
import { placeStores, type RestoredHome, shardSql } from './stores.js';

export interface RestoredStore {
  readonly id: number;
  /** Raw bytes of what versions name. */
  readonly bytes: number;
  /** Raw bytes of its largest version. */
  readonly versionBytes: number;
}

export interface RestoredSegment {
  readonly id: number;
  readonly storeId: number;
  readonly shard: ShardNumber;
}

export interface RestoredStores {
  /** Gives each store the shard that is chosen. */
  place(choose: (stores: readonly RestoredStore[]) => readonly RestoredHome[]): Promise<void>;
  /** Where the rows of these segments go. */
  segments(ids: readonly number[]): Promise<RestoredSegment[]>;
}

const storesSql = `
  SELECT s.id,
    coalesce((SELECT sum(g.bytes) FROM segments g WHERE g.store_id = s.id AND g.rows > 0), 0)::bigint AS bytes,
    coalesce((SELECT max(v.byte_size) FROM datasets d JOIN versions v ON v.dataset_id = d.id
      WHERE d.store_id = s.id), 0)::bigint AS "versionBytes"
  FROM stores s ORDER BY s.id`;

export const createRestoredStores = (tx: Sql): RestoredStores => ({
  async place(choose) {
    await placeStores(tx, choose(await tx.query<RestoredStore>(storesSql)));
  },

  segments: (ids) =>
    tx.query<RestoredSegment>(
      `SELECT s.id, s.store_id AS "storeId", ${shardSql('s')} AS shard FROM segments s WHERE s.id = ANY ($1) ORDER BY s.id`,
      [ids],
    ),
});

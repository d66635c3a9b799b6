/** Where the rows of stores are to lie that a restore has brought into the catalog, in its transaction. */
import { firstShard, type ShardNumber } from '../model/placement.js';
import type { Sql } from '../storage/postgres/sql.js';
import { placeStores, shardSql, tablesSql } from './stores.js';

export interface RestoredStore {
  readonly id: number;
  /** Raw bytes of what versions name. */
  readonly bytes: number;
  /** Of its largest version. */
  readonly versionBytes: number;
}

export interface RestoredSegment {
  readonly id: number;
  /** Number of the tables of its store. */
  readonly storeId: number;
  readonly shard: ShardNumber;
}

export interface RestoredStores {
  /** Lets all stores begin anew, each on the shard that is chosen. False: the schema is of before there were shards. */
  place(choose: (stores: readonly RestoredStore[]) => ReadonlyMap<number, ShardNumber>): Promise<boolean>;
  /** Where the rows of these segments go. */
  segments(ids: readonly number[]): Promise<RestoredSegment[]>;
}

const storesSql = `
  SELECT s.id,
    coalesce((SELECT sum(g.bytes) FROM segments g WHERE g.store_id = s.id AND g.rows > 0), 0)::bigint AS bytes,
    coalesce((SELECT max(v.byte_size) FROM datasets d JOIN versions v ON v.dataset_id = d.id
      WHERE d.store_id = s.id), 0)::bigint AS "versionBytes"
  FROM stores s ORDER BY s.id`;

/** A catalog of before there were shards has all of them on the first, and has no columns that say so. */
const knowsShardsSql = `SELECT count(*) = 2 AS known FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = 'stores' AND column_name IN ('shard', 'table_id')`;

export const createRestoredStores = async (tx: Sql): Promise<RestoredStores> => {
  const [schema] = await tx.query<{ known: boolean }>(knowsShardsSql);
  const knowsShards = schema?.known === true;
  const [tables, shard] = knowsShards ? [tablesSql('s'), shardSql('s')] : ['s.store_id', `${firstShard}`];
  return {
    async place(choose) {
      if (knowsShards) await placeStores(tx, choose(await tx.query<RestoredStore>(storesSql)));
      return knowsShards;
    },

    segments: (ids) =>
      tx.query<RestoredSegment>(
        `SELECT s.id, ${tables} AS "storeId", ${shard}::int AS shard FROM segments s WHERE s.id = ANY ($1) ORDER BY s.id`,
        [ids],
      ),
  };
};

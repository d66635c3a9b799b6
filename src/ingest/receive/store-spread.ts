/**
 * Spreads the store of a large dataset over all shards (docs/adr/0070-shards.md). No row is copied: what is there stays
 * where it is and is read with the rest; chunks that come go to the shards by turns.
 *
 *   1 hold     the datasets of the store and the store itself: nobody else begins to write it
 *   2 wait     not for others: a store that another upload or a compaction writes is left as it is, for a later upload
 *   3 tables   every shard has the tables of the store with all of their columns, and the entry those over them
 *   4 say so   `stores.everywhere` is set; readers that looked before read the home
 */

import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { type NamedColumn, namedColumnOf } from '../../model/column.js';
import { type PoolPlace, tablePlace } from '../../rows/place.js';
import { placeEverywhere } from '../../rows/stores.js';
import type { StoreTables } from '../../rows/tables.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { isStoreWritten } from '../lifecycle/store-writers.js';

export interface GrowingUpload {
  readonly processId: number;
  readonly datasetId: number;
  readonly storeId: number;
  /** True: nothing of the version before belongs to the one to come. */
  readonly replaces: boolean;
  /** Bytes that have come, or are said to come. */
  readonly bytes: number;
  readonly columns: readonly NamedColumn[];
}

export interface StoreSpread {
  /** Spreads the store when the dataset is large by now. True: that is settled for this upload. */
  consider(upload: GrowingUpload): Promise<boolean>;
}

export interface StoreSpreadOptions {
  readonly sql: Sql;
  readonly tables: Pick<StoreTables, 'ensure' | 'columnNames'>;
  /** Raw bytes beyond which a dataset is spread. */
  readonly minBytes: number;
  readonly log: Log;
}

export const createStoreSpread = ({ sql, tables, minBytes, log }: StoreSpreadOptions): StoreSpread => {
  const bytesBefore = async ({ datasetId, replaces }: GrowingUpload): Promise<number> => {
    if (replaces) return 0;
    const [version] = await sql.query<{ bytes: number }>(
      `SELECT v.byte_size AS bytes FROM datasets d JOIN versions v ON v.id = d.current_version_id WHERE d.id = $1`,
      [datasetId],
    );
    return version?.bytes ?? 0;
  };

  const makeTables = async (
    tx: Sql,
    { storeId, shard }: { storeId: number; shard: number },
    columns: readonly NamedColumn[],
  ): Promise<void> => {
    const before = (await tables.columnNames({ storeId, shard })).map(namedColumnOf);
    const all = new Map([...before, ...columns].map((column) => [column.name, column]));
    await tables.ensure(tablePlace({ storeId, shard: null }), [...all.values()]);
    const maps = await tx.query<PoolPlace>(
      'SELECT DISTINCT ON (pool) id AS "mapId", pool, slots FROM slot_maps WHERE store_id = $1',
      [storeId],
    );
    for (const { pool } of maps) await tables.ensure(tablePlace({ storeId, shard: null, pool }), []);
  };

  const spread = ({ processId, storeId, columns }: GrowingUpload): Promise<boolean> =>
    sql.tx(async (tx) => {
      await tx.query('SELECT 1 FROM datasets WHERE store_id = $1 ORDER BY id FOR NO KEY UPDATE', [storeId]);
      const [store] = await tx.query<{ shard: number; busy: boolean }>(
        `SELECT s.shard, s.everywhere OR ${isStoreWritten('s', '$2')} AS busy FROM stores s WHERE s.id = $1 FOR NO KEY UPDATE`,
        [storeId, processId],
      );
      if (store === undefined || store.busy) return false;
      await makeTables(tx, { storeId, shard: store.shard }, columns);
      await placeEverywhere(tx, storeId);
      return true;
    });

  return {
    async consider(upload) {
      const { storeId, bytes } = upload;
      if (bytes < minBytes && bytes + (await bytesBefore(upload)) < minBytes) return false;
      try {
        if (await spread(upload)) log.info({ store: storeId, bytes }, 'dataset is spread over all shards');
      } catch (error) {
        // The upload goes on where it is.
        log.warn({ err: error, store: storeId, reason: messageOf(error) }, 'dataset not spread');
      }
      return true;
    },
  };
};

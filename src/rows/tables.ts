/**
 * The tables that rows lie in (see model/version.ts and place.ts for the terms).
 *
 * On disk
 *   s<storeId>       of one dataset and its clones; one partition per segment
 *   pool_<class>     of many small datasets; 16 partitions
 *   u<segmentId>     of one attempt of a long upload, while chunks come
 *   ds<storeId>, dpool_<class>   on the entry of a cluster: the tables of that name of all shards
 *   a<segmentId>_…   the same when all chunks have come, until it was handed over to s<storeId>
 *
 *   _seg  UInt64   segment id
 *   _row  UInt64   position of the record in its file, from 0; gaps where records were rejected
 *   c<storageId>_<physical>  Nullable(…)   one per column and physical type that some segment uses; in pools: slots
 *
 * Invariants
 *   1. One chunk of an upload is one INSERT of one block with one deduplication token, into a pool or `u<segmentId>`:
 *      repeating it after a crash adds nothing while the token is remembered. `s<storeId>` has no tokens and is
 *      written by statements that are not repeated (docs/adr/0027-upload-tables.md, 0063-short-batches.md).
 *   2. A column, once made, is never altered or dropped while the table lives: old segments need it.
 *   3. Nothing is sorted on the way in: a block is already in the order of the key.
 *
 * Of a cluster each shard has tables of its own. Those of a store are on its shard; those of a spread one are on all, and
 * the chunks of an upload go to them in turn (docs/adr/0070-shards.md).
 */
import { type NamedColumn, namedColumnOf } from '../model/column.js';
import type { Place } from '../model/version.js';
import {
  type ClickHouseServers,
  type Connection,
  firstShard,
  type Shard,
  type ShardNumber,
  type ShardPlace,
  unknownShard,
} from '../storage/clickhouse/client.js';
import { isUnknownTable } from '../storage/clickhouse/errors.js';
import { turnAt, turnsOf } from './homes.js';
import {
  type BlockInsert,
  type BlocksAppend,
  type BlocksInsert,
  createIntakeTables,
  type IntakeTableOptions,
  type IntakeTables,
} from './intake-tables.js';
import {
  insideOf,
  isEverywhere,
  isPooled,
  spreadName,
  statedTable,
  tableName,
  tableOf,
  tablePlace,
} from './place.js';
import { createServerTables, type ServerTables } from './server-tables.js';
import { poolClasses } from './slots.js';

/** The table of a store. */
export interface StoreTable extends ShardPlace {
  readonly storeId: number;
}

/** A chunk of a segment. */
export interface ChunkPlace {
  readonly placement: Place;
  readonly segmentId: number;
  /** Its number in the upload. @default 0 */
  readonly chunk?: number;
}

/** Of all tables, wherever they are. */
export interface StoreTables {
  /** Makes the table of a placement or adds the columns that it lacks. Safe to repeat and to run in several processes. */
  ensure: ServerTables['ensure'];
  /** Forgets what is known of a table that turned out to be gone. */
  forget(placement: Place): void;
  /** Makes the table that takes a chunk: the pool, or one for its segment alone. */
  ensureIntake(chunk: ChunkPlace, columns: BlockInsert['columns']): Promise<void>;
  /** Inserts one block in `Native` format. `token` names the chunk: the same token adds nothing. */
  insertBlock(insert: BlockInsert & Pick<ChunkPlace, 'chunk'>): Promise<void>;
  /**
   * Inserts blocks of several segments into a pool, all in one statement. `token` names them all: repeated with the same
   * blocks it adds nothing. The columns of the blocks may differ.
   */
  insertBlocks(insert: Omit<BlocksInsert, 'pool'> & Pick<ChunkPlace, 'placement'>): Promise<void>;
  /**
   * Inserts blocks of several segments into the table of their store, which lies on one shard, all in one statement. Whatever comes
   * of it, it must not be repeated.
   */
  appendBlocks(append: BlocksAppend): Promise<void>;
  /**
   * Hands the rows of a segment, all of whose chunks were inserted, to the table of its store. Does nothing in a pool,
   * when it was done before, or when there are not as many rows.
   */
  handOver(placement: Place, segmentId: number, rows: number): Promise<void>;
  /** Removes what took the chunks of a segment. Idempotent. */
  dropIntake(segmentId: number): Promise<void>;
  /** Segments that have a table of their own for their chunks. */
  listIntakes(): Promise<number[]>;
  /** Rows of a segment; 0 when the table or the segment does not exist. */
  countRows(placement: Place, segmentId: number): Promise<number>;
  /** Removes the tables of a store, everywhere or on one shard. Idempotent. */
  dropStore(storeId: number, shard?: number): Promise<void>;
  /** Names of the columns of a store's table; none without one. */
  columnNames(store: StoreTable): Promise<string[]>;
  /** Every store that has a table. */
  listStores(): Promise<number[]>;
  /**
   * Makes the tables of stores that are everywhere, their columns, and the pools, that a shard or the entry lacks: one that is new,
   * or was away when they were made. Gives the number of stores whose tables were made. Idempotent.
   */
  mend(stores: readonly number[]): Promise<number>;
}

/** Stores whose tables are made at the same time. */
const madeAtOnce = 8;

interface ShardTables extends ServerTables, IntakeTables {}

export const createStoreTables = (servers: ClickHouseServers, options?: IntakeTableOptions): StoreTables => {
  const { database, engine } = servers;
  /** By server: a shard may be added at any time. */
  const known = new WeakMap<Connection, ShardTables>();
  const tablesOf = ({ clickhouse }: Pick<Shard, 'clickhouse'>): ShardTables => {
    const seen = known.get(clickhouse);
    if (seen !== undefined) return seen;
    const server = createServerTables(clickhouse, engine);
    const tables = { ...server, ...createIntakeTables(clickhouse, server, options) };
    known.set(clickhouse, tables);
    return tables;
  };
  const all = (): readonly ShardTables[] => servers.shards.map(tablesOf);
  /** The `Distributed` tables. */
  const over = createServerTables(servers.entry, engine);

  const on = (shard: ShardNumber): ShardTables => {
    const found = servers.shards.find(({ number }) => number === (shard ?? firstShard));
    if (found === undefined) throw unknownShard(shard);
    return tablesOf(found);
  };
  const having = ({ shard = firstShard }: ShardPlace): readonly ShardTables[] =>
    shard === null ? all() : [on(shard)];

  /** Chunks of what is on all shards take turns by weight: always the same shard for a chunk, which knows its token. */
  const forChunk = ({ placement, segmentId, chunk = 0 }: ChunkPlace): ShardTables => {
    const { shard, home = firstShard, pool } = insideOf(placement);
    if (shard !== null) return on(shard);
    // Pools are those of the home.
    if (pool !== null) return on(home);
    return on(turnAt(turnsOf(servers.shards), segmentId + chunk) ?? null);
  };

  const everywhere = async (work: (tables: ShardTables) => Promise<void>): Promise<void> => {
    await Promise.all(all().map(work));
  };
  const distinct = async (list: (tables: ShardTables) => Promise<number[]>): Promise<number[]> => [
    ...new Set((await Promise.all(all().map(list))).flat()),
  ];

  /** Upload tables of a segment, closed: no chunk comes late into a table that was counted. */
  const closeIntakes = async (placement: Place, segmentId: number) => {
    const found = await Promise.all(
      having(insideOf(placement)).map(async (tables) => {
        const intake = await tables.closeIntake(segmentId);
        return intake === undefined ? [] : [{ tables, ...intake }];
      }),
    );
    const closed = found.flat();
    return { tables: closed, rows: closed.reduce((sum, intake) => sum + intake.rows, 0) };
  };

  const ensure: StoreTables['ensure'] = async (placement, columns) => {
    await Promise.all(having(insideOf(placement)).map((tables) => tables.ensure(placement, columns)));
    if (isEverywhere(placement)) await over.ensureOver(placement, columns);
  };

  return {
    ensure,
    forget(placement) {
      for (const tables of having(insideOf(placement))) tables.forget(tableOf(placement));
      over.forget(spreadName(tableOf(placement)));
    },
    async ensureIntake(chunk, columns) {
      const { placement, segmentId } = chunk;
      if (isEverywhere(placement)) await ensure(placement, columns);
      await forChunk(chunk).ensureIntake(placement, segmentId, columns);
    },
    insertBlock: (insert) => forChunk(insert).insertBlock(insert),
    async insertBlocks({ placement, ...insert }) {
      const { pool } = insideOf(placement);
      if (pool === null) throw new RangeError('blocks of many datasets go into a pool');
      // Of spread stores all pools of the class are read, whichever of them has the rows.
      if (isEverywhere(placement)) await ensure(placement, []);
      await forChunk({ placement, segmentId: 0 }).insertBlocks({ ...insert, pool: pool.pool });
    },

    appendBlocks: (append) => on(insideOf(append.placement).shard).appendBlocks(append),

    async handOver(placement, segmentId, rows) {
      if (isPooled(placement)) return;
      let closed = await closeIntakes(placement, segmentId);
      if (closed.rows !== rows && isEverywhere(placement)) {
        // Another process may have written to a shard that was added since this one looked.
        await servers.renew();
        closed = await closeIntakes(placement, segmentId);
      }
      if (closed.rows !== rows) return;
      for (const { tables, table } of closed.tables) await tables.handOver(placement, segmentId, table);
    },

    dropIntake: (segmentId) => everywhere((tables) => tables.dropIntake(segmentId)),
    listIntakes: () => distinct((tables) => tables.listIntakes()),

    async countRows(placement, segmentId) {
      try {
        const [row] = await servers
          .at(insideOf(placement))
          .rows<{ n: string }>(
            `SELECT toString(count()) AS n FROM ${statedTable(database, placement)} WHERE _seg = {segment:UInt64}`,
            { params: { segment: segmentId } },
          );
        return Number(row?.n ?? 0);
      } catch (error) {
        if (!isUnknownTable(error)) throw error;
        return 0;
      }
    },

    async dropStore(storeId, shard) {
      const table = tableName(storeId);
      if (shard !== undefined) return on(shard).dropTable(table);
      if (engine.cluster !== undefined) await over.dropTable(spreadName(table));
      await everywhere((tables) => tables.dropTable(table));
    },
    columnNames: async ({ shard = firstShard, storeId }) =>
      (await on(shard).columnsOf(tableName(storeId))).map(({ name }) => name),

    listStores: () => distinct((tables) => tables.listNumbers('s')),

    async mend(stores) {
      if (engine.cluster === undefined || stores.length === 0) return 0;
      const makeAnew = async (placement: Place, columns: readonly NamedColumn[]): Promise<void> => {
        for (const tables of all()) tables.forget(tableOf(placement));
        over.forget(spreadName(tableOf(placement)));
        await ensure(placement, columns);
      };
      for (const pool of poolClasses) await makeAnew(tablePlace({ storeId: 1, shard: null, pool }), []);
      const lists = await Promise.all([
        over.columnDigests(stores.map((id) => spreadName(tableName(id)))),
        ...all().map((tables) => tables.columnDigests(stores.map(tableName))),
      ]);
      const digestsOf = (id: number) =>
        lists.map((digests, at) => digests.get(at === 0 ? spreadName(tableName(id)) : tableName(id)));
      // One that nobody has was never written.
      const lacking = stores.filter((id) => new Set(digestsOf(id)).size > 1);
      const makeStore = async (storeId: number): Promise<void> => {
        const names = (await Promise.all(all().map((tables) => tables.columnsOf(tableName(storeId))))).flat();
        await makeAnew(
          tablePlace({ storeId, shard: null }),
          [...new Set(names.map(({ name }) => name))].map(namedColumnOf),
        );
      };
      for (let at = 0; at < lacking.length; at += madeAtOnce)
        await Promise.all(lacking.slice(at, at + madeAtOnce).map(makeStore));
      return lacking.length;
    },
  };
};

/**
 * The tables of rows on all servers; README.md lists them and their invariants. Blocks are already sorted by key, so inserts need no sort.
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
import type { Target } from './copy.js';
import { turnAt, turnsOf } from './homes.js';
import { insideOf, isEverywhere, isPooled, overName, ownTableName, tableOf, tablePlace } from './place.js';
import { createServerTables, type ServerTables } from './server-tables.js';
import { poolClasses } from './slots.js';
import {
  type Batch,
  createStaging,
  type EncodedChunk,
  type Staging,
  type StagingOptions,
} from './staging.js';

/** An own table on one shard. */
export interface OwnTable {
  readonly storeId: number;
  readonly shard: number;
}

/** Stores whose tables are created in parallel. */
const madeAtOnce = 8;

type ShardTables = ServerTables & Staging;

export type RowTables = ReturnType<typeof createRowTables>;

export const createRowTables = (servers: ClickHouseServers, options?: StagingOptions) => {
  const { engine } = servers;
  /** By server, since a shard may be added at any time. */
  const known = new WeakMap<Connection, ShardTables>();
  const tablesOf = ({ clickhouse }: Pick<Shard, 'clickhouse'>): ShardTables => {
    const seen = known.get(clickhouse);
    if (seen !== undefined) return seen;
    const server = createServerTables(clickhouse, engine);
    const tables = { ...server, ...createStaging(clickhouse, server, options) };
    known.set(clickhouse, tables);
    return tables;
  };
  const all = (): readonly ShardTables[] => servers.shards.map(tablesOf);
  const entry = createServerTables(servers.entry, engine);
  /** Servers with `Distributed` tables: CLICKHOUSE_URL may name any node, also one that is no shard, or a balancer. */
  const distributed = (): readonly ServerTables[] => [entry, ...all()];

  const tablesOn = (shard: ShardNumber): ShardTables => {
    const found = servers.shards.find(({ number }) => number === (shard ?? firstShard));
    if (found === undefined) throw unknownShard(shard);
    return tablesOf(found);
  };
  const tablesFor = ({ shard = firstShard }: ShardPlace): readonly ShardTables[] =>
    shard === null ? all() : [tablesOn(shard)];

  /** The server with the pools of a place, and with its own table unless that is everywhere. */
  const atHome = (place: Place): ShardTables => {
    const { shard, home = firstShard } = insideOf(place);
    return tablesOn(shard ?? home);
  };

  /** If the place is on all shards, chunks take turns by weight. A repeated chunk goes to the shard that knows its token. */
  const forChunk = ({ segment, place }: Target, number: number): ShardTables =>
    isEverywhere(place) && !isPooled(place)
      ? tablesOn(turnAt(turnsOf(servers.shards), segment + number) ?? null)
      : atHome(place);

  const everywhere = async (work: (tables: ShardTables) => Promise<void>): Promise<void> => {
    await Promise.all(all().map(work));
  };

  /** Seals the staging tables of a segment, so that no late chunk is added to a counted table. */
  const seal = async ({ segment, place }: Target) => {
    const found = await Promise.all(
      tablesFor(insideOf(place)).map(async (tables) => {
        const sealed = await tables.seal(segment);
        return sealed === undefined ? [] : [{ tables, ...sealed }];
      }),
    );
    const sealed = found.flat();
    return { sealed, rows: sealed.reduce((sum, { rows }) => sum + rows, 0) };
  };

  /** Creates the table of a place, or adds missing columns. Idempotent, and safe to run in several processes. */
  const ensure = async (place: Place, columns: readonly NamedColumn[]): Promise<void> => {
    await Promise.all(tablesFor(insideOf(place)).map((tables) => tables.ensure(place, columns)));
    if (isEverywhere(place))
      await Promise.all(distributed().map((tables) => tables.ensureOver(place, columns)));
  };

  /** Drops the cached columns of a table that no longer exists. */
  const forget = (place: Place): void => {
    const table = tableOf(place);
    for (const tables of tablesFor(insideOf(place))) tables.forget(table);
    if (isEverywhere(place)) for (const tables of distributed()) tables.forget(overName(table));
  };

  return {
    ensure,
    forget,

    /** Inserts a chunk into its pool or its staging table, and creates that table if needed. A repeated token adds nothing. */
    async insert(to: Target, chunk: EncodedChunk): Promise<void> {
      // Reads need the table on every shard, even on those without rows.
      if (isEverywhere(to.place)) await ensure(to.place, chunk.columns);
      await forChunk(to, chunk.number ?? 0).insert(to, chunk);
    },

    /**
     * Inserts a batch into a pool or an own table of the home shard. A repeated token adds nothing to a pool; an insert into an own
     * table must not be repeated, even if its outcome is unknown.
     */
    async insertTogether(batch: Batch): Promise<void> {
      if (isEverywhere(batch.place)) await ensure(batch.place, batch.columns);
      await atHome(batch.place).insertTogether(batch);
    },

    /**
     * Promotes the rows of a fully inserted segment from its staging tables to the own table. Does nothing in a pool, if it was done
     * before, or if the row count differs.
     */
    async promote(to: Target, rows: number): Promise<void> {
      if (isPooled(to.place)) return;
      // Rows on a shard that this process does not know yet could make up for rows stored twice: the count would be right by chance.
      if (isEverywhere(to.place)) await servers.renew();
      const found = await seal(to);
      if (found.rows !== rows) return;
      for (const { tables, table } of found.sealed) await tables.promote(to, table);
    },

    /** Drops the staging tables of a segment. Idempotent. */
    dropStaging: (segmentId: number): Promise<void> => everywhere((tables) => tables.dropStaging(segmentId)),
    /** Segments with a staging table. */
    async listStaging(): Promise<number[]> {
      return [...new Set((await Promise.all(all().map((tables) => tables.listStaging()))).flat())];
    },

    /** Removes the own table of a store, from all shards or from one. Idempotent. */
    async dropOwnTable(storeId: number, shard?: number): Promise<void> {
      const table = ownTableName(storeId);
      if (shard !== undefined) return tablesOn(shard).dropTable(table);
      if (engine.cluster !== undefined)
        await Promise.all(distributed().map((tables) => tables.dropTable(overName(table))));
      await everywhere((tables) => tables.dropTable(table));
    },
    /** Names of the columns of an own table; empty if there is none. */
    columnNames: async ({ shard, storeId }: OwnTable): Promise<string[]> =>
      (await tablesOn(shard).columnsOf(ownTableName(storeId))).map(({ name }) => name),

    /** Own tables of all shards. */
    async listOwnTables(): Promise<OwnTable[]> {
      const lists = servers.shards.map(async (shard) =>
        (await tablesOf(shard).listOwn()).map((storeId) => ({ storeId, shard: shard.number })),
      );
      return (await Promise.all(lists)).flat();
    },

    /**
     * Creates the pools, and the tables and columns of stores on all shards, on nodes that lack them because they are new or were down
     * when these were created. @returns number of stores whose tables were created. Idempotent.
     */
    async repair(stores: readonly number[]): Promise<number> {
      if (engine.cluster === undefined || stores.length === 0) return 0;
      const ensureAgain = async (place: Place, columns: readonly NamedColumn[]): Promise<void> => {
        forget(place);
        await ensure(place, columns);
      };
      for (const pool of poolClasses) await ensureAgain(tablePlace({ storeId: 1, shard: null, pool }), []);
      const digestsBy = (nameOf: (id: number) => string) => async (tables: ServerTables) => {
        const digests = await tables.columnDigests(stores.map(nameOf));
        return (id: number) => digests.get(nameOf(id));
      };
      const lists = await Promise.all([
        ...distributed().map(digestsBy((id) => overName(ownTableName(id)))),
        ...all().map(digestsBy(ownTableName)),
      ]);
      const digestsOf = (id: number) => lists.map((digestOf) => digestOf(id));
      // A table that no server has was never written.
      const lacking = stores.filter((id) => new Set(digestsOf(id)).size > 1);
      const makeStore = async (storeId: number): Promise<void> => {
        const names = (
          await Promise.all(all().map((tables) => tables.columnsOf(ownTableName(storeId))))
        ).flat();
        await ensureAgain(
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

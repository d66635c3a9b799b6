/**
 * The servers of a cluster behind one interface.
 *
 *   rows at home       statements go to the server of the home
 *   rows everywhere    statements go to the entry, which reads and writes all shards through `Distributed` tables
 *
 * A statement fails if a server with its rows does not answer, whatever the profile of the server says. A new shard lacks tables: they are
 * created when a statement reports it.
 */
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Log } from '../lib/log.js';
import { singleFlight } from '../lib/single-flight.js';
import {
  type ClickHouseServers,
  type Connection,
  commonShard,
  type QuerySettings,
  type Shard,
  type StatementOptions,
  unknownShard,
} from '../storage/clickhouse/client.js';
import { isClickHouseException, lacksTables, storeUnavailable } from '../storage/clickhouse/errors.js';
import type { RawAnswer, RawRequest } from '../storage/clickhouse/raw-requests.js';

/** Settings of every statement on rows that are everywhere. */
const everywhereSettings = {
  skip_unavailable_shards: 0,
  fallback_to_stale_replicas_for_distributed_queries: 0,
  // Subqueries and joins within a condition use the rows of all shards, not only of the shard that evaluates it.
  distributed_product_mode: 'global',
  // An INSERT returns when all shards have its rows.
  distributed_foreground_insert: 1,
  parallel_distributed_insert_select: '0',
  // A busy server is slow to accept.
  connect_timeout_with_failover_ms: 5_000,
} as const satisfies QuerySettings;

/** Creates missing tables of shards. Returns false if that failed. Concurrent calls share one run. */
type MakeTables = () => Promise<boolean>;

/** Detects an answer that says that a shard lacks tables. */
const examine = async (answer: RawAnswer): Promise<{ answer: RawAnswer; lacks: boolean }> => {
  if (answer.status === 200) return { answer, lacks: false };
  const message = await text(answer.body);
  const code = answer.headers['x-clickhouse-exception-code'];
  const lacks = lacksTables(Number(code), message);
  return { answer: { ...answer, body: Readable.from([Buffer.from(message)]) }, lacks };
};

/** The entry, for rows that are everywhere. */
const overShards = (entry: Connection, makeTables: MakeTables): Connection => {
  const strict = (options: StatementOptions = {}): StatementOptions => ({
    ...options,
    settings: { ...options.settings, ...everywhereSettings },
  });
  /** Runs `next` if `work` failed for missing tables, which have been created since. */
  const orMakeTables = async <T>(work: () => Promise<T>, next: (error: Error) => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!isClickHouseException(error) || !lacksTables(Number(error.code), error.message)) throw error;
      if (!(await makeTables())) throw error;
      return next(error);
    }
  };
  const readOrRepeat = <T>(read: () => Promise<T>): Promise<T> => orMakeTables(read, read);
  /** A failed write may have stored some of its rows: the caller decides how to repeat it. */
  const writeOnce = (write: () => Promise<void>): Promise<void> =>
    orMakeTables(write, (error) => Promise.reject(storeUnavailable(error)));
  return {
    ...entry,
    command: (sql, options) => writeOnce(() => entry.command(sql, strict(options))),
    rows: <T>(sql: string, options?: StatementOptions) =>
      readOrRepeat(() => entry.rows<T>(sql, strict(options))),
    insert: (sql, data, options) => writeOnce(() => entry.insert(sql, data, strict(options))),
    async send(request) {
      const strictly: RawRequest = { ...request, search: { ...request.search, ...everywhereSettings } };
      const first = await examine(await entry.send(strictly));
      if (!first.lacks || !(await makeTables())) return first.answer;
      return entry.send({ ...strictly, queryId: `${request.queryId}-again` });
    },
  };
};

export interface JoinedServers extends Pick<ClickHouseServers, 'engine'> {
  readonly entry: Connection;
  readonly shards: readonly Shard[];
  /** Reads the shards again. Returns the same array if nothing has changed. */
  readonly readShards: () => Promise<readonly Shard[]>;
  /** Creates missing tables of stores that are everywhere. */
  readonly makeTables: () => Promise<void>;
  readonly log: Log;
}

export const joinServers = (parts: JoinedServers): ClickHouseServers => {
  const { entry, engine, readShards, log } = parts;
  let shards = parts.shards;

  const renew = singleFlight(async () => {
    const found = await readShards();
    if (found === shards) return;
    shards = found;
    log.info({ shards: shards.map(({ number, weight }) => ({ shard: number, weight })) }, 'shards changed');
  }, 0);
  const everywhere = overShards(
    entry,
    singleFlight(async () => {
      try {
        await renew();
        await parts.makeTables();
        return true;
      } catch (error) {
        log.warn({ err: error }, 'tables that a shard lacks not made');
        return false;
      }
    }, 0),
  );
  return {
    database: entry.database,
    engine,
    entry,
    get shards() {
      return shards;
    },
    renew,
    at(...places) {
      const shard = commonShard(places);
      if (shard === null) return everywhere;
      const server = shards.find(({ number }) => number === shard);
      if (server !== undefined) return server.clickhouse;
      // Another process may have placed rows on a new shard: the next request finds it.
      renew().catch((error: unknown) => log.warn({ err: error }, 'shards not read'));
      throw unknownShard(shard);
    },
  };
};

/**
 * The servers of a cluster as one.
 *
 *   rows at home       statements go to that server, as if it were alone
 *   rows everywhere    statements go to the entry, which reads and writes all shards through tables of engine Distributed
 *
 * Rows on a server that does not answer are an error, whatever a profile of the server says. A shard that was added lacks
 * tables: they are made when a statement finds that out.
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

/** Sent with every statement about rows that are everywhere. */
const everywhereSettings = {
  skip_unavailable_shards: 0,
  fallback_to_stale_replicas_for_distributed_queries: 0,
  // A list or join within a condition is made of the rows of all shards, not of those of the shard that evaluates it.
  distributed_product_mode: 'global',
  // An insert ends when all shards have its rows.
  distributed_foreground_insert: 1,
  parallel_distributed_insert_select: '0',
  // A busy server is slow to accept.
  connect_timeout_with_failover_ms: 5_000,
} as const satisfies QuerySettings;

/** Makes tables that a shard lacks; false: that did not work out. Calls at the same time share one run. */
type MakeTables = () => Promise<boolean>;

/** The answer, and whether it says that a shard lacks tables. */
const examined = async (answer: RawAnswer): Promise<{ answer: RawAnswer; lacks: boolean }> => {
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
  /** Runs `next` after the missing tables of a shard were created. */
  const orMake = async <T>(work: () => Promise<T>, next: (error: Error) => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!isClickHouseException(error) || !lacksTables(Number(error.code), error.message)) throw error;
      if (!(await makeTables())) throw error;
      return next(error);
    }
  };
  const readAgain = <T>(read: () => Promise<T>): Promise<T> => orMake(read, read);
  /** A write may have stored some of its rows: the caller knows how to repeat it. */
  const written = (write: () => Promise<void>): Promise<void> =>
    orMake(write, (error) => Promise.reject(storeUnavailable(error)));
  return {
    ...entry,
    command: (sql, options) => written(() => entry.command(sql, strict(options))),
    rows: <T>(sql: string, options?: StatementOptions) =>
      readAgain(() => entry.rows<T>(sql, strict(options))),
    insert: (sql, data, options) => written(() => entry.insert(sql, data, strict(options))),
    async send(request) {
      const strictly: RawRequest = { ...request, search: { ...request.search, ...everywhereSettings } };
      const first = await examined(await entry.send(strictly));
      if (!first.lacks || !(await makeTables())) return first.answer;
      return entry.send({ ...strictly, queryId: `${request.queryId}-again` });
    },
  };
};

export interface JoinedServers extends Pick<ClickHouseServers, 'engine'> {
  readonly entry: Connection;
  readonly shards: readonly Shard[];
  /** Reads them again; the same list, when nothing has changed. */
  readonly readShards: () => Promise<readonly Shard[]>;
  /** Makes the tables of what is everywhere on shards that lack them. */
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
      // Another process may know a shard that was added since: the next request finds it.
      renew().catch((error: unknown) => log.warn({ err: error }, 'shards not read'));
      throw unknownShard(shard);
    },
  };
};

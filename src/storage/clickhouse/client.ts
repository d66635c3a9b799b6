import { Readable } from 'node:stream';
import { type ClickHouseSettings, createClient } from '@clickhouse/client';
import { type AppError, unavailable } from '../../lib/errors.js';
import { createWatchdog } from '../watchdog.js';
import { connectionOptions } from './address.js';
import { type Engine, mergeTree } from './engine.js';
import { serverSilent, statementError } from './errors.js';
import { createKeptConnections } from './kept-connections.js';
import { createPing } from './ping.js';
import { createRawRequests, type RawAnswer, type RawRequest } from './raw-requests.js';
import { ensureRoom } from './room.js';

export type QuerySettings = ClickHouseSettings;
export type QueryParams = Readonly<Record<string, unknown>>;

export interface StatementOptions {
  readonly params?: QueryParams;
  readonly settings?: QuerySettings;
  /** Visible in ClickHouse's logs and in `system.processes`. */
  readonly queryId?: string;
  readonly signal?: AbortSignal;
  /** Compression of the data of an insert. */
  readonly encoding?: 'zstd';
}

/** One server. Queries are retried if a kept-alive connection broke; writers decide themselves whether to retry. */
export interface Connection {
  readonly database: string;
  /** Runs a statement without a result (DDL). */
  command(sql: string, options?: StatementOptions): Promise<void>;
  /**
   * Runs a query and returns its rows as objects; for statistics and metadata, never for data.
   * @throws AppError `store_unavailable` also for a silent server; a long query is not an error.
   */
  rows<T>(sql: string, options?: StatementOptions): Promise<T[]>;
  /** Runs `INSERT … FORMAT …` with these bytes as its data. */
  insert(sql: string, data: readonly Buffer[] | Readable, options?: StatementOptions): Promise<void>;
  /**
   * Sends a read-only query and returns the answer unread, even if it reports a failure of the query. If the server stops responding, the
   * call fails like `rows`, and a body that is being read is aborted.
   */
  send(request: RawRequest): Promise<RawAnswer>;
  /** True if the server responds. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** Number of a shard, from 1; null: all shards. */
export type ShardNumber = number | null;

/** The only shard if there is no cluster. */
export const firstShard = 1;

/** The configured servers, by number. */
export interface ServedShards {
  readonly shards: readonly number[];
  /** True if one server can read the rows on all shards. */
  readonly isCluster: boolean;
}

/** A server of a cluster with its own rows. */
export interface Shard {
  /** From 1, as `system.clusters` numbers them. */
  readonly number: number;
  /** Share of new datasets and chunks, relative to the other shards. 0: it is only read. */
  readonly weight: number;
  readonly clickhouse: Connection;
}

/** The servers with rows (docs/adr/0070-shards.md). The caller names the shard of the rows, and this decides which server is queried. */
export interface ClickHouseServers {
  readonly database: string;
  readonly engine: Engine;
  /** The server of CLICKHOUSE_URL, which queries the others for rows on all shards. */
  readonly entry: Connection;
  /** By number, as last read. */
  readonly shards: readonly Shard[];
  /** Reads the shards and their weights again. */
  renew(): Promise<void>;
  /**
   * The server for statements about rows of these places, which all of them share.
   * @throws AppError `unavailable` for an unknown shard, and for places that are no longer on one shard.
   */
  at(...places: readonly [ShardPlace, ...ShardPlace[]]): Connection;
}

/** The part of a place that determines its server. */
export interface ShardPlace {
  /** @default the first */
  readonly shard?: ShardNumber;
}

/** A single server, which is its own only shard. */
export interface ClickHouse extends Connection, ClickHouseServers {}

/** Error for rows on a server that is not configured. */
export const unknownShard = (shard: ShardNumber): AppError =>
  unavailable('store_unavailable', 'The data store is not responding at the moment.', {
    cause: new Error(
      `rows are on ${shard === null ? 'several shards' : `shard ${shard}`}, which CLICKHOUSE_CLUSTER does not name`,
    ),
    retryAfterSeconds: 60,
  });

/** Returns which rows can be reached. */
export const servedBy = ({ shards, engine }: Pick<ClickHouseServers, 'shards' | 'engine'>): ServedShards => ({
  shards: shards.map(({ number }) => number),
  isCluster: engine.cluster !== undefined,
});

const shardOf = ({ shard = firstShard }: ShardPlace): ShardNumber => shard;

/**
 * The shard that all of these places share. All rows of a store are on one shard or on all; places that were looked up one after another
 * may differ if the store was moved in between.
 */
export const commonShard = (places: readonly [ShardPlace, ...ShardPlace[]]): ShardNumber => {
  const [shard = firstShard, ...others] = new Set(places.map(shardOf));
  if (others.length === 0) return shard;
  throw unavailable('version_gone', 'The rows were moved while they were read; try again.', {
    retryAfterSeconds: 1,
  });
};

/** The servers with rows of a place. */
export const shardsOf = (servers: ClickHouseServers, place: ShardPlace): readonly Connection[] =>
  place.shard === null ? servers.shards.map(({ clickhouse }) => clickhouse) : [servers.at(place)];

/** One of them, for queries of the table layout. */
export const anyShardOf = (servers: ClickHouseServers, place: ShardPlace): Connection => {
  const [first] = shardsOf(servers, place);
  if (first === undefined) throw unknownShard(null);
  return first;
};

export const standAlone = (connection: Connection, engine: Engine = mergeTree): ClickHouse => {
  const server: ClickHouse = {
    ...connection,
    engine,
    get entry() {
      return server;
    },
    get shards() {
      return [{ number: firstShard, weight: 1, clickhouse: server }];
    },
    renew: () => Promise.resolve(),
    at(...places) {
      const shard = commonShard(places);
      if (shard !== firstShard) throw unknownShard(shard);
      return server;
    },
  };
  return server;
};

interface ClickHouseOptions {
  /** HTTP address; it may contain user, password and `sslrootcert`, see `connectionOptions`. */
  readonly url: string;
  readonly database: string;
  readonly maxConnections?: number;
  /** Milliseconds without a response of the server after which reads fail. @default 15000 */
  readonly silenceMs?: number;
}

const either = (signal: AbortSignal | undefined, other: AbortSignal): AbortSignal =>
  signal === undefined ? other : AbortSignal.any([signal, other]);

export const createClickHouse = ({
  url,
  database,
  maxConnections = 32,
  silenceMs = 15_000,
}: ClickHouseOptions): ClickHouse => {
  const ping = createPing(url);
  const watchdog = createWatchdog({ ping: ping.send, silenceMs, silent: () => serverSilent(silenceMs) });
  const connection = connectionOptions(url);
  const { agent, repeated } = createKeptConnections(connection, maxConnections);
  const raw = createRawRequests(connection, maxConnections);
  const client = createClient({
    url: connection.url,
    http_agent: agent,
    application: 'tabulary',
    max_open_connections: maxConnections,
    request_timeout: 3_600_000,
    // The server may have closed a socket that was idle while the event loop was blocked, so such a socket is not reused.
    keep_alive: { enabled: true, idle_socket_ttl: 2_000, eagerly_destroy_stale_sockets: true },
    log: { level: 127 },
  });

  const common = ({ params, settings, queryId, signal }: StatementOptions) => ({
    ...(params === undefined ? {} : { query_params: { ...params } }),
    ...(settings === undefined ? {} : { clickhouse_settings: settings }),
    ...(queryId === undefined ? {} : { query_id: queryId }),
    ...(signal === undefined ? {} : { abort_signal: signal }),
  });

  /** The vendor's client ignores a signal that is already aborted, and would run the whole statement. */
  const translated = async <T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> => {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      throw statementError(error);
    }
  };

  const rows = <T>(sql: string, options: StatementOptions = {}): Promise<T[]> =>
    translated(options.signal, () =>
      watchdog.run(async (silence) => {
        const signal = either(options.signal, silence);
        const send = () =>
          client.query({ query: sql, format: 'JSONEachRow', ...common({ ...options, signal }) });
        const answer = await repeated(send, signal);
        return answer.json<T>();
      }),
    );

  return standAlone({
    database,
    command: (sql, options = {}) =>
      translated(options.signal, async () => {
        await ensureRoom(sql, rows);
        await client.command({ query: sql, ...common(options) });
      }),
    rows,
    insert: (sql, data, options = {}) =>
      translated(options.signal, async () => {
        const { stream } = await client.exec({
          query: sql,
          values: data instanceof Readable ? data : Readable.from(data, { objectMode: false }),
          ...(options.encoding === undefined
            ? {}
            : { http_headers: { 'Content-Encoding': options.encoding } }),
          ...common(options),
        });
        for await (const _ of stream) {
          // An insert has an empty answer; reading it to the end frees the connection.
        }
      }),
    async send(request) {
      request.signal.throwIfAborted();
      const search = { database, ...request.search };
      const answer = await watchdog.run((silence) => raw.send({ ...request, search }, silence));
      watchdog.watch(answer.body);
      return answer;
    },
    ping: () => ping.send(),
    async close() {
      watchdog.close();
      raw.close();
      await Promise.all([client.close(), ping.close()]);
    },
  });
};

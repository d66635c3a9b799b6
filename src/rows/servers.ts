/**
 * The servers of a cluster, joined to what holds all rows (docs/adr/0070-shards.md).
 *
 *   a store on one shard   its statements go to that server, and are those of a server that stands alone
 *   a spread store         its statements go to the entry, which reads and writes it through tables of engine Distributed
 *
 * Rows on a server that does not answer are an error, whatever a profile of the server says.
 */
import {
  type ClickHouseServers,
  type Connection,
  commonShard,
  type QuerySettings,
  type Shard,
  type StatementOptions,
  unknownShard,
} from '../storage/clickhouse/client.js';

/** Sent with every statement about rows that are spread. */
const spreadSettings = {
  skip_unavailable_shards: 0,
  fallback_to_stale_replicas_for_distributed_queries: 0,
  // A list or join within a condition is made of the rows of all shards, not of those where it is looked at.
  distributed_product_mode: 'global',
  // An insert ends when all shards have its rows.
  distributed_foreground_insert: 1,
  parallel_distributed_insert_select: '0',
  // A busy server is slow to accept.
  connect_timeout_with_failover_ms: 5_000,
} as const satisfies QuerySettings;

/** The entry for what is spread. */
const spreadOver = (entry: Connection): Connection => {
  const spread = (options: StatementOptions = {}): StatementOptions => ({
    ...options,
    settings: { ...options.settings, ...spreadSettings },
  });
  return {
    ...entry,
    command: (sql, options) => entry.command(sql, spread(options)),
    rows: <T>(sql: string, options?: StatementOptions) => entry.rows<T>(sql, spread(options)),
    insert: (sql, data, options) => entry.insert(sql, data, spread(options)),
    send: (request) => entry.send({ ...request, search: { ...request.search, ...spreadSettings } }),
  };
};

export interface JoinedServers {
  readonly entry: Connection;
  /** Name in `remote_servers`. */
  readonly cluster: string;
  readonly shards: readonly Shard[];
}

export const joinServers = ({ entry, cluster, shards }: JoinedServers): ClickHouseServers => {
  const byNumber = new Map(shards.map(({ number, clickhouse }) => [number, clickhouse]));
  const spread = spreadOver(entry);
  return {
    database: entry.database,
    cluster,
    entry,
    shards,
    at(...places) {
      const shard = commonShard(places);
      if (shard === null) return spread;
      const server = byNumber.get(shard);
      if (server === undefined) throw unknownShard(shard);
      return server;
    },
  };
};

import { explainConnection } from '../lib/connection-faults.js';
import { connectServers } from '../rows/index.js';
import { type ClickHouseServers, type Connection, createClickHouse } from '../storage/clickhouse/client.js';
import { createReader, type Reader } from '../storage/clickhouse/reader.js';
import { type CommandParts, required } from './parts.js';

interface ServersOptions {
  /** @default 32 per server */
  readonly maxConnections?: number;
  /** False: the servers belong to no catalog yet, or to one without a schema. @default true */
  readonly bind?: boolean;
  /** Wraps each connection. */
  readonly wrap?: (connection: Connection, url: string) => Connection;
}

/**
 * Opens connections to all servers with rows. Sends statements to none of them unless it belongs to the catalog.
 * @throws AppError if CLICKHOUSE_URL or the cluster cannot be used, or has rows of another catalog.
 */
export const openServers = async (
  { config, log, scope, sql }: CommandParts,
  { maxConnections, bind = true, wrap = (connection) => connection }: ServersOptions = {},
): Promise<ClickHouseServers> =>
  connectServers({
    sql,
    url: required(config.clickhouseUrl, 'CLICKHOUSE_URL'),
    cluster: config.clickhouseCluster,
    nodeUrls: config.clickhouseNodeUrls,
    bind,
    async open(address) {
      const connection = createClickHouse({
        url: address,
        database: config.clickhouseDatabase,
        silenceMs: config.componentSilenceMs,
        ...(maxConnections === undefined ? {} : { maxConnections }),
      });
      await scope.defer('ClickHouse connections', connection.close);
      return wrap(connection, address);
    },
    explain: (work) => explainConnection('CLICKHOUSE_URL', work),
    log,
  });

const secondsPerDay = 86_400;

/** Reader for commands: a statement may take a day. */
export const openCommandReader = ({ config, log }: CommandParts, servers: ClickHouseServers): Reader =>
  createReader({ servers, maxWaitSeconds: secondsPerDay, maxMemoryBytes: config.queryMaxMemoryBytes, log });

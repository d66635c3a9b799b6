import { z } from 'zod';
import { GiB, integer, list, optional, setting, text, url } from './setting.js';

/** How ClickHouse is reached, alone or as a cluster. */
export const clickhouseSettings = {
  clickhouseUrl: setting(
    'CLICKHOUSE_URL',
    optional(url('http', 'https')),
    undefined,
    'HTTP address of ClickHouse with user and password, for https also sslrootcert, and no other parameter; npm start runs an embedded one when absent.',
    { secret: true },
  ),
  clickhouseDatabase: setting(
    'CLICKHOUSE_DATABASE',
    text.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a plain identifier'),
    'tabulary',
    'Database that holds the rows; created when absent.',
  ),
  clickhouseCluster: setting(
    'CLICKHOUSE_CLUSTER',
    optional(text.regex(/^[A-Za-z0-9_.-]+$/, 'must be the name of a cluster')),
    undefined,
    'Cluster of system.clusters over whose shards datasets are placed; default: the one server of CLICKHOUSE_URL.',
  ),
  spreadMinBytes: setting(
    'SPREAD_MIN_BYTES',
    integer(1),
    String(8 * GiB),
    'Raw bytes of a dataset from which on its rows go to all shards of CLICKHOUSE_CLUSTER; those of smaller ones are on one.',
  ),
  clickhouseNodeUrls: setting(
    'CLICKHOUSE_NODE_URLS',
    optional(list.pipe(z.array(url('http', 'https')))),
    undefined,
    'Comma-separated HTTP addresses of the nodes of that cluster, by number of shard and replica; default: read from system.clusters of the nodes.',
    { secret: true },
  ),
} as const;

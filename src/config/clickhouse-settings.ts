import { z } from 'zod';
import { GiB, integer, list, optional, setting, text, url } from './setting.js';

/** Connection to ClickHouse, a single server or a cluster. */
export const clickhouseSettings = {
  clickhouseUrl: setting(
    'CLICKHOUSE_URL',
    optional(url('http', 'https')),
    undefined,
    'HTTP address of ClickHouse with user and password; the only parameter allowed is sslrootcert, with https. If absent, npm start runs an embedded server.',
    { secret: true },
  ),
  clickhouseDatabase: setting(
    'CLICKHOUSE_DATABASE',
    text.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a plain identifier'),
    'tabulary',
    'Database of the rows; created if it does not exist.',
  ),
  clickhouseCluster: setting(
    'CLICKHOUSE_CLUSTER',
    optional(text.regex(/^[A-Za-z0-9_.-]+$/, 'must be the name of a cluster')),
    undefined,
    'Cluster in system.clusters on whose shards datasets are stored; default: only the server of CLICKHOUSE_URL.',
  ),
  spreadMinBytes: setting(
    'SPREAD_MIN_BYTES',
    integer(1),
    String(8 * GiB),
    'Raw bytes from which the rows of a dataset go to all shards of CLICKHOUSE_CLUSTER; smaller datasets are on one shard.',
  ),
  clickhouseNodeUrls: setting(
    'CLICKHOUSE_NODE_URLS',
    optional(list.pipe(z.array(url('http', 'https')))),
    undefined,
    'Comma-separated HTTP addresses of the nodes of that cluster, in the order of shard and replica numbers; default: read from system.clusters and the nodes.',
    { secret: true },
  ),
} as const;

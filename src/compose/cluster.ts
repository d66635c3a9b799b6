import { AppError } from '../lib/errors.js';
import { type ClusterOperations, createClusterOperations } from '../operations/cluster.js';
import { strayStores } from '../rows/shard-stores.js';
import { readTopology } from '../rows/topology.js';
import { firstShard } from '../storage/clickhouse/client.js';
import { openServers } from './clickhouse-servers.js';
import type { OperatorParts } from './operator.js';
import { required } from './required.js';
import { describeStrays } from './stray-stores.js';

/** The shards of the cluster, for commands of an operator. @throws AppError where ClickHouse is no cluster. */
export const openCluster = async ({ config, log, scope, sql }: OperatorParts): Promise<ClusterOperations> => {
  const { clickhouseCluster: cluster, clickhouseNodeUrls: nodeUrls } = config;
  if (cluster === undefined) {
    const strays = describeStrays(await strayStores(sql, { shards: [firstShard], spread: false }), undefined);
    throw new AppError(
      'invalid',
      'no_cluster',
      strays.length === 0 ? 'CLICKHOUSE_CLUSTER is not set: all rows are on one server' : strays.join('; '),
    );
  }
  const url = required(config.clickhouseUrl, 'CLICKHOUSE_URL');
  const servers = await openServers(config, sql, scope, { log });
  const addresses = await readTopology(servers.entry, { cluster, url, nodeUrls }, servers.engine);
  return createClusterOperations({ sql, cluster, servers, addresses });
};

import { invalid } from '../lib/errors.js';
import { type ClusterView, describeNoCluster, showCluster } from '../rows/index.js';
import { openServers } from './clickhouse-servers.js';
import { type CommandParts, required } from './parts.js';

/** The shards of the cluster, for commands of an operator. @throws AppError if ClickHouse is not a cluster. */
export const openCluster = async (parts: CommandParts): Promise<{ show(): Promise<ClusterView> }> => {
  const { config, sql } = parts;
  const { clickhouseCluster: cluster, clickhouseNodeUrls: nodeUrls } = config;
  if (cluster === undefined) throw invalid('no_cluster', await describeNoCluster(sql));
  const url = required(config.clickhouseUrl, 'CLICKHOUSE_URL');
  const servers = await openServers(parts);
  return { show: () => showCluster(sql, servers, { cluster, url, nodeUrls }) };
};

import { AppError } from '../lib/errors.js';
import { type ClusterView, describeNoCluster, showCluster } from '../rows/index.js';
import { openServers } from './clickhouse-servers.js';
import type { OperatorParts } from './operator.js';
import { required } from './required.js';

interface ClusterOperations {
  show(): Promise<ClusterView>;
}

/** The shards of the cluster, for commands of an operator. @throws AppError where ClickHouse is no cluster. */
export const openCluster = async ({ config, log, scope, sql }: OperatorParts): Promise<ClusterOperations> => {
  const { clickhouseCluster: cluster, clickhouseNodeUrls: nodeUrls } = config;
  if (cluster === undefined) throw new AppError('invalid', 'no_cluster', await describeNoCluster(sql));
  const url = required(config.clickhouseUrl, 'CLICKHOUSE_URL');
  const servers = await openServers(config, sql, scope, { log });
  return { show: () => showCluster(sql, servers, { cluster, url, nodeUrls }) };
};

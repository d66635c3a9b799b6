import { createStoreMover } from '../ingest/maintenance/store-mover.js';
import { AppError } from '../lib/errors.js';
import { firstShard } from '../model/placement.js';
import {
  type ClusterOperations,
  createClusterOperations,
  type OperatedShard,
} from '../operations/cluster.js';
import { createClickHouse, ensureDatabase } from '../storage/clickhouse/client.js';
import { createSegmentHashes } from '../storage/clickhouse/segment-hashes.js';
import { createShardCopier } from '../storage/clickhouse/shard-copy.js';
import { readTopology } from '../storage/clickhouse/topology.js';
import { bindInstallation, bindShard } from './installation.js';
import type { OperatorParts } from './operator.js';
import { required } from './required.js';

/** The shards of the cluster, for commands of an operator. @throws AppError where ClickHouse is no cluster. */
export const openCluster = async ({ config, log, scope, sql }: OperatorParts): Promise<ClusterOperations> => {
  const url = required(config.clickhouseUrl, 'CLICKHOUSE_URL');
  const { clickhouseCluster: cluster, clickhouseNodeUrls: nodeUrls, clickhouseDatabase: database } = config;
  if (cluster === undefined)
    throw new AppError('invalid', 'no_cluster', 'CLICKHOUSE_CLUSTER is not set: all rows lie on one server');
  const open = async (address: string) => {
    const clickhouse = createClickHouse({ url: address, database });
    await scope.defer('ClickHouse connections', clickhouse.close);
    return clickhouse;
  };
  const entry = await open(url);
  const addresses = await readTopology(entry, { cluster, url, nodeUrls });
  await bindInstallation(sql, entry);
  const shards: OperatedShard[] = [];
  for (const address of addresses) {
    const clickhouse = await open(address.url);
    await ensureDatabase(clickhouse);
    await bindInstallation(sql, clickhouse);
    await bindShard(clickhouse, address.number);
    shards.push({ ...address, clickhouse });
  }
  const hashes = new Map(
    shards.map(({ number, clickhouse }) => [number, createSegmentHashes(clickhouse)] as const),
  );
  const copier = createShardCopier({
    cluster,
    async hash({ number }, { storeId, pool }, segmentIds, signal) {
      // Each is asked as the one server that it is.
      const place = { storeId, shard: firstShard, pool: pool === null ? null : { pool } };
      return (await hashes.get(number)?.read(place, segmentIds, signal)) ?? [];
    },
  });
  const servers = new Map(shards.map((shard) => [shard.number, shard]));
  return createClusterOperations({
    sql,
    cluster,
    shards,
    mover: createStoreMover({ sql, servers, copier, log }),
  });
};

import { createSpreadMover } from '../ingest/maintenance/spread-mover.js';
import { createStoreMover } from '../ingest/maintenance/store-mover.js';
import { AppError } from '../lib/errors.js';
import { firstShard } from '../model/placement.js';
import { type ClusterOperations, createClusterOperations } from '../operations/cluster.js';
import { createPoolSegments } from '../rows/pool-segments.js';
import { createSegmentHashes } from '../rows/segment-hashes.js';
import { createSegmentCopier } from '../rows/segment-writes.js';
import { createShardCopier } from '../rows/shard-copy.js';
import { strayStores } from '../rows/shard-stores.js';
import { createSpreadCopier } from '../rows/spread-copy.js';
import { createStoreTables } from '../rows/tables.js';
import { readTopology } from '../rows/topology.js';
import { openServers } from './clickhouse-servers.js';
import type { OperatorParts } from './operator.js';
import { required } from './required.js';
import { describeStrays } from './stray-stores.js';

/** The shards of the cluster, for commands of an operator. @throws AppError where ClickHouse is no cluster. */
export const openCluster = async ({ config, log, scope, sql }: OperatorParts): Promise<ClusterOperations> => {
  const { clickhouseCluster: cluster, clickhouseNodeUrls: nodeUrls } = config;
  if (cluster === undefined) {
    const strays = describeStrays(await strayStores(sql, { shards: [firstShard], spread: false }), {});
    throw new AppError(
      'invalid',
      'no_cluster',
      strays.length === 0 ? 'CLICKHOUSE_CLUSTER is not set: all rows lie on one server' : strays.join('; '),
    );
  }
  const url = required(config.clickhouseUrl, 'CLICKHOUSE_URL');
  const servers = await openServers(config, sql, scope);
  const hashes = createSegmentHashes(servers);
  const copier = createShardCopier({
    cluster,
    hash: ({ number: shard }, { storeId, pool }, segmentIds, signal) =>
      hashes.read({ storeId, shard, pool: pool === null ? null : { pool } }, segmentIds, signal),
  });
  const spread = createSpreadMover({
    sql,
    servers,
    tables: createStoreTables(servers),
    pools: createPoolSegments(servers),
    copier: createSpreadCopier(servers, cluster),
    segments: createSegmentCopier({ clickhouse: servers, log }),
    log,
  });
  const byNumber = new Map(servers.shards.map((shard) => [shard.number, shard]));
  return createClusterOperations({
    sql,
    cluster,
    servers,
    addresses: await readTopology(servers.entry, { cluster, url, nodeUrls }),
    mover: createStoreMover({ sql, servers: byNumber, copier, log }),
    spread,
  });
};

/** Tells at the start of rows that lie where the configuration has no server. */
import type { Log } from '../lib/log.js';
import { isStrayStore, type StrayStores, strayStores } from '../rows/shard-stores.js';
import { type ClickHouseServers, servedBy, unknownShard } from '../storage/clickhouse/client.js';
import type { Sql } from '../storage/postgres/sql.js';

/** What an operator can do about it. */
const adviceOf = (shard: number | null, cluster: string | undefined): string => {
  if (cluster === undefined)
    return 'set CLICKHOUSE_CLUSTER as it was; to give the cluster up, `cluster drain` its shards first';
  return `give ${cluster} its shard ${shard} back in remote_servers, an empty server if its rows are lost, and \`cluster drain\` it before it is taken out`;
};

/** In words, a line for each shard. */
export const describeStrays = (strays: readonly StrayStores[], cluster: string | undefined): string[] =>
  strays.map(
    ({ shard, datasets }) =>
      `the rows of ${datasets} dataset${datasets === 1 ? '' : 's'} lie on ${shard === null ? 'several shards' : `shard ${shard}`}, ${
        cluster === undefined ? 'and CLICKHOUSE_CLUSTER is not set' : `which cluster ${cluster} does not have`
      }: ${adviceOf(shard, cluster)}`,
  );

/** Fails for a dataset that an upload cannot be stored in until the configuration is mended. */
export type RequireServed = (storeId: number) => Promise<void>;

/**
 * Says which datasets cannot be read with this configuration; all others can, so the process goes on. Gives what refuses
 * uploads to them, which would wait in Kafka and hold back others; undefined where there are none, as it should be.
 */
export const tellStrays = async (
  sql: Sql,
  servers: ClickHouseServers,
  log: Log,
): Promise<RequireServed | undefined> => {
  const served = servedBy(servers);
  const strays = await strayStores(sql, served);
  for (const [at, reason] of describeStrays(strays, servers.engine.cluster).entries()) {
    const { shard, stores, datasets } = strays[at]!;
    log.error({ shard, stores, datasets, reason }, 'datasets on a shard that is not configured');
  }
  if (strays.length === 0) return undefined;
  return async (storeId) => {
    if (!(await isStrayStore(sql, storeId, served))) return;
    const [stray] = await sql.query<{ shard: number | null }>(
      'SELECT CASE WHEN NOT everywhere THEN shard END AS shard FROM stores WHERE id = $1',
      [storeId],
    );
    throw unknownShard(stray?.shard ?? null);
  };
};

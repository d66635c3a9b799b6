import type { ClusterOperations } from '../operations/cluster.js';
import type { AdminContext, AdminGroup } from './command.js';

/** Connects. */
export type OpenCluster = (context: AdminContext) => Promise<ClusterOperations>;

/** `cluster show` */
export const createClusterCommands = (open: OpenCluster): AdminGroup => ({
  name: 'cluster',
  summary: 'Shards of ClickHouse',
  commands: [
    {
      name: 'show',
      summary:
        'Show the shards of CLICKHOUSE_CLUSTER with their nodes, weight, stores, bytes and free space.',
      arguments: [],
      run: async ({ context }) => (await open(context)).show(),
    },
  ],
});

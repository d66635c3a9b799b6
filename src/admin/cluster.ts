import type { ClusterView } from '../rows/index.js';
import type { AdminContext, AdminGroup } from './command.js';

/** Connects. */
type OpenCluster = (context: AdminContext) => Promise<{ show(): Promise<ClusterView> }>;

/** `cluster show` */
export const createClusterCommands = (open: OpenCluster): AdminGroup => ({
  name: 'cluster',
  summary: 'Shards of ClickHouse',
  commands: [
    {
      name: 'show',
      summary:
        'Show the shards of CLICKHOUSE_CLUSTER with their nodes, weight, stores, bytes and free space.',
      run: async ({ context }) => (await open(context)).show(),
    },
  ],
});

/** Work of a worker on processes of mode merge_columns. */

import type { Scope } from '../lib/scope.js';
import { createColumnJoin, createKeys, createMerge, createWrite, createWritePatch } from '../rows/index.js';
import { datasetsToMerge } from '../uploads/lifecycle/column-merge-records.js';
import type { Dispatcher } from '../uploads/lifecycle/dispatcher.js';
import type { MergeRecords } from '../uploads/lifecycle/merge-records.js';
import type { Step } from '../uploads/lifecycle/outcome.js';
import { createColumnMerge } from '../versions/merge/column-merge.js';
import { createMerger } from '../versions/merge/merger.js';
import type { MaintenanceOptions } from './ingest-maintenance.js';

export interface ColumnMergeSettings extends MaintenanceOptions {
  readonly columnMergePollMs: number;
}

/** The step of every process in phase `merge`: uploads, and columns. */
export const createMergeStep = (options: MaintenanceOptions, merges: MergeRecords): Step => {
  const { clickhouse, tables, pools: poolLimits } = options;
  const columnJoin = createColumnJoin(clickhouse, tables);
  const write = createWrite(clickhouse, tables);
  return createMerger({
    ...options,
    keys: createKeys(clickhouse),
    writeMerge: createMerge(clickhouse, tables),
    writePatch: createWritePatch(clickhouse, tables),
    mergeColumns: createColumnMerge({ clickhouse, write, columnJoin, merges, poolLimits }),
    merges,
    write,
    poolLimits,
  });
};

/** No message in Kafka tells of such a process, and its caller waits: they are looked for more often than a sweep comes. */
export const keepMergingColumns = async (
  { sql, columnMergePollMs, jobs }: ColumnMergeSettings,
  dispatcher: Pick<Dispatcher, 'publish'>,
  scope: Scope,
): Promise<void> => {
  await jobs.loop('merges of columns', {
    everyMs: columnMergePollMs,
    run: async () => {
      for (const datasetId of await datasetsToMerge(sql)) await dispatcher.publish(datasetId);
    },
    scope,
  });
};

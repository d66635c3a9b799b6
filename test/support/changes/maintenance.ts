/** Runs the workers' background maintenance immediately. */
import { openServers } from '../../../src/compose/clickhouse-servers.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import {
  createCompactions,
  createCompactor,
  createJoin,
  createRowTables,
  createTidy,
} from '../../../src/rows/index.js';
import { isStoreJoined } from '../../../src/uploads/lifecycle/store-writers.js';
import { leasesOf } from '../leases.js';
import type { TestProduct } from '../product.js';

/** Joins all segments that may be joined and drops unreferenced ones. There must be no concurrent readers. */
export const joinAndSweep = async ({ config, sql }: Pick<TestProduct, 'config' | 'sql'>): Promise<void> => {
  const scope = createScope(silentLog);
  try {
    const clickhouse = await openServers({ config, sql, scope, log: silentLog });
    const compactor = createCompactor({
      compactions: createCompactions({ sql, leases: leasesOf(sql) }),
      join: createJoin({ clickhouse, log: silentLog }),
      bounds: { least: 2, maxBytes: 1_000_000_000 },
      folds: { minPercent: 1, minRows: 1_000, intervalMs: 0, hasRoom: async () => true },
      onJoined: () => undefined,
      log: silentLog,
    });
    await compactor.compact(new AbortController().signal);
    const tidy = createTidy({
      sql,
      clickhouse,
      tables: createRowTables(clickhouse),
      leases: leasesOf(sql),
      poolDropIntervalMs: 0,
      graceMs: 0,
      isBeingRead: isStoreJoined,
      log: silentLog,
    });
    const { missingSegments } = await tidy.sweep();
    if (missingSegments > 0) throw new Error(`${missingSegments} referenced segments have no rows`);
  } finally {
    await scope.close();
  }
};

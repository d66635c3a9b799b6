import { createExportFolder } from '../exports/export-folder.js';
import { keptVersions, sweepFiles } from '../exports/file-sweep.js';
import { createRetention } from '../ingest/maintenance/retention.js';
import { createStorageSweep, type StorageSweep } from '../ingest/maintenance/storage-sweep.js';
import { createPoolSegments, type PoolSegments } from '../rows/pool-segments.js';
import { createStoreTables, type StoreTables } from '../rows/tables.js';
import type { ObjectStorage } from '../storage/objects/object-storage.js';
import { openServers } from './clickhouse-servers.js';
import { openExportStorage } from './export-storage.js';
import type { OperatorParts } from './operator.js';

/** One kind of thing, and how many were removed or found. */
export interface SweptItem {
  readonly where: string;
  readonly what: string;
  readonly count: number;
}

const both = 'PostgreSQL and ClickHouse';

export interface StorageTools {
  readonly storage: StorageSweep;
  readonly tables: StoreTables;
  readonly pools: PoolSegments;
  readonly exported: ObjectStorage;
  /** Removes files of deleted versions, old ones and those beyond the limits; returns their number. */
  sweepFiles(): Promise<number>;
}

/** What removes and looks at what is stored, beside workers that run. */
export const openStorageTools = async (parts: OperatorParts): Promise<StorageTools> => {
  const { config, log, scope, sql } = parts;
  const clickhouse = await openServers(config, sql, scope, { log });
  const tables = createStoreTables(clickhouse);
  const pools = createPoolSegments(clickhouse);
  const storage = createStorageSweep({
    sql,
    tables,
    pools,
    poolDropIntervalMs: 0,
    retention: createRetention({ sql, log }),
    graceMs: config.segmentGraceMs,
    log,
  });
  const { storage: exported } = await openExportStorage(config, scope);
  const { exportsMaxBytes: maxBytes, exportsMaxAgeMs: maxAgeMs } = config;
  const folder = createExportFolder({ sql, storage: exported, maxBytes, maxAgeMs, log });
  return {
    storage,
    tables,
    pools,
    exported,
    sweepFiles: async () => {
      const removed = await sweepFiles({ storage: exported, folder, maxAgeMs, kept: keptVersions(sql) });
      return removed + (await folder.enforceLimits());
    },
  };
};

/** A sweep of everything that is stored. */
export const openStorageSweep = async (parts: OperatorParts): Promise<() => Promise<SweptItem[]>> => {
  const tools = await openStorageTools(parts);
  return async () => {
    const report = await tools.storage.sweep();
    const files = await tools.sweepFiles();
    return [
      { where: 'PostgreSQL', what: 'versions beyond retention', count: report.versions },
      { where: 'PostgreSQL', what: 'compactions of silent workers', count: report.abandonedCompactions },
      { where: both, what: 'segments that no version names', count: report.segments },
      { where: both, what: 'stores without a dataset', count: report.stores },
      { where: 'ClickHouse', what: 'segments that PostgreSQL does not know', count: report.orphanSegments },
      { where: 'ClickHouse', what: 'tables that PostgreSQL does not know', count: report.orphanStores },
      { where: 'ClickHouse', what: 'segments that are missing (not removed)', count: report.missingSegments },
      { where: 'export files', what: 'files of versions that are gone, old, or too many', count: files },
    ];
  };
};

import { createExportFolder } from '../exports/export-folder.js';
import { keptVersions, sweepFiles } from '../exports/file-sweep.js';
import { createStoreTables, createTidy, type Tidy } from '../rows/index.js';
import type { ObjectStorage } from '../storage/objects/object-storage.js';
import { isStoreJoined } from '../uploads/lifecycle/store-writers.js';
import { afterRetention, createRetention } from '../versions/retention.js';
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
  readonly tidy: Tidy;
  readonly exported: ObjectStorage;
  /** Removes files of deleted versions, old ones and those beyond the limits; returns their number. */
  sweepFiles(): Promise<number>;
}

/** Tools that remove and inspect what is stored, next to running workers. */
export const openStorageTools = async (parts: OperatorParts): Promise<StorageTools> => {
  const { config, log, scope, sql } = parts;
  const clickhouse = await openServers(config, sql, scope, { log });
  const tidy = createTidy({
    sql,
    clickhouse,
    tables: createStoreTables(clickhouse),
    poolDropIntervalMs: 0,
    graceMs: config.segmentGraceMs,
    isBeingRead: isStoreJoined,
    log,
  });
  const { storage: exported } = await openExportStorage(config, scope);
  const { exportsMaxBytes: maxBytes, exportsMaxAgeMs: maxAgeMs } = config;
  const folder = createExportFolder({ sql, storage: exported, maxBytes, maxAgeMs, log });
  return {
    tidy,
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
  const { sweep } = afterRetention(tools.tidy, createRetention(parts));
  return async () => {
    const report = await sweep();
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

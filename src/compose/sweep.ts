import { createExportFolder } from '../exports/export-folder.js';
import { keptVersions, sweepFiles } from '../exports/file-sweep.js';
import { type SweptItem, sweptItems } from '../operations/swept-items.js';
import { createRowTables, createTidy, type Tidy } from '../rows/index.js';
import type { ObjectStorage } from '../storage/objects/object-storage.js';
import { isStoreJoined } from '../uploads/lifecycle/store-writers.js';
import { afterRetention, createRetention } from '../versions/retention.js';
import { openServers } from './clickhouse-servers.js';
import { openExportStorage } from './export-storage.js';
import { openLeases } from './jobs.js';
import type { CommandParts } from './parts.js';

interface StorageTools {
  readonly tidy: Tidy;
  readonly exported: ObjectStorage;
  /** Removes files of deleted versions and old ones. Returns their number. */
  sweepFiles(): Promise<number>;
}

/** Tools that remove and inspect stored data while workers run. */
export const openStorageTools = async (parts: CommandParts): Promise<StorageTools> => {
  const { config, log, scope, sql } = parts;
  const clickhouse = await openServers(parts);
  const tidy = createTidy({
    sql,
    clickhouse,
    tables: createRowTables(clickhouse),
    leases: openLeases(parts),
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
    // The API enforces the limits of files: it knows uses that are not in the list yet.
    sweepFiles: () => sweepFiles({ storage: exported, folder, maxAgeMs, kept: keptVersions(sql) }),
  };
};

/** A sweep of all stored data. */
export const openStorageSweep = async (parts: CommandParts): Promise<() => Promise<SweptItem[]>> => {
  const tools = await openStorageTools(parts);
  const sweep = afterRetention(tools.tidy, createRetention(parts));
  return async () => {
    const report = await sweep();
    return sweptItems(report, await tools.sweepFiles());
  };
};

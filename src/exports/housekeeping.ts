import type { Log } from '../lib/log.js';
import { createNewVersions } from '../storage/postgres/new-versions.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { Builds } from './builds.js';
import type { ExportFiles } from './export-files.js';
import { keptVersions } from './file-sweep.js';

/** Background work on export files. */
interface ExportHousekeeping {
  /** Removes files that are no longer needed, and unfinished files of killed processes. */
  clean(): Promise<void>;
  /** Makes the files of small versions published since the last call. The first call only records the start. */
  prepareNew(stop: AbortSignal): Promise<void>;
}

interface ExportHousekeepingOptions {
  readonly sql: Sql;
  readonly exportFiles: ExportFiles;
  readonly builds: Builds;
  /** Largest version whose files are made in advance; 0: none. */
  readonly aheadBytes: number;
  readonly log: Log;
}

/** Many small uploads must not use the permits of downloads for long. */
const perRound = 20;

export const createExportHousekeeping = (options: ExportHousekeepingOptions): ExportHousekeeping => {
  const { sql, exportFiles, builds, aheadBytes, log } = options;
  const versions = createNewVersions({
    sql,
    most: perRound,
    condition: 'v.byte_size <= $3',
    value: aheadBytes,
  });

  const prepareOne = async (datasetId: number, versionId: number): Promise<void> => {
    try {
      await exportFiles.prepare(datasetId, versionId);
    } catch (error) {
      // The first request makes the file. Usually a newer version has replaced this one.
      log.warn({ dataset: datasetId, version: versionId, err: error }, 'export file not made ahead');
    }
  };

  return {
    async clean() {
      await builds.tidy();
      await exportFiles.sweep(keptVersions(sql));
    },
    async prepareNew(stop) {
      if (aheadBytes === 0) return;
      for (const { datasetId, versionId } of await versions.read()) {
        if (stop.aborted) return;
        await prepareOne(datasetId, versionId);
        versions.done(versionId);
      }
    },
  };
};

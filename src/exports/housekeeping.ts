import type { Log } from '../lib/log.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { Builds } from './builds.js';
import type { ExportFiles } from './export-files.js';
import { keptVersions } from './file-sweep.js';

/** What is done about export files without being asked. */
export interface ExportHousekeeping {
  /** Removes files that are no longer needed and what killed processes left half-made. */
  clean(): Promise<void>;
  /** Makes the files of small versions that were published since the last call. The first call only looks. */
  prepareNew(stop: AbortSignal): Promise<void>;
}

export interface ExportHousekeepingOptions {
  readonly sql: Sql;
  readonly exportFiles: ExportFiles;
  readonly builds: Builds;
  /** Largest version that is prepared; 0: none. */
  readonly aheadBytes: number;
  readonly log: Log;
}

/** Ids are given out before versions are committed: so many behind the newest are looked at again. */
const lateIds = 100;
/** Many small uploads must not keep the places of downloads busy for long. */
const perRound = 20;

const tryLock = `SELECT pg_try_advisory_xact_lock(hashtextextended('export files ahead', 0)) AS locked`;
const newestSql = 'SELECT coalesce(max(id), 0) AS id FROM versions';
/** Only current versions: others are rarely asked for. */
const newSql = `
  SELECT v.id AS "versionId", v.dataset_id AS "datasetId"
    FROM versions v JOIN datasets d ON d.current_version_id = v.id
   WHERE v.id > $1 AND v.id <> ALL($2::bigint[]) AND v.byte_size <= $3
   ORDER BY v.id LIMIT ${perRound}`;

export const createExportHousekeeping = (options: ExportHousekeepingOptions): ExportHousekeeping => {
  const { sql, exportFiles, builds, aheadBytes, log } = options;
  let from: number | undefined;
  let seen = new Set<number>();

  const newVersions = async (after: number): Promise<{ versionId: number; datasetId: number }[]> =>
    sql.query(newSql, [after, [...seen], aheadBytes]);

  const prepareOne = async (datasetId: number, versionId: number): Promise<void> => {
    try {
      await exportFiles.prepare(datasetId, versionId);
    } catch (error) {
      // The file is made when it is asked for; most likely a newer version has replaced this one.
      log.warn({ dataset: datasetId, version: versionId, err: error }, 'export file not made ahead');
    }
  };

  const advance = (versionId: number): void => {
    seen.add(versionId);
    from = Math.max(from ?? 0, versionId - lateIds);
    const least = from;
    seen = new Set([...seen].filter((id) => id > least));
  };

  return {
    async clean() {
      await builds.tidy();
      await exportFiles.sweep(keptVersions(sql));
    },
    async prepareNew(stop) {
      if (aheadBytes === 0) return;
      if (from === undefined) {
        const [newest] = await sql.query<{ id: number }>(newestSql);
        from = newest?.id ?? 0;
        return;
      }
      const due = await newVersions(from);
      if (due.length === 0) return;
      // One API process at a time: the others find the files when their turn comes.
      await sql.tx(async (tx) => {
        const [lock] = await tx.query<{ locked: boolean }>(tryLock);
        if (lock?.locked !== true) return;
        for (const { datasetId, versionId } of due) {
          if (stop.aborted) return;
          await prepareOne(datasetId, versionId);
          advance(versionId);
        }
      });
    },
  };
};

import type { Log } from '../../lib/log.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { Versions } from '../versions.js';
import type { Summaries } from './summaries.js';

/** Makes summaries of small versions after they were published, so that the first who asks does not wait. */
export interface SummariesAhead {
  /** Those that were published since the last call. The first call only looks. */
  prepareNew(stop: AbortSignal): Promise<void>;
}

export interface SummariesAheadOptions {
  readonly sql: Sql;
  readonly versions: Versions;
  readonly summaries: Summaries;
  /** Rows times columns of the largest version that is prepared; 0: none. */
  readonly cells: number;
  readonly log: Log;
}

/** Ids are given out before versions are committed: so many behind the newest are looked at again. */
const lateIds = 100;
/** Uploads that come every second must not keep the places of questions busy. */
const perRound = 5;

const tryLock = `SELECT pg_try_advisory_xact_lock(hashtextextended('summaries ahead', 0)) AS locked`;

/** Only current versions: others are rarely asked for. */
const newSql = `
  SELECT v.id AS "versionId", v.dataset_id AS "datasetId"
    FROM versions v JOIN datasets d ON d.current_version_id = v.id JOIN column_lists l ON l.id = v.column_list_id
   WHERE v.id > $1 AND v.id <> ALL($2::bigint[]) AND v.row_count * jsonb_array_length(l.columns) <= $3
     AND NOT EXISTS (SELECT 1 FROM version_summaries s WHERE s.version_id = v.id)
   ORDER BY v.id LIMIT ${perRound}`;

interface NewVersion {
  readonly versionId: number;
  readonly datasetId: number;
}

export const createSummariesAhead = (options: SummariesAheadOptions): SummariesAhead => {
  const { sql, versions, summaries, cells, log } = options;
  let from: number | undefined;
  /** Those that did not succeed: they are made when they are asked for. */
  const failed = new Set<number>();

  const prepareOne = async ({ datasetId, versionId }: NewVersion, stop: AbortSignal): Promise<void> => {
    try {
      const version = await versions.find({ datasetId, currentVersionId: null, versionId });
      // Places are shared by owner: work of our own is one among them, whosever dataset it is.
      await summaries.prepare(version, 'summaries ahead', stop);
    } catch (error) {
      failed.add(versionId);
      log.warn({ dataset: datasetId, version: versionId, err: error }, 'summary not made ahead');
    }
  };

  return {
    async prepareNew(stop) {
      if (cells === 0) return;
      const [newest] = await sql.query<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM versions');
      from ??= newest?.id ?? 0;
      const due = await sql.query<NewVersion>(newSql, [from, [...failed], cells]);
      if (due.length === 0) {
        from = Math.max(from, (newest?.id ?? 0) - lateIds);
        for (const id of failed) if (id <= from) failed.delete(id);
        return;
      }
      // One API process at a time: the others find them made.
      await sql.tx(async (tx) => {
        const [lock] = await tx.query<{ locked: boolean }>(tryLock);
        if (lock?.locked !== true) return;
        for (const version of due) {
          if (stop.aborted) return;
          await prepareOne(version, stop);
        }
      });
    },
  };
};

import type { Log } from '../../lib/log.js';
import { createNewVersions, type NewVersion } from '../../storage/postgres/new-versions.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { Versions } from '../versions.js';
import type { Summaries } from './summaries.js';

interface SummariesAheadOptions {
  readonly sql: Sql;
  readonly versions: Versions;
  readonly summaries: Summaries;
  /** Rows times columns of the largest version to prepare; 0 disables preparation. */
  readonly cells: number;
  readonly log: Log;
}

/** Limited so that frequent uploads do not use up the permits of requests. */
const perRound = 5;

const isDue = `NOT EXISTS (SELECT 1 FROM version_summaries s WHERE s.version_id = v.id AND s.repairs = v.repairs)
  AND v.row_count * (SELECT jsonb_array_length(l.columns) FROM column_lists l WHERE l.id = v.column_list_id) <= $3`;

/** Computes summaries of small versions after they are published, so that the first reader does not wait. */
export const createSummariesAhead = (options: SummariesAheadOptions) => {
  const { sql, versions, summaries, cells, log } = options;
  const fresh = createNewVersions({ sql, most: perRound, condition: isDue, value: cells });

  const prepareOne = async ({ datasetId, versionId }: NewVersion, stop: AbortSignal): Promise<void> => {
    try {
      const version = await versions.find({ datasetId, currentVersionId: null, versionId });
      // Permits are shared by owner: all preparation counts as one owner, for every dataset.
      await summaries.prepare(version, 'summaries ahead', stop);
    } catch (error) {
      // No retry: the first request computes it.
      fresh.done(versionId);
      log.warn({ dataset: datasetId, version: versionId, err: error }, 'summary not made ahead');
    }
  };

  return {
    /** Summarises versions published since the last call. The first call only records where to begin. */
    async prepareNew(stop: AbortSignal): Promise<void> {
      if (cells === 0) return;
      for (const version of await fresh.read()) {
        if (stop.aborted) return;
        await prepareOne(version, stop);
      }
    },
  };
};

import type { Log } from '../lib/log.js';
import type { StorageReport, Tidy } from '../rows/index.js';
import { holdDataset } from '../storage/postgres/datasets.js';
import type { Sql } from '../storage/postgres/sql.js';
import { dueVersionsSql, removeDue } from './version-removal.js';

/** Removes versions that the settings of their dataset or the plan of its owner no longer keep. */
interface Retention {
  /** Returns the number of removed versions. */
  apply(): Promise<number>;
}

interface RetentionOptions {
  readonly sql: Sql;
  readonly onDropped?: (versions: number) => void;
  readonly log: Log;
}

export const createRetention = ({ sql, onDropped, log }: RetentionOptions): Retention => {
  /** Selects the versions again under the lock of the dataset, since one may have been restored, pinned or cloned meanwhile. */
  const applyTo = (datasetId: number): Promise<number> =>
    sql.tx(async (tx) => {
      await holdDataset(tx, datasetId);
      const gone = await removeDue(tx, datasetId);
      if (gone.length === 0) return 0;
      log.info({ dataset: datasetId, versions: gone }, 'versions dropped by retention');
      return gone.length;
    });

  return {
    async apply() {
      const due = await sql.query<{ datasetId: number }>(
        `SELECT DISTINCT "datasetId" FROM (${dueVersionsSql}) AS due ORDER BY 1`,
        [null],
      );
      let dropped = 0;
      for (const { datasetId } of due) dropped += await applyTo(datasetId);
      onDropped?.(dropped);
      return dropped;
    },
  };
};

export interface RetentionReport extends StorageReport {
  /** Versions that retention removed. */
  readonly versions: number;
}

/** Applies retention, then sweeps unneeded rows. */
export const afterRetention =
  (tidy: Pick<Tidy, 'sweep'>, retention: Retention) =>
  async (stop?: AbortSignal): Promise<RetentionReport> => {
    const versions = await retention.apply();
    return { versions, ...(await tidy.sweep(stop)) };
  };

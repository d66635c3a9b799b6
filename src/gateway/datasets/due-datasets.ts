import type { Leases } from '../../jobs/leases.js';

/** Datasets with work that is due. */
interface DueRecords<T> {
  /** Datasets that no process works on, most overdue first. */
  due(): Promise<readonly number[]>;
  /** Work of a dataset, if it is still due. */
  begin(datasetId: number): Promise<T | undefined>;
}

/**
 * Works on datasets until nothing is due, each in one process at a time. Returns the number of runs.
 * @param run Its signal is aborted when the process stops or loses the lease.
 */
export const runDueDatasets = async <T>(
  records: DueRecords<T>,
  leases: Leases,
  kind: 'backfill' | 'refresh',
  stop: AbortSignal,
  run: (work: T, stop: AbortSignal) => Promise<void>,
): Promise<number> => {
  const runIfDue = (datasetId: number): Promise<boolean | undefined> =>
    leases.whileHeld(kind, datasetId, async (lost) => {
      const work = await records.begin(datasetId);
      if (work !== undefined) await run(work, AbortSignal.any([stop, lost]));
      return work !== undefined;
    });
  let runs = 0;
  for (let before = -1; before < runs; ) {
    before = runs;
    for (const datasetId of await records.due())
      if (!stop.aborted && (await runIfDue(datasetId)) === true) runs += 1;
  }
  return runs;
};

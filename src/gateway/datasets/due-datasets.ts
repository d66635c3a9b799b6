import type { Leases } from '../../jobs/leases.js';
import { retryInOutage } from '../../storage/outage-retry.js';

/** Datasets with work that is due. */
interface DueRecords<T, O> {
  /** Datasets that no process works on, most overdue first. */
  due(): Promise<readonly number[]>;
  /** Work of a dataset, if it is still due. */
  begin(datasetId: number): Promise<T | undefined>;
  finish(work: T, outcome: O): Promise<void>;
}

interface DueWork<T, O> {
  readonly records: DueRecords<T, O>;
  readonly leases: Leases;
  readonly kind: 'backfill' | 'refresh';
  /** Its signal is aborted when the process stops or loses the lease. */
  readonly run: (work: T, stop: AbortSignal) => Promise<O>;
  /** @param unrecorded Outcome of the run, if that is what could not be stored. */
  readonly failureOf: (work: T, error: unknown, unrecorded?: O) => O;
}

/** Milliseconds for which storing an outcome is retried while PostgreSQL is down. A process that stops does not retry. */
const recordMs = 5_000;

/** Works on datasets until nothing is due, each in one process at a time. Returns the number of runs. */
export const runDueDatasets = async <T, O>(
  { records, leases, kind, run, failureOf }: DueWork<T, O>,
  stop: AbortSignal,
): Promise<number> => {
  const record = (work: T, outcome: O, signal: AbortSignal): Promise<void> =>
    retryInOutage(() => records.finish(work, outcome), signal.aborted ? 0 : recordMs);
  const runAndRecord = async (work: T, signal: AbortSignal): Promise<void> => {
    let outcome: O | undefined;
    try {
      outcome = await run(work, signal);
      await record(work, outcome, signal);
    } catch (error) {
      // The process stops, or another one has the lease. An outcome is stored nevertheless: an upload that is not known would be repeated.
      if (outcome === undefined && signal.aborted) return;
      // An outcome that cannot be stored is a failure too; otherwise the work would stay the most overdue.
      await record(work, failureOf(work, error, outcome), signal);
    }
  };
  const runIfDue = (datasetId: number): Promise<boolean | undefined> =>
    leases.whileHeld(kind, datasetId, async (lost) => {
      const work = await records.begin(datasetId);
      if (work !== undefined) await runAndRecord(work, AbortSignal.any([stop, lost]));
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

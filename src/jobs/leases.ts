/** Leases on single items of work of jobs and commands: one process at a time has each. */
import type { Log } from '../lib/log.js';
import type { Sql } from '../storage/postgres/sql.js';
import { whileLeased } from './lease.js';
import { createJobRecords, type JobRecords, type Run } from './records.js';

/** Kinds of leases, and the subject of their rows in `jobs`. */
type LeaseName =
  /** Rows that no version needs are being dropped. No subject. */
  | 'drops'
  /** Segments of a store are joined or folded. Number of the store. */
  | 'compaction'
  /** An upload is read again or merged. Number of the process. */
  | 'upload'
  /** A request to a provider is under way, for which other processes wait. Hash of the question. */
  | 'fetch'
  /** A series dataset is refreshed. Number of the dataset. */
  | 'refresh'
  /** Vintages are loaded into a series dataset. Number of the dataset. */
  | 'backfill';

const heldFrom = (name: LeaseName, subject: string): string =>
  `FROM jobs j WHERE j.name = '${name}' AND j.subject = (${subject})::text AND j.held_until > now()`;

/** Condition that a process has the lease. @param subject SQL of the thing's number. */
export const isHeldSql = (name: LeaseName, subject: string): string =>
  `EXISTS (SELECT 1 ${heldFrom(name, subject)})`;

/** End of the lease, unless it is renewed; null: no process has it. */
export const heldUntilSql = (name: LeaseName, subject: string): string =>
  `(SELECT j.held_until ${heldFrom(name, subject)})`;

export interface Leases {
  /**
   * Runs `work` while this process has the lease; undefined, without running it, when another process has it.
   * @param work Gets a signal that is aborted when the lease is lost: another process may do the same by then.
   * @throws Error after `releaseAll`
   */
  whileHeld<T>(
    name: LeaseName,
    subject: number | string,
    work: (lost: AbortSignal) => Promise<T>,
  ): Promise<T | undefined>;
}

interface ProcessLeases extends Leases {
  /** Releases every lease when the process stops, so that other processes do not wait until they expire. */
  releaseAll(): Promise<void>;
}

interface LeasesOptions {
  readonly sql: Sql;
  /** Id of this process in `live_processes`; of a command, any. */
  readonly process: string;
  /** Milliseconds of silence after which another process may take the lease. */
  readonly leaseMs: number;
  readonly log: Log;
}

export const createLeases = (options: LeasesOptions): ProcessLeases => {
  const { leaseMs, log } = options;
  const records: JobRecords = createJobRecords(options);
  /** Runs of this process, and how their work learns that the lease is lost. */
  const held = new Map<Run, AbortController>();
  const stopping = new Error('the process is stopping');
  let isStopping = false;

  const release = async (run: Run): Promise<void> => {
    if (!held.delete(run)) return;
    const { name, subject } = run;
    // The result counts although the lease then lasts until it expires.
    await records
      .release(run)
      .catch((error: unknown) => log.warn({ err: error, job: name, subject }, 'lease not released'));
  };

  return {
    async whileHeld(name, subject, work) {
      if (isStopping) throw stopping;
      const run = await records.take({ name, subject: String(subject) });
      if (run === undefined) return undefined;
      const lost = new AbortController();
      held.set(run, lost);
      const onError = (error: unknown): void =>
        log.warn({ err: error, job: name, subject }, 'lease not renewed');
      try {
        if (isStopping) throw stopping;
        return await whileLeased({ leaseMs, renew: () => records.renew(run), lost, onError }, work);
      } finally {
        await release(run);
      }
    },
    async releaseAll() {
      isStopping = true;
      for (const lost of held.values()) lost.abort(stopping);
      await Promise.all([...held.keys()].map(release));
    },
  };
};

/** Leases on single items of work: at most one process holds the lease on an item. */
import type { Log } from '../lib/log.js';
import type { Sql } from '../storage/postgres/sql.js';
import { whileLeased } from './lease.js';
import { createJobRecords, type Run } from './records.js';

/** Kinds of leases, and the subject of their rows in `jobs`. */
type LeaseName =
  /** Dropping rows that no version needs. No subject. */
  | 'drops'
  /** Joining or folding segments of a store. Subject: id of the store. */
  | 'compaction'
  /** Replaying or merging an upload. Subject: id of the process. */
  | 'upload'
  /** A request to a provider that other processes wait for. Subject: hash of the request. */
  | 'fetch'
  /** Refreshing a series dataset. Subject: id of the dataset. */
  | 'refresh'
  /** Loading vintages into a series dataset. Subject: id of the dataset. */
  | 'backfill';

const heldFrom = (name: LeaseName, subject: string): string =>
  `FROM jobs j WHERE j.name = '${name}' AND j.subject = (${subject})::text AND j.held_until > now()`;

/** SQL condition that a process holds the lease. @param subject SQL expression of the item's id */
export const isHeldSql = (name: LeaseName, subject: string): string =>
  `EXISTS (SELECT 1 ${heldFrom(name, subject)})`;

/** SQL of the expiry of the lease, unless it is renewed; null: no process holds it. */
export const heldUntilSql = (name: LeaseName, subject: string): string =>
  `(SELECT j.held_until ${heldFrom(name, subject)})`;

export interface Leases {
  /**
   * Takes the lease, runs `work` and releases the lease. Returns undefined without running `work` if another process holds it.
   * @param work Gets a signal that is aborted when the lease is lost, and another process may do the same work.
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
  /** Id of this process in `live_processes`. A command uses any id. */
  readonly process: string;
  /** Milliseconds of silence after which another process may take the lease. */
  readonly leaseMs: number;
  readonly log: Log;
}

export const createLeases = (options: LeasesOptions): ProcessLeases => {
  const { leaseMs, log } = options;
  const records = createJobRecords(options);
  /** Aborted when the lease is lost or the process stops. */
  const held = new Map<Run, AbortController>();
  const stopping = new Error('the process is stopping');
  let isStopping = false;

  const release = async (run: Run): Promise<void> => {
    if (!held.delete(run)) return;
    const { name, subject } = run;
    // A failed release must not discard the result of the work. The lease expires.
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

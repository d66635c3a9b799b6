import type { Log } from '../../lib/log.js';
import { isPending } from '../../storage/postgres/process-states.js';
import type { Sql } from '../../storage/postgres/sql.js';

/** Gives one worker at a time the right to replay a process. */
export interface Leases {
  /** Runs `work` while the lease is held and extended; does nothing when another worker holds it. */
  whileHeld(processId: number, work: () => Promise<void>): Promise<void>;
}

export interface LeaseOptions {
  readonly sql: Sql;
  /** Names this worker; unique among those that run. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly log: Log;
}

export const createLeases = ({ sql, owner, leaseMs, log }: LeaseOptions): Leases => {
  const take = async (processId: number): Promise<boolean> => {
    const rows = await sql.query(
      `UPDATE processes SET lease_owner = $2, lease_until = now() + $3 * interval '1 millisecond'
       WHERE id = $1 AND ${isPending()} AND (lease_until IS NULL OR lease_until < now() OR lease_owner = $2)
       RETURNING 1`,
      [processId, owner, leaseMs],
    );
    return rows.length > 0;
  };

  const giveBack = (processId: number): Promise<unknown> =>
    sql.query(
      'UPDATE processes SET lease_until = NULL, lease_owner = NULL WHERE id = $1 AND lease_owner = $2',
      [processId, owner],
    );

  return {
    async whileHeld(processId, work) {
      if (!(await take(processId))) return;
      // A lease that cannot be extended runs out; recording is bound to the attempt, so nothing is doubled.
      const timer = setInterval(() => {
        take(processId).catch((error: unknown) =>
          log.warn({ err: error, process: processId }, 'lease not extended'),
        );
      }, leaseMs / 3);
      try {
        await work();
      } finally {
        clearInterval(timer);
        await giveBack(processId);
      }
    },
  };
};

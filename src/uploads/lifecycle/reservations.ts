/**
 * Reserved processes: the sender gets the id before it sends the file, so that it can follow the upload from the first byte. A
 * reserved process has no position in the order of publishing before the upload is accepted (process-records.ts).
 */

import { AppError, conflict, forbidden, notFound } from '../../lib/errors.js';
import { holdAccount } from '../../storage/postgres/accounts.js';
import { beforeAccepted, inStates } from '../../storage/postgres/process-states.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { isProcess } from './process-ids.js';
import { moveSql } from './transitions.js';

/** Account that reserves a process, and the dataset. */
interface Reserver {
  readonly datasetId: number;
  readonly accountId: number;
}

export interface Reservations {
  /**
   * Allocates an id.
   * @throws AppError 429 if the account has reached its limit of open reservations
   */
  reserve(reserver: Reserver & { readonly requestId: string }): Promise<number>;
  /** @throws AppError 403, 404 or 409 if an upload of the account cannot fill the process */
  requireOpen(processId: number, reserver: Reserver): Promise<void>;
  /**
   * Event `claimed`: this upload fills the process, and no other can.
   * @throws AppError 403, 404, 409 as `requireOpen`.
   */
  claim(processId: number, reserver: Reserver): Promise<void>;
}

interface ReservationLimits {
  /** Milliseconds after which a reservation expires. */
  readonly keptMs: number;
  /** Most open reservations of an account. */
  readonly perAccount: number;
}

interface Found {
  readonly accountId: number;
  /** Reserved, not expired, and not claimed by an upload. */
  readonly isOpen: boolean;
  readonly isExpired: boolean;
}

const claimed = moveSql('claimed');

export const createReservations = (sql: Sql, limits: ReservationLimits): Reservations => {
  const requireOpen = async (processId: number, { datasetId, accountId }: Reserver): Promise<void> => {
    const [found] = await sql.query<Found>(
      `SELECT created_by AS "accountId", ${inStates(['reserved'])} AND expires_at > now() AS "isOpen",
         coalesce(expires_at <= now(), false) AS "isExpired"
       FROM processes WHERE dataset_id = $1 AND ${isProcess('$2', 'processes')}`,
      [datasetId, processId],
    );
    if (found === undefined) throw notFound('process_not_found', `The dataset has no process ${processId}.`);
    if (found.accountId !== accountId)
      throw forbidden('process_of_other_account', `Process ${processId} was reserved by another account.`);
    if (found.isOpen) return;
    if (found.isExpired)
      throw conflict('reservation_expired', `Process ${processId} has expired; reserve another one.`);
    throw conflict('process_used', `Process ${processId} has been used already; reserve another one.`);
  };

  return {
    reserve: ({ datasetId, accountId, requestId }) =>
      sql.tx(async (tx) => {
        await holdAccount(tx, accountId);
        const [open] = await tx.query<{ count: number; seconds: number }>(
          `SELECT count(*)::int AS count, ceil(extract(epoch FROM min(expires_at) - now()))::int AS seconds
           FROM processes WHERE created_by = $1 AND expires_at > now() AND ${inStates(['reserved'])}`,
          [accountId],
        );
        if (open !== undefined && open.count >= limits.perAccount)
          throw new AppError(
            'rate_limited',
            'too_many_reservations',
            `The account has ${open.count} reserved processes that are not filled; fill or cancel one.`,
            { details: { limit: limits.perAccount }, retryAfterSeconds: Math.max(1, open.seconds) },
          );
        const [row] = await tx.query<{ id: number }>(
          `INSERT INTO processes (dataset_id, phase, created_by, request_id, expires_at)
           VALUES ($1, '${beforeAccepted[0]}', $2, $3, now() + $4 * interval '1 millisecond') RETURNING id`,
          [datasetId, accountId, requestId, limits.keptMs],
        );
        if (row === undefined) throw new Error('a process was inserted but not returned');
        return row.id;
      }),

    requireOpen,

    async claim(processId, reserver) {
      const rows = await sql.query(
        `UPDATE processes SET ${claimed.set}, expires_at = NULL, heartbeat_at = now()
         WHERE id = $1 AND dataset_id = $2 AND created_by = $3 AND expires_at > now() AND ${claimed.when}
         RETURNING 1`,
        [processId, reserver.datasetId, reserver.accountId],
      );
      if (rows.length > 0) return;
      await requireOpen(processId, reserver);
      throw conflict('process_used', `Process ${processId} has been used already; reserve another one.`);
    },
  };
};

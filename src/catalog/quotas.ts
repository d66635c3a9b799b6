import { forbidden } from '../lib/errors.js';
import type { Caller } from '../model/permission.js';
import { type Plan, quotaExceeded, requireQuota } from '../model/plan.js';
import { prepared, type Sql } from '../storage/postgres/sql.js';
import type { DatasetAccess } from './access.js';
import { planOf } from './plans.js';
import { storedBytesSql } from './stored-bytes.js';

/** One export that is under way. Exactly one of both is called, once. */
export interface ExportTicket {
  /** The answer ended, whole or cut off by the client: it costs what was sent. */
  finish(bytesSent: number): Promise<void>;
  /** Nothing was sent (304, refused, failed): it costs nothing. */
  cancel(): Promise<void>;
}

export interface PlanUse {
  readonly privateRepositories: number;
  readonly storedBytes: number;
  readonly exportsPerDay: number;
  readonly exportBytesPerDay: number;
}

export interface Quotas {
  /**
   * Private data of others needs a plan that includes it. Public data never does: everybody may read it without a
   * key, so that a plan could only forbid it to those who send theirs.
   * @throws AppError 403 when the caller's plan does not include the download of this dataset.
   */
  requireDownload(caller: Caller | undefined, access: Pick<DatasetAccess, 'own' | 'privacy'>): Promise<void>;
  /**
   * Counts one export of the caller. Exact under concurrent requests. Without a caller nothing is counted.
   * @throws AppError 402 when the exports or bytes of the day are used up.
   */
  startExport(caller: Caller | undefined): Promise<ExportTicket>;
  /** @throws AppError 402 when the owner's stored bytes and these together are beyond the plan. */
  requireStorage(ownerId: number, additionalBytes: number): Promise<void>;
  /**
   * The same for bytes that the transaction goes on to write down: until it ends, others of the owner wait here.
   * @throws AppError 402.
   */
  holdStorage(tx: Sql, ownerId: number, additionalBytes: number): Promise<void>;
  /** @throws AppError 402 for a plan without providers that cost money. */
  requirePaidProviders(caller: Caller): Promise<void>;
  use(accountId: number): Promise<PlanUse>;
}

/** Of an answer that is not counted. */
const freeTicket: ExportTicket = { finish: () => Promise.resolve(), cancel: () => Promise.resolve() };

/**
 * A count that a crash of the database forgets is worth less than the wait for its disk, which every download
 * would have: the commit of such a statement does not wait for it.
 */
const withoutSync = `without_sync AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))`;

/** One statement takes the place: two requests never both get the last one. */
const takeExport = prepared(`
  WITH ${withoutSync}, plan AS (
    SELECT p.max_exports_per_day AS exports, p.max_export_bytes_per_day AS bytes
    FROM accounts a JOIN plans p ON p.name = a.plan WHERE a.id = $1
  )
  INSERT INTO export_usage AS u (account_id, day, exports)
  SELECT $1, (now() AT TIME ZONE 'UTC')::date, 1 FROM plan, without_sync
  WHERE coalesce(plan.exports, 1) > 0 AND coalesce(plan.bytes, 1) > 0
  ON CONFLICT (account_id, day) DO UPDATE SET exports = u.exports + 1
  WHERE (SELECT (plan.exports IS NULL OR u.exports < plan.exports) AND (plan.bytes IS NULL OR u.bytes < plan.bytes)
         FROM plan)
  RETURNING u.day::text AS day`);

const settleExport = prepared(`
  WITH ${withoutSync}
  UPDATE export_usage SET exports = greatest(exports + $3, 0), bytes = bytes + $4 FROM without_sync
  WHERE account_id = $1 AND day = $2::date`);

const readUse = async (sql: Sql, accountId: number): Promise<PlanUse> => {
  const [row] = await sql.query<PlanUse>(
    `SELECT
       (SELECT count(*) FROM repositories WHERE created_by = $1 AND privacy = 'Private' AND NOT is_home)
         AS "privateRepositories",
       (${storedBytesSql}) AS "storedBytes",
       coalesce(u.exports, 0) AS "exportsPerDay", coalesce(u.bytes, 0) AS "exportBytesPerDay"
     FROM (SELECT 1) one LEFT JOIN export_usage u
       ON u.account_id = $1 AND u.day = (now() AT TIME ZONE 'UTC')::date`,
    [accountId],
  );
  return row ?? { privateRepositories: 0, storedBytes: 0, exportsPerDay: 0, exportBytesPerDay: 0 };
};

/** @throws AppError 402 when the stored bytes of the account and these together are beyond its plan. */
export const requireStorage = async (sql: Sql, ownerId: number, additionalBytes: number): Promise<void> => {
  const { maxStoredBytes } = await planOf(sql, ownerId);
  if (maxStoredBytes === null) return;
  const [row] = await sql.query<{ bytes: number }>(storedBytesSql, [ownerId]);
  const used = row?.bytes ?? 0;
  requireQuota('storedBytes', maxStoredBytes, used, used + additionalBytes);
};

/** Until the transaction ends nobody else takes room of the account. Whoever holds a dataset as well does that first. */
export const holdOwner = async (tx: Sql, ownerId: number): Promise<void> => {
  await tx.query('SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [ownerId]);
};

const exportsUsedUp = (plan: Plan, use: PlanUse): Error => {
  const { maxExportsPerDay, maxExportBytesPerDay } = plan;
  if (maxExportBytesPerDay !== null && use.exportBytesPerDay >= maxExportBytesPerDay)
    return quotaExceeded('exportBytesPerDay', maxExportBytesPerDay, use.exportBytesPerDay);
  return quotaExceeded('exportsPerDay', maxExportsPerDay ?? use.exportsPerDay, use.exportsPerDay);
};

export const createQuotas = ({ sql }: { sql: Sql }): Quotas => ({
  async requireDownload(caller, access) {
    if (caller === undefined || access.own || access.privacy === 'Public') return;
    const plan = await planOf(sql, caller.accountId);
    if (plan.downloads === 'all') return;
    throw forbidden(
      'download_not_in_plan',
      `The plan ${plan.name} does not include downloads of private datasets of other accounts.`,
    );
  },

  async startExport(caller) {
    if (caller === undefined) return freeTicket;
    const { accountId } = caller;
    const [taken] = await sql.query<{ day: string }>(takeExport, [accountId]);
    if (taken === undefined) throw exportsUsedUp(await planOf(sql, accountId), await readUse(sql, accountId));
    const settle = (exports: number, bytes: number): Promise<unknown> =>
      sql.query(settleExport, [accountId, taken.day, exports, bytes]);
    return {
      async finish(bytesSent) {
        await settle(0, bytesSent);
      },
      async cancel() {
        await settle(-1, 0);
      },
    };
  },

  requireStorage: (ownerId, additionalBytes) => requireStorage(sql, ownerId, additionalBytes),

  async holdStorage(tx, ownerId, additionalBytes) {
    await holdOwner(tx, ownerId);
    await requireStorage(tx, ownerId, additionalBytes);
  },

  async requirePaidProviders(caller) {
    const plan = await planOf(sql, caller.accountId);
    if (!plan.paidProviders) throw quotaExceeded('paidProviders', 0, 0);
  },

  use: (accountId) => readUse(sql, accountId),
});

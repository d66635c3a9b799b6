import { type AppError, forbidden } from '../lib/errors.js';
import type { Caller } from '../model/permission.js';
import { type Plan, requireQuota } from '../model/plan.js';
import { holdAccount } from '../storage/postgres/accounts.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { DatasetAccess } from './access.js';
import { createExportCounts, type ExportCounts } from './export-counts.js';
import { createExportQuota, type ExportQuota } from './export-quota.js';
import { planOf } from './plans.js';
import { storedBytesSql } from './stored-bytes.js';

interface PlanUse {
  readonly privateRepositories: number;
  readonly storedBytes: number;
  readonly exportsPerDay: number;
  readonly exportBytesPerDay: number;
}

export interface Quotas extends ExportQuota {
  /**
   * Private data of others needs a plan that includes it. Public data never does: everybody may read it without a key, so a plan could only
   * forbid it to callers who send theirs.
   * @throws AppError 403 if the caller's plan does not include the download of this dataset.
   */
  requireDownload(caller: Caller | undefined, access: Pick<DatasetAccess, 'own' | 'privacy'>): Promise<void>;
  /** @throws AppError 402 if the owner's stored bytes plus these exceed the plan. */
  requireStorage(ownerId: number, additionalBytes: number): Promise<void>;
  /**
   * The same for bytes that the transaction then records: other transactions of the owner wait here until it ends.
   * @throws AppError 402.
   */
  holdStorage(tx: Sql, ownerId: number, additionalBytes: number): Promise<void>;
  use(accountId: number): Promise<PlanUse>;
}

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

/** @throws AppError 402 if the stored bytes of the account plus these exceed its plan. */
export const requireStorage = async (sql: Sql, ownerId: number, additionalBytes: number): Promise<void> => {
  const { maxStoredBytes } = await planOf(sql, ownerId);
  if (maxStoredBytes === null) return;
  const [row] = await sql.query<{ bytes: number }>(storedBytesSql, [ownerId]);
  const used = row?.bytes ?? 0;
  requireQuota('storedBytes', maxStoredBytes, used, used + additionalBytes);
};

/**
 * Owners whose stored bytes grow if the current version of `$1` is written as one segment: one of their versions gets the new segment while
 * another one keeps an old one.
 */
const payersOfCopySql = `
  WITH run AS MATERIALIZED (SELECT segment_id FROM segment_ranges WHERE dataset_id = $1 AND until_version IS NULL),
  spans AS (
    SELECT r.dataset_id, count(*) AS segments FROM run JOIN segment_ranges r USING (segment_id)
    GROUP BY r.dataset_id, r.from_version, r.until_version
  ), payers AS (
    SELECT dataset_id FROM spans GROUP BY dataset_id
    HAVING sum(segments) >= (SELECT count(*) FROM run) AND min(segments) < (SELECT count(*) FROM run)
  )
  SELECT DISTINCT o.created_by AS id FROM payers p JOIN datasets d ON d.id = p.dataset_id JOIN repositories o ON o.id = d.repository_id`;

/**
 * Checks whether a background copy of the current version of a dataset fits the plans of all accounts whose stored bytes would grow. The
 * same number of bytes must remain free for uploads.
 */
export const createRoomCheck =
  (sql: Sql) =>
  async (datasetId: number, bytes: number): Promise<boolean> => {
    for (const { id } of await sql.query<{ id: number }>(payersOfCopySql, [datasetId])) {
      const { maxStoredBytes } = await planOf(sql, id);
      if (maxStoredBytes === null) continue;
      const [stored] = await sql.query<{ bytes: number }>(storedBytesSql, [id]);
      if ((stored?.bytes ?? 0) + 2 * bytes > maxStoredBytes) return false;
    }
    return true;
  };

/** Reason why the plan of a caller does not include the download of a dataset; undefined: it does. */
export const refuseDownload = (
  caller: Caller | undefined,
  { own, privacy }: Pick<DatasetAccess, 'own' | 'privacy'>,
  plan: Pick<Plan, 'name' | 'downloads'>,
): AppError | undefined =>
  caller === undefined || own || privacy === 'Public' || plan.downloads === 'all'
    ? undefined
    : forbidden(
        'download_not_in_plan',
        `The plan ${plan.name} does not include downloads of private datasets of other accounts.`,
      );

interface QuotasOptions {
  readonly sql: Sql;
  /** @default own counts, written by `use` */
  readonly exportCounts?: ExportCounts;
}

export const createQuotas = ({ sql, exportCounts = createExportCounts({ sql }) }: QuotasOptions): Quotas => ({
  async requireDownload(caller, access) {
    if (caller === undefined || access.own || access.privacy === 'Public') return;
    const refused = refuseDownload(caller, access, await planOf(sql, caller.accountId));
    if (refused !== undefined) throw refused;
  },

  ...createExportQuota({ sql, counts: exportCounts }),

  requireStorage: (ownerId, additionalBytes) => requireStorage(sql, ownerId, additionalBytes),

  async holdStorage(tx, ownerId, additionalBytes) {
    await holdAccount(tx, ownerId);
    await requireStorage(tx, ownerId, additionalBytes);
  },

  async use(accountId) {
    await exportCounts.flush();
    return readUse(sql, accountId);
  },
});

import { invalid, notFound } from '../lib/errors.js';
import type { Plan } from '../model/plan.js';
import { recordAudit } from '../storage/postgres/audit.js';
import { named, type Sql } from '../storage/postgres/sql.js';
import { requireName } from './names.js';

const columns = `p.name, p.max_private_repositories AS "maxPrivateRepositories",
  p.max_stored_bytes AS "maxStoredBytes", p.max_dataset_rows AS "maxDatasetRows", p.max_columns AS "maxColumns",
  p.max_upload_bytes AS "maxUploadBytes", p.max_exports_per_day AS "maxExportsPerDay",
  p.max_export_bytes_per_day AS "maxExportBytesPerDay", p.paid_providers AS "paidProviders",
  p.max_versions AS "maxVersions", p.max_version_days AS "maxVersionDays", p.private_home AS "privateHome", p.downloads`;

/** The plan of an account. */
export const planOf = async (sql: Sql, accountId: number): Promise<Plan> => {
  const [row] = await sql.query<Plan>(
    `SELECT ${columns} FROM accounts a JOIN plans p ON p.name = a.plan WHERE a.id = $1`,
    [accountId],
  );
  if (row === undefined) throw notFound('account_not_found', `There is no account ${accountId}.`);
  return row;
};

interface Plans {
  list(): Promise<Plan[]>;
  /** @throws AppError 404. */
  read(name: string): Promise<Plan>;
  /** Creates a plan or replaces all of its limits, which apply to its accounts at once. */
  put(plan: Plan): Promise<Plan>;
}

const limits = (plan: Plan): (number | null)[] => [
  plan.maxPrivateRepositories,
  plan.maxStoredBytes,
  plan.maxDatasetRows,
  plan.maxColumns,
  plan.maxUploadBytes,
  plan.maxExportsPerDay,
  plan.maxExportBytesPerDay,
  plan.maxVersions,
  plan.maxVersionDays,
];

const putSql = named(`
  INSERT INTO plans (name, max_private_repositories, max_stored_bytes, max_dataset_rows, max_columns, max_upload_bytes,
    max_exports_per_day, max_export_bytes_per_day, max_versions, max_version_days, paid_providers, private_home, downloads)
  VALUES (:name, :maxPrivateRepositories, :maxStoredBytes, :maxDatasetRows, :maxColumns, :maxUploadBytes,
    :maxExportsPerDay, :maxExportBytesPerDay, :maxVersions, :maxVersionDays, :paidProviders, :privateHome, :downloads)
  ON CONFLICT (name) DO UPDATE SET max_private_repositories = excluded.max_private_repositories,
    max_stored_bytes = excluded.max_stored_bytes, max_dataset_rows = excluded.max_dataset_rows,
    max_columns = excluded.max_columns, max_upload_bytes = excluded.max_upload_bytes,
    max_exports_per_day = excluded.max_exports_per_day, max_export_bytes_per_day = excluded.max_export_bytes_per_day,
    max_versions = excluded.max_versions, max_version_days = excluded.max_version_days,
    paid_providers = excluded.paid_providers, private_home = excluded.private_home, downloads = excluded.downloads`);

export const createPlans = ({ sql }: { sql: Sql }): Plans => {
  const read = async (name: string): Promise<Plan> => {
    const [row] = await sql.query<Plan>(`SELECT ${columns} FROM plans p WHERE p.name = $1`, [name]);
    if (row === undefined) throw notFound('plan_not_found', `There is no plan ${name}.`);
    return row;
  };

  return {
    list: () => sql.query<Plan>(`SELECT ${columns} FROM plans p ORDER BY p.name`),
    read,
    async put(plan) {
      const wrong = limits(plan).find(
        (limit) => limit !== null && (!Number.isSafeInteger(limit) || limit < 0),
      );
      if (wrong !== undefined)
        throw invalid('invalid_limit', `A limit is a whole number from 0; ${wrong} is not.`);
      requireName(plan.name);
      await sql.tx(async (tx) => {
        await tx.query(putSql, putSql.values({ ...plan }));
        await recordAudit(tx, {
          action: 'plan.set',
          target: { kind: 'plan', name: plan.name },
          details: { ...plan },
        });
      });
      return read(plan.name);
    },
  };
};

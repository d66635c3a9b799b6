import type { Caller } from '../model/permission.js';
import type { DownloadRights } from '../model/plan.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { Account, Accounts } from './accounts.js';
import { planOf } from './plans.js';
import type { Quotas } from './quotas.js';
import { largestDatasets, type StoredDataset } from './stored-bytes.js';

/** A limit (null: none) and its use. */
interface Metered {
  readonly limit: number | null;
  readonly used: number;
}

/** Limit per item; null: none. */
interface Bound {
  readonly limit: number | null;
}

/** The caller's own account as the API shows it. */
interface AccountOverview extends Omit<Account, 'plan' | 'disabledAt'> {
  readonly plan: {
    readonly name: string;
    readonly quotas: {
      readonly privateRepositories: Metered;
      /** Bytes of all versions; a shared segment counts once. */
      readonly storedBytes: Metered & { readonly datasets: readonly StoredDataset[] };
      readonly exportsPerDay: Metered;
      readonly exportBytesPerDay: Metered;
      readonly datasetRows: Bound;
      readonly columns: Bound;
      readonly uploadBytes: Bound;
    };
    readonly paidProviders: boolean;
    readonly privateHome: boolean;
    readonly downloads: DownloadRights;
  };
}

interface OverviewOptions {
  readonly sql: Sql;
  readonly accounts: Accounts;
  readonly quotas: Quotas;
}

export type Overview = (caller: Caller) => Promise<AccountOverview>;

/** Account, plan, and use of its limits. */
export const createOverview =
  ({ sql, accounts, quotas }: OverviewOptions): Overview =>
  async ({ accountId, key }) => {
    const [account, plan, used, datasets] = await Promise.all([
      accounts.read(accountId),
      planOf(sql, accountId),
      quotas.use(accountId),
      key.repositoryIds === null ? largestDatasets(sql, accountId) : [],
    ]);
    // A caller's own account is never disabled.
    const { disabledAt: _, ...shown } = account;
    return {
      ...shown,
      plan: {
        name: plan.name,
        quotas: {
          privateRepositories: { limit: plan.maxPrivateRepositories, used: used.privateRepositories },
          storedBytes: { limit: plan.maxStoredBytes, used: used.storedBytes, datasets },
          exportsPerDay: { limit: plan.maxExportsPerDay, used: used.exportsPerDay },
          exportBytesPerDay: { limit: plan.maxExportBytesPerDay, used: used.exportBytesPerDay },
          datasetRows: { limit: plan.maxDatasetRows },
          columns: { limit: plan.maxColumns },
          uploadBytes: { limit: plan.maxUploadBytes },
        },
        paidProviders: plan.paidProviders,
        privateHome: plan.privateHome,
        downloads: plan.downloads,
      },
    };
  };

import { AppError } from '../lib/errors.js';

/** Maximum of days for which versions are kept: a century. */
export const maxVersionDays = 36_500;

/** Limits of an account. null: no limit. */
export interface Plan {
  readonly name: string;
  /** Private repositories in addition to Home. */
  readonly maxPrivateRepositories: number | null;
  /** Bytes of all versions of all datasets in the account's repositories; rows that versions share count once. */
  readonly maxStoredBytes: number | null;
  readonly maxDatasetRows: number | null;
  readonly maxColumns: number | null;
  /** Uncompressed bytes of one upload. */
  readonly maxUploadBytes: number | null;
  readonly maxExportsPerDay: number | null;
  readonly maxExportBytesPerDay: number | null;
  /** Number of newest versions of a dataset that are kept, in addition to pinned ones. */
  readonly maxVersions: number | null;
  /** Days for which a version is kept after it was replaced. */
  readonly maxVersionDays: number | null;
  /** True: paid providers may be used. */
  readonly paidProviders: boolean;
  /** True: Home may be private. */
  readonly privateHome: boolean;
  /** `own`: private data only of the account's own repositories and teams; `all`: also data shared by others. */
  readonly downloads: DownloadRights;
}

export type DownloadRights = 'own' | 'all';

/** Limits of the data in a repository, which are those of the account that created it. */
export type StorageLimits = Pick<Plan, 'maxStoredBytes' | 'maxDatasetRows' | 'maxColumns' | 'maxUploadBytes'>;

/** Names of quotas in answers. */
type QuotaName =
  | 'privateRepositories'
  | 'privateHome'
  | 'storedBytes'
  | 'datasetRows'
  | 'columns'
  | 'uploadBytes'
  | 'exportsPerDay'
  | 'exportBytesPerDay'
  | 'paidProviders';

const words: Readonly<Record<QuotaName, string>> = {
  privateRepositories: 'private repositories',
  privateHome: 'private Home repositories',
  storedBytes: 'stored bytes',
  datasetRows: 'rows per dataset',
  columns: 'columns per dataset',
  uploadBytes: 'bytes per upload',
  exportsPerDay: 'exports per day',
  exportBytesPerDay: 'exported bytes per day',
  paidProviders: 'paid providers',
};

/** 402 with the quota, its limit and its use. */
export const quotaExceeded = (quota: QuotaName, limit: number, used: number): AppError =>
  new AppError('quota', 'quota_exceeded', `The plan allows ${limit} ${words[quota]}; ${used} are used.`, {
    details: { quota, limit, used },
  });

/**
 * @param wanted Use after the action.
 * @throws AppError kind `quota` if it exceeds the limit.
 */
export const requireQuota = (quota: QuotaName, limit: number | null, used: number, wanted = used): void => {
  if (limit !== null && wanted > limit) throw quotaExceeded(quota, limit, used);
};

import { AppError } from '../lib/errors.js';

/** Limits of an account. A limit that is null does not exist. */
export interface Plan {
  readonly name: string;
  /** Private repositories beyond Home. */
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
  /** Providers that cost money may be used. */
  readonly paidProviders: boolean;
  /** Home may be private. */
  readonly privateHome: boolean;
  /** `own`: of private data, that of the account's own repositories and teams only; `all`: also what others share. */
  readonly downloads: DownloadRights;
}

export type DownloadRights = 'own' | 'all';

/** Limits that apply to what is stored in a repository: those of the account that made it. */
export type StorageLimits = Pick<Plan, 'maxStoredBytes' | 'maxDatasetRows' | 'maxColumns' | 'maxUploadBytes'>;

/** Names of quotas as callers see them. */
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

/** 402 that names the quota, its limit and its use. */
export const quotaExceeded = (quota: QuotaName, limit: number, used: number): AppError =>
  new AppError('quota', 'quota_exceeded', `The plan allows ${limit} ${words[quota]}; ${used} are used.`, {
    details: { quota, limit, used },
  });

/**
 * @param wanted What would be used if the action went through.
 * @throws AppError kind `quota` when that is beyond the limit.
 */
export const requireQuota = (quota: QuotaName, limit: number | null, used: number, wanted = used): void => {
  if (limit !== null && wanted > limit) throw quotaExceeded(quota, limit, used);
};

import { callerOfAccount } from '../catalog/account-caller.js';
import type { Catalog } from '../catalog/catalog.js';
import type { GatewayCaller } from '../gateway/caller.js';
import {
  type Backfills,
  createBackfills,
  type SeriesUpload,
  type VintageUpload,
} from '../gateway/datasets/backfill.js';
import { createBackfillRecords } from '../gateway/datasets/backfill-records.js';
import { createSeriesDatasetRecords } from '../gateway/datasets/series-dataset-records.js';
import { createSeriesDatasets, type SeriesDatasets } from '../gateway/datasets/series-datasets.js';
import type { Gateway } from '../gateway/gateway.js';
import type { Receiver } from '../uploads/receive/receiver.js';
import { receiveSeries } from '../uploads/receive/series-upload.js';
import type { Core } from './core.js';

interface SeriesDatasetParts {
  readonly gateway: Gateway;
  readonly catalog: Catalog;
  readonly receiver: Receiver;
  readonly mayUsePaid: (accountId: number) => Promise<boolean>;
}

/** Datasets made of series: the gateway reads them, and they are stored like other uploads. */
export const openSeriesDatasets = (
  { config, leases, sql, log, metrics }: Core,
  { gateway, catalog, receiver, mayUsePaid }: SeriesDatasetParts,
): { readonly seriesDatasets: SeriesDatasets; readonly backfills: Backfills } => {
  const upload = async ({
    datasetId,
    accountId,
    requestId,
    vintage,
    ...table
  }: SeriesUpload & Partial<VintageUpload>) => {
    const caller = await callerOfAccount(sql, accountId);
    const dataset = await catalog.access.dataset(caller, datasetId, 'Write', 'write');
    const target = {
      datasetId,
      storeId: dataset.storeId,
      accountId,
      requestId,
      vintage,
      quota: dataset.uploadQuota,
      requireStorage:
        dataset.limits.maxStoredBytes === null
          ? undefined
          : () => catalog.quotas.requireStorage(dataset.ownerId, 0),
    };
    return receiveSeries(receiver, table, target);
  };
  const callerOf = async (accountId: number): Promise<GatewayCaller> => ({
    accountId,
    share: `account:${accountId}`,
    mayUsePaid: await mayUsePaid(accountId),
  });
  const backfills = createBackfills({
    gateway,
    records: createBackfillRecords(sql),
    upload,
    callerOf,
    vintagesPerStep: config.gatewayBackfillVintages,
    leases,
    log,
  });
  const seriesDatasets = createSeriesDatasets({
    gateway,
    records: createSeriesDatasetRecords(sql),
    upload,
    callerOf,
    backfills,
    leases,
    onRun: (outcome) => metrics.gateway.refreshes.inc({ outcome }),
    log,
  });
  return { seriesDatasets, backfills };
};

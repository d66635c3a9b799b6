import type { DatasetAccess } from '../../catalog/access.js';
import type { Quotas } from '../../catalog/quotas.js';
import type { Caller } from '../../model/permission.js';

/** Finds a dataset for a caller. @throws AppError 401, 403 or 404 */
export type FindDataset = (caller: Caller | undefined, datasetId: number) => Promise<DatasetAccess>;

/** Finds datasets whose rows the caller may download, from those that the caller may read. */
export const createFindForDownload =
  (findReadable: FindDataset, quotas: Pick<Quotas, 'requireDownload'>): FindDataset =>
  async (caller, datasetId) => {
    const dataset = await findReadable(caller, datasetId);
    await quotas.requireDownload(caller, dataset);
    return dataset;
  };

import { createDataset } from './client.js';
import type { RunningProduct } from './product.js';
import { fetchAll, inTurn } from './requests.js';
import { timeShortUpload } from './short-upload.js';

/** Runs some uploads and a download to warm up the code and connections of every process. */
export const warmUp = async (product: RunningProduct): Promise<void> => {
  const datasetId = await createDataset(product, `warm-up ${Date.now()}`);
  await inTurn(30, () => timeShortUpload(product, datasetId));
  const { status } = await fetchAll(`${product.baseUrl}/datasets/${datasetId}/data?$skip=0`, {
    headers: { authorization: product.authorization },
  });
  if (status !== 200) throw new Error(`the warm-up download answered ${status}`);
};

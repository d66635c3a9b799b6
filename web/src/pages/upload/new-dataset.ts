import { ApiError, api } from '../../lib/api.js';
import type { DatasetSummary, Process } from '../../lib/types.js';

export interface NewDataset {
  readonly repositoryId: number;
  readonly name: string;
}

type Created = Pick<DatasetSummary, 'id' | 'name' | 'repositoryId'>;

/** Datasets that this window has created, by the repository and name asked for. */
const created = new Map<string, Created>();

/** True if the dataset is where it was, has no version, and no upload is about to publish one. */
const isUnused = async ({ id, name, repositoryId }: Created): Promise<boolean> => {
  try {
    // Before the dataset: a process that completes in between has given it a version.
    const processes = await api.get<Process[]>(`/datasets/${id}/processes`);
    // A reservation that no file has filled is pending without a mode.
    if (processes.some(({ status, mode }) => status === 'pending' && mode !== null)) return false;
    const now = await api.get<DatasetSummary>(`/datasets/${id}`);
    return now.currentVersionId === null && now.name === name && now.repositoryId === repositoryId;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return false;
    throw error;
  }
};

/** Creates a dataset, or takes the one that an earlier, failed upload of this window has created under that name and left empty. */
export const newDataset = async (wanted: NewDataset): Promise<number> => {
  const key = `${wanted.repositoryId} ${wanted.name}`;
  const earlier = created.get(key);
  if (earlier !== undefined && (await isUnused(earlier))) return earlier.id;
  const dataset = await api.post<DatasetSummary>('/datasets', { body: wanted });
  created.set(key, dataset);
  return dataset.id;
};

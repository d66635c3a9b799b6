import { ApiError, api, isAbort, request } from '../../lib/api.js';
import { createStore } from '../../lib/store.js';
import type { DatasetSummary, Process } from '../../lib/types.js';

/** Upload of one file. */
interface Job {
  readonly file: string;
  readonly datasetId: number | undefined;
  /** Undefined while the file waits for the previous one. */
  readonly processId: number | undefined;
  /** Why the file was rejected. */
  readonly error?: unknown;
}

interface Wanted {
  readonly file: File;
  /** Id of an existing dataset, or the new dataset to create. */
  readonly into: number | { readonly repositoryId: number; readonly name: string };
  /** Upload options of the API. */
  readonly options: Readonly<Record<string, string>>;
}

/** Files that this window is sending. They continue when the user goes to another page of the app. */
export const jobs = createStore<readonly Job[]>([]);
const senders = new Map<number, AbortController>();

const update = (index: number, change: Partial<Job>): void => {
  jobs.set(jobs.get().map((job, at) => (at === index ? { ...job, ...change } : job)));
};

const send = async ({ file, into, options }: Wanted, index: number): Promise<void> => {
  const datasetId =
    typeof into === 'number' ? into : (await api.post<DatasetSummary>('/datasets', { body: into })).id;
  update(index, { datasetId });
  const { id: processId } = await api.post<Process>(`/datasets/${datasetId}/processes`);
  const sender = new AbortController();
  senders.set(processId, sender);
  update(index, { processId });
  const form = new FormData();
  for (const [name, value] of Object.entries(options)) form.append(name, value);
  form.append('data', file, file.name);
  try {
    const { signal } = sender;
    const answer = await request('PUT', `/datasets/${datasetId}/data`, {
      query: { processId },
      form,
      signal,
    });
    await answer.body?.cancel();
  } finally {
    senders.delete(processId);
  }
};

/** Sends the files one after the other. */
export const start = async (wanted: readonly Wanted[]): Promise<void> => {
  jobs.set(
    wanted.map(({ file, into }) => ({
      file: file.name,
      datasetId: typeof into === 'number' ? into : undefined,
      processId: undefined,
    })),
  );
  for (const [index, one] of wanted.entries()) {
    try {
      await send(one, index);
    } catch (error) {
      if (!isAbort(error)) update(index, { error });
      // Later files depend on this one.
      if (typeof one.into === 'number') {
        jobs.set(jobs.get().slice(0, index + 1));
        return;
      }
    }
  }
};

/** Cancels a pending upload and stops sending the file. */
export const cancel = async (datasetId: number, processId: number): Promise<void> => {
  try {
    await api.delete(`/datasets/${datasetId}/processes/${processId}`);
  } catch (error) {
    // 409: it has ended in the meantime, and its events say so.
    if (!(error instanceof ApiError && error.status === 409)) throw error;
  }
  senders.get(processId)?.abort();
};

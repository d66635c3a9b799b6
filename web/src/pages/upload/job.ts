import { ApiError, api, isAbort, request } from '../../lib/api.js';
import { createStore } from '../../lib/store.js';
import type { DatasetSummary, Process } from '../../lib/types.js';

/** One file on its way. */
interface Job {
  readonly file: string;
  readonly datasetId: number | undefined;
  /** Undefined: it waits for the file before it. */
  readonly processId: number | undefined;
  /** Why it was not accepted. */
  readonly error?: unknown;
}

interface Wanted {
  readonly file: File;
  /** An existing dataset, or where and under which name to make one. */
  readonly into: number | { readonly repositoryId: number; readonly name: string };
  /** Options of the API. */
  readonly options: Readonly<Record<string, string>>;
}

/** Files that this window sends; they go on when another page of the app is shown. */
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

/** Sends the files in their order. A file waits for the one before it when both go into the same dataset. */
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

/** Stops a pending upload: the service fails it, and the rest of the file is not sent. */
export const cancel = async (datasetId: number, processId: number): Promise<void> => {
  try {
    await api.delete(`/datasets/${datasetId}/processes/${processId}`);
  } catch (error) {
    // It has ended meanwhile, which its events say.
    if (!(error instanceof ApiError && error.status === 409)) throw error;
  }
  senders.get(processId)?.abort();
};

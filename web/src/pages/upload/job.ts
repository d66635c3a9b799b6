import { ApiError, api, isAbort, request } from '../../lib/api.js';
import { settled } from '../../lib/settle.js';
import { createStore } from '../../lib/store.js';
import type { DatasetSummary, Process } from '../../lib/types.js';
import { texts } from '../../texts.js';

/** Upload of one file. */
interface Job {
  readonly file: string;
  readonly datasetId: number | undefined;
  /** Undefined while the file waits for the previous one. */
  readonly processId: number | undefined;
  /** Why the file was rejected or not sent. */
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

/** Sends a file. Returns when it has been received, which is before its rows are published. */
const send = async ({ file, into, options }: Wanted, index: number): Promise<Process> => {
  const datasetId =
    typeof into === 'number' ? into : (await api.post<DatasetSummary>('/datasets', { body: into })).id;
  update(index, { datasetId });
  const process = await api.post<Process>(`/datasets/${datasetId}/processes`);
  const { id: processId } = process;
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
  return process;
};

/** Waits until the rows are published, also while the service is unreachable. */
const isPublished = async (process: Process): Promise<boolean> => {
  for (;;) {
    try {
      return (await settled(process)).status === 'completed';
    } catch (error) {
      const isPassing = error instanceof ApiError && (error.status === 0 || error.status >= 500);
      if (!isPassing) throw error;
    }
  }
};

/** Marks the files after `last` as not sent. */
const stopAfter = (last: number): void => {
  const name = jobs.get()[last]?.file ?? '';
  jobs.set(
    jobs
      .get()
      .map((job, at) =>
        at > last ? { ...job, error: new Error(texts.upload.progress.notSent(name)) } : job,
      ),
  );
};

/**
 * Sends the files one after the other. If the first one replaces the rows of a dataset, the others wait until its rows are
 * published: if it failed, they would be appended to the old rows.
 */
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
      const process = await send(one, index);
      const isReplaced = typeof one.into === 'number' && one.options.mode === 'replace';
      if (!isReplaced || index === wanted.length - 1 || (await isPublished(process))) continue;
      stopAfter(index);
      return;
    } catch (error) {
      if (!isAbort(error)) update(index, { error });
      // Later files depend on this one.
      if (typeof one.into === 'number') {
        stopAfter(index);
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

import { ApiError, api, isAbort, request } from '../../lib/api.js';
import { settled } from '../../lib/follow.js';
import { createStore } from '../../lib/store.js';
import type { Process } from '../../lib/types.js';
import { texts } from '../../texts.js';
import { type NewDataset, newDataset } from './new-dataset.js';

/** Upload of one file. */
export interface Job {
  /** Unique in this window. */
  readonly id: number;
  readonly file: string;
  readonly datasetId: number | undefined;
  /** Undefined while the file waits for the previous one. */
  readonly processId: number | undefined;
  /** Why the file was rejected or not sent. */
  readonly error?: unknown;
  /** True once nothing more is sent: the file was received, refused, canceled or not sent. */
  readonly isOver: boolean;
}

interface Wanted {
  readonly file: File;
  /** Id of an existing dataset, or the new dataset to create. */
  readonly into: number | NewDataset;
  /** Upload options of the API. */
  readonly options: Readonly<Record<string, string>>;
}

/** Files that this window is sending. They continue when the user goes to another page of the app. */
export const jobs = createStore<readonly Job[]>([]);
const senders = new Map<number, AbortController>();

let lastId = 0;

const update = (id: number, change: Partial<Job>): void => {
  jobs.set(jobs.get().map((job) => (job.id === id ? { ...job, ...change } : job)));
};

/** Removes the jobs that are over from the list. */
export const forgetEnded = (): void => {
  if (jobs.get().some(({ isOver }) => isOver)) jobs.set(jobs.get().filter(({ isOver }) => !isOver));
};

/** Sends a file. Returns when it has been received, which is before its rows are published. */
const send = async ({ file, into, options }: Wanted, jobId: number): Promise<Process> => {
  const datasetId = typeof into === 'number' ? into : await newDataset(into);
  update(jobId, { datasetId });
  const process = await api.post<Process>(`/datasets/${datasetId}/processes`);
  const { id: processId } = process;
  const sender = new AbortController();
  senders.set(processId, sender);
  update(jobId, { processId });
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

/**
 * Sends the files one after the other. If the first one replaces the rows of a dataset, the others wait until its rows are
 * published: if it failed, they would be appended to the old rows.
 */
export const start = async (wanted: readonly Wanted[]): Promise<void> => {
  const batch = wanted.map((one) => {
    lastId += 1;
    return { ...one, id: lastId };
  });
  const fresh = batch.map(({ id, file, into }) => ({
    id,
    file: file.name,
    datasetId: typeof into === 'number' ? into : undefined,
    processId: undefined,
    isOver: false,
  }));
  // Files of an earlier batch may still be being sent.
  jobs.set([...jobs.get().filter(({ isOver }) => !isOver), ...fresh]);
  for (const [index, one] of batch.entries()) {
    /** Marks the files after this one as not sent. */
    const stop = (): void => {
      const error = new Error(texts.upload.progress.notSent(one.file.name));
      for (const { id } of batch.slice(index + 1)) update(id, { error, isOver: true });
    };
    try {
      const process = await send(one, one.id);
      update(one.id, { isOver: true });
      const isReplaced = typeof one.into === 'number' && one.options.mode === 'replace';
      if (!isReplaced || index === batch.length - 1) continue;
      if ((await settled(process)).status === 'completed') continue;
      stop();
      return;
    } catch (error) {
      update(one.id, { isOver: true, ...(isAbort(error) ? {} : { error }) });
      // Later files depend on this one.
      if (typeof one.into === 'number') {
        stop();
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

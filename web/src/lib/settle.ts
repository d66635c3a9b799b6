import { api } from './api.js';
import type { Process } from './types.js';

const pauseMs = 400;

/** Polls until the process has ended. */
export const settled = async (process: Process): Promise<Process> => {
  let current = process;
  while (current.status === 'pending') {
    await new Promise((done) => {
      setTimeout(done, pauseMs);
    });
    current = await api.get<Process>(`/datasets/${process.datasetId}/processes/${process.id}`);
  }
  return current;
};

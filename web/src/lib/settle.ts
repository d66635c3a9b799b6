import { api } from './api.js';
import type { Process } from './types.js';

const pauseMs = 400;

/** The process once it has ended. */
export const settled = async (process: Process): Promise<Process> => {
  let present = process;
  while (present.status === 'pending') {
    await new Promise((done) => {
      setTimeout(done, pauseMs);
    });
    present = await api.get<Process>(`/datasets/${process.datasetId}/processes/${process.id}`);
  }
  return present;
};

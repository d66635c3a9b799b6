import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessView } from '../../model/process.js';
import { isOutage } from '../../storage/outage.js';
import type { ProcessRecords } from '../../uploads/lifecycle/process-records.js';

/** Milliseconds until the next poll: a tenth of the time so far, so that short uploads are answered soon. */
const pauseAfter = (elapsedMs: number): number => Math.min(100, Math.max(4, elapsedMs / 10));

/**
 * Waits for the end of a process. Returns its state then, or at the timeout. Continues while PostgreSQL cannot be reached: the process was
 * accepted, and an error would say that it was not.
 */
export const waitFor = async (
  processes: Pick<ProcessRecords, 'view'>,
  started: ProcessView,
  waitSeconds: number,
  isOver: () => boolean,
): Promise<ProcessView> => {
  const startedAt = Date.now();
  const elapsed = (): number => Date.now() - startedAt;
  let view = started;
  while (view.status === 'pending' && elapsed() < waitSeconds * 1000 && !isOver()) {
    await sleep(pauseAfter(elapsed()));
    const seen = await processes.view(started.datasetId, started.id).catch((error: unknown) => {
      if (!isOutage(error)) throw error;
    });
    view = seen ?? view;
  }
  return view;
};

import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessView } from '../../model/process.js';
import type { ProcessRecords } from './process-records.js';

/** Polls processes for all callers that follow one, in a single query. */
export interface ProcessWatch {
  /** Returns the process at the next poll, which all callers share; undefined if it does not exist. */
  next(processId: number): Promise<ProcessView | undefined>;
}

interface Poll {
  readonly ids: Set<number>;
  readonly views: Promise<ReadonlyMap<number, ProcessView>>;
}

/** @param intervalMs Milliseconds from the first call to the poll. */
export const createProcessWatch = (
  { views }: Pick<ProcessRecords, 'views'>,
  intervalMs = 250,
): ProcessWatch => {
  let poll: Poll | undefined;

  const begin = (): Poll => {
    const ids = new Set<number>();
    const found = async (): Promise<ReadonlyMap<number, ProcessView>> => {
      await sleep(intervalMs);
      poll = undefined;
      return new Map((await views([...ids])).map((view) => [view.id, view]));
    };
    return { ids, views: found() };
  };

  return {
    async next(processId) {
      poll ??= begin();
      poll.ids.add(processId);
      return (await poll.views).get(processId);
    },
  };
};

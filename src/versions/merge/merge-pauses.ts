/**
 * Pauses between tries of a merge that may succeed later, such as while a disk is full. Each try uses up a number of a segment
 * (`lastMerge`), so the pauses grow with the number of tries, which PostgreSQL has. In memory: a worker that starts tries at once.
 */

const firstMs = 1_000;

/** With it, the numbers of a process last for a day. */
const longestMs = 300_000;

const pauseMs = (tries: number): number => Math.min(firstMs * 2 ** Math.max(tries - 1, 0), longestMs);

export interface MergePauses {
  /** True until the pause is over. It starts again if another worker has tried in between. */
  isPaused(processId: number, tries: number): boolean;
  /** Starts the pause after a failed try. */
  start(processId: number, tries: number): void;
  end(processId: number): void;
}

export const createMergePauses = (): MergePauses => {
  const pauses = new Map<number, { readonly tries: number; readonly until: number }>();
  const start = (processId: number, tries: number): number => {
    const until = performance.now() + pauseMs(tries);
    pauses.set(processId, { tries, until });
    return until;
  };
  return {
    isPaused(processId, tries) {
      const pause = pauses.get(processId);
      if (pause === undefined) return false;
      const until = pause.tries === tries ? pause.until : start(processId, tries);
      return performance.now() < until;
    },
    start,
    end(processId) {
      pauses.delete(processId);
    },
  };
};

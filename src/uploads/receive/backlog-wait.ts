/**
 * Estimates how long a chunk sent now would wait, from the recent rate at which workers took chunks. Only intervals with waiting
 * chunks count, since an idle topic does not show how fast workers are.
 */
import type { TopicBacklog } from '../../storage/kafka/backlog.js';

interface BacklogWait {
  /**
   * Adds the result of a probe.
   * @param at Milliseconds of a monotonic clock.
   */
  observe(use: Pick<TopicBacklog, 'waiting' | 'taken'>, at: number): void;
  /** Seconds that workers need for a number of chunks; undefined while their rate is not known. */
  secondsFor(chunks: number): number | undefined;
}

interface Sample {
  readonly at: number;
  readonly ms: number;
  readonly taken: number;
}

/** Milliseconds after which a sample is dropped. */
const windowMs = 30_000;

export const createBacklogWait = (): BacklogWait => {
  let before: { at: number; waiting: number; taken: number } | undefined;
  let samples: Sample[] = [];
  return {
    observe({ waiting, taken }, at) {
      if (before !== undefined && before.waiting > 0)
        samples.push({ at, ms: at - before.at, taken: Math.max(0, taken - before.taken) });
      samples = samples.filter((sample) => at - sample.at < windowMs);
      before = { at, waiting, taken };
    },
    secondsFor(chunks) {
      const ms = samples.reduce((sum, sample) => sum + sample.ms, 0);
      const taken = samples.reduce((sum, sample) => sum + sample.taken, 0);
      return taken === 0 ? undefined : (chunks * ms) / taken / 1000;
    },
  };
};

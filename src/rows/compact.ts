/**
 * Joins many small segments of a dataset into a larger one. Versions keep their ids, rows and row order; only their segments change.
 *
 * Joins a run of neighbouring segments of a current version, bases or patches (runs.ts), or folds all segments of the version into one
 * (folds.ts). `join.ts` writes the new segment, `compactions.ts` replaces the run by it in versions and clones, in short transactions.
 * The sweep drops the run when its readers have finished.
 *
 * A worker that dies before the switch leaves an unreferenced segment, which the sweep drops when the lease has expired. If it dies
 * during the switch, some versions have the run and some the new segment, with the same rows; the next worker completes the switch.
 */
import { messageOf } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { Compactions } from './compactions.js';
import type { FoldLimits } from './folds.js';
import { type Join, SourcesDiffer } from './join.js';
import {
  bytesOfFold,
  type CompactionCandidate,
  chooseNext,
  foldOf,
  type ListedSegment,
  type RunBounds,
} from './runs.js';

export interface Compactor {
  /** Joins and folds segments where it is worthwhile. Returns the number of joined runs. */
  compact(stop: AbortSignal): Promise<number>;
  /** Joins segments of the given datasets; folds nothing. */
  join(candidates: readonly CompactionCandidate[], stop: AbortSignal): Promise<number>;
}

export interface JoinedSegments {
  readonly segments: number;
  /** Raw bytes written by a fold; 0 for a joined run. */
  readonly foldedBytes: number;
}

export interface CompactorOptions {
  readonly compactions: Compactions;
  readonly join: Join;
  /** Absent: nothing is joined. */
  readonly bounds?: RunBounds;
  /** Absent: nothing is folded. */
  readonly folds?: FoldLimits;
  readonly onJoined: (joined: JoinedSegments) => void;
  readonly log: Log;
}

export const createCompactor = (options: CompactorOptions): Compactor => {
  const { compactions, join, bounds, folds, onJoined, log } = options;

  const joinRun = async (
    { storeId: store, datasetId }: CompactionCandidate,
    run: readonly ListedSegment[],
    stop: AbortSignal,
    fold?: FoldLimits,
  ): Promise<boolean> => {
    const startedAt = Date.now();
    const replaced = await compactions.replace(
      store,
      run,
      async (target, lost) => {
        const rows = await join(run, target, AbortSignal.any([stop, lost]));
        // The copy took a while: uploads may have used the space meanwhile.
        return fold === undefined || (await fold.hasRoom(datasetId, bytesOfFold(run))) ? rows : undefined;
      },
      { stop, ...(fold === undefined ? {} : { foldIntervalMs: fold.intervalMs }) },
    );
    if (replaced === 'busy') return false;
    if (typeof replaced === 'string') {
      log.warn({ store, segments: run.length }, 'compaction abandoned');
      return false;
    }
    const { segment, rows, bytes } = replaced;
    onJoined({ segments: run.length, foldedBytes: fold === undefined ? 0 : bytes });
    const [segments, ms] = [run.length, Date.now() - startedAt];
    if (fold === undefined) log.info({ store, segment, segments, rows, ms }, 'segments joined');
    else log.info({ store, segment, segments, rows, ms }, 'patches folded');
    return true;
  };

  const compactOne =
    (limits: RunBounds) =>
    async (candidate: CompactionCandidate, stop: AbortSignal): Promise<number> => {
      for (let joined = 0; ; joined += 1) {
        const run = chooseNext(await compactions.segments(candidate.datasetId), limits);
        if (stop.aborted || run === undefined || !(await joinRun(candidate, run, stop))) return joined;
      }
    };

  const foldOne =
    (limits: FoldLimits) =>
    async (candidate: CompactionCandidate, stop: AbortSignal): Promise<number> => {
      const run = foldOf(await compactions.segments(candidate.datasetId));
      if (run === undefined || !(await limits.hasRoom(candidate.datasetId, bytesOfFold(run)))) return 0;
      return (await joinRun(candidate, run, stop, limits)) ? 1 : 0;
    };

  const forEach = async (
    candidates: readonly CompactionCandidate[],
    work: (candidate: CompactionCandidate, stop: AbortSignal) => Promise<number>,
    stop: AbortSignal,
  ): Promise<number> => {
    let joined = 0;
    for (const candidate of candidates) {
      if (stop.aborted) break;
      try {
        joined += await work(candidate, stop);
      } catch (error) {
        if (stop.aborted) break;
        // The next round retries; other datasets do not wait for this one.
        const [store, reason] = [candidate.storeId, messageOf(error)];
        if (error instanceof SourcesDiffer)
          log.error({ err: error, store, reason }, 'rows to join are not as they were published');
        else log.warn({ err: error, store, reason }, 'compaction broken off');
      }
    }
    return joined;
  };

  const joinSome = async (candidates: readonly CompactionCandidate[], stop: AbortSignal): Promise<number> =>
    bounds === undefined ? 0 : forEach(candidates, compactOne(bounds), stop);

  const joinAll = async (stop: AbortSignal): Promise<number> =>
    bounds === undefined ? 0 : joinSome(await compactions.candidates(bounds.least), stop);

  const foldAll = async (limits: FoldLimits, stop: AbortSignal): Promise<number> => {
    const fold = foldOne(limits);
    return forEach(
      await compactions.foldCandidates(limits),
      async (candidate) => {
        const folded = await fold(candidate, stop);
        // A fold takes long: other datasets do not wait for the next one.
        return folded === 0 ? 0 : folded + (await joinAll(stop));
      },
      stop,
    );
  };

  return {
    join: joinSome,
    async compact(stop) {
      await compactions.resume(stop);
      const joined = await joinAll(stop);
      return folds === undefined ? joined : joined + (await foldAll(folds, stop));
    },
  };
};

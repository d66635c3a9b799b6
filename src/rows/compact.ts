/**
 * Joins many small segments of a dataset into a larger one. No version's answer changes: the rows, their order and
 * the version's id stay; only the segments behind it are others.
 *
 * It chooses a run of neighbouring segments of a current version, of bases or of patches: rows keep their positions, so it does not
 * matter what is between them. Or it folds all segments of the version into one (folds.ts). `copy.ts` writes the new segment, `compactions.ts` lets versions and clones have it in place of the
 * run, in short transactions. The sweep drops the run once its readers have ended.
 *
 * A worker that dies before the switch leaves a segment that nobody names; its lease expires and the sweep drops it. One that
 * dies during it leaves versions of both kinds, which read the same rows; the next worker finishes it.
 */
import { messageOf } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { Compactions } from './compactions.js';
import type { Join } from './copy.js';
import { bytesOfFold, type FoldLimits, foldOf } from './folds.js';
import type { CompactionCandidate, ListedSegment } from './listed-segment.js';

export interface RunBounds {
  /** Fewest segments that are worth joining. */
  readonly least: number;
  /** Raw bytes of a joined segment at most. */
  readonly maxBytes: number;
}

/** Most segments of one run: each is a part that the statement holds open. */
const longestRun = 1_000;

/**
 * The longest run of neighbours that may be joined; undefined when none is worth it.
 *
 * No segment of the run is larger than all others together. So the segment of a row at least doubles with each copy, and
 * the number of copies of a row grows with the logarithm of the dataset.
 */
export const chooseRun = (
  segments: readonly ListedSegment[],
  { least, maxBytes }: RunBounds,
): readonly ListedSegment[] | undefined => {
  let best = { start: 0, length: 0 };
  for (let start = 0; start + Math.max(least, best.length + 1) <= segments.length; start += 1) {
    let total = 0;
    let largest = 0;
    for (let at = start; at < segments.length && at - start < longestRun; at += 1) {
      const { bytes, whole } = segments[at]!;
      // A segment without bytes still costs a part.
      const weight = Math.max(bytes, 1);
      total += weight;
      largest = Math.max(largest, weight);
      if (!whole || total > maxBytes) break;
      const length = at - start + 1;
      if (length >= least && length > best.length && largest * 2 <= total) best = { start, length };
    }
  }
  return best.length === 0 ? undefined : segments.slice(best.start, best.start + best.length);
};

/** Most patches of a current version that stay: each costs every read of it. */
export const mostPatches = 16;

/** Fewest patches that are worth joining before there are too many. */
const leastPatches = 4;

/** The neighbours whose join leaves so many patches that they may stay, with the fewest bytes. */
const cheapestRun = (patches: readonly ListedSegment[]): readonly ListedSegment[] => {
  const length = patches.length - mostPatches + 1;
  const bytesFrom = (start: number): number =>
    patches.slice(start, start + length).reduce((sum, { bytes }) => sum + bytes, 0);
  let best = 0;
  for (let start = 1; start + length <= patches.length; start += 1)
    if (bytesFrom(start) < bytesFrom(best)) best = start;
  return patches.slice(best, best + length);
};

/** Chooses the segments of a current version to join next: bases with bases, or patches with patches, whose number stays bounded. */
export const chooseNext = (
  segments: readonly ListedSegment[],
  bounds: RunBounds,
): readonly ListedSegment[] | undefined => {
  const bases = segments.filter(({ patch }) => !patch);
  const patches = segments.filter(({ patch }) => patch);
  return (
    chooseRun(bases, bounds) ??
    chooseRun(patches, { ...bounds, least: leastPatches }) ??
    (patches.length > mostPatches ? cheapestRun(patches) : undefined)
  );
};

export interface Compactor {
  /** Joins what is worth joining; returns the number of runs that were joined. */
  compact(stop: AbortSignal): Promise<number>;
  /** The same for some datasets alone, without folds. */
  join(candidates: readonly CompactionCandidate[], stop: AbortSignal): Promise<number>;
}

export interface JoinedSegments {
  readonly segments: number;
  /** Raw bytes that a fold wrote; 0 of a run that was joined. */
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
    const joined = {
      segmentIds: run.map(({ id }) => id),
      patches: run.filter(({ patch }) => patch).map(({ id }) => id),
    };
    const replaced = await compactions.replace(
      store,
      run,
      async (target, lost) => {
        const rows = await join(joined, target, AbortSignal.any([stop, lost]));
        // The copy took long: uploads may have taken the room.
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
        // The next round tries again; other datasets need not wait for this one.
        log.warn({ err: error, store: candidate.storeId, reason: messageOf(error) }, 'compaction broken off');
      }
    }
    return joined;
  };

  const joinOf = async (candidates: readonly CompactionCandidate[], stop: AbortSignal): Promise<number> =>
    bounds === undefined ? 0 : forEach(candidates, compactOne(bounds), stop);

  const joinAll = async (stop: AbortSignal): Promise<number> =>
    bounds === undefined ? 0 : joinOf(await compactions.candidates(bounds.least, leastPatches), stop);

  const foldAll = async (limits: FoldLimits, stop: AbortSignal): Promise<number> => {
    const fold = foldOne(limits);
    return forEach(
      await compactions.foldCandidates(limits),
      async (candidate) => {
        const folded = await fold(candidate, stop);
        // A fold takes long, and other datasets do not wait for the next one.
        return folded === 0 ? 0 : folded + (await joinAll(stop));
      },
      stop,
    );
  };

  return {
    join: joinOf,
    async compact(stop) {
      await compactions.resume(stop);
      const joined = await joinAll(stop);
      return folds === undefined ? joined : joined + (await foldAll(folds, stop));
    },
  };
};

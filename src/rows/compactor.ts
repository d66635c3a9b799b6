/**
 * Joins many small segments of a dataset into a larger one. No version's answer changes: the rows, their order and
 * the version's id stay; only the segments behind it are others.
 *
 *   1 choose    a run of neighbouring segments of a current version
 *   2 begin     the new segment is known in PostgreSQL before its first row is written
 *   3 copy      ClickHouse writes it and compares it with the run
 *   4 swap      from here on the new segment counts; versions and clones that have segments of the run come to have it
 *               instead, in short transactions
 *   5 release   the sweep drops the run when no reader can be at it any more
 *
 * A worker that dies before 4 leaves a segment that nobody names; its lease runs out and the sweep drops it. One that
 * dies during 4 leaves versions of both kinds, which read the same rows; the next worker finishes it.
 */
import { messageOf } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { CompactionCandidate, CompactionRecords } from './compaction-records.js';
import { chooseRun, type ListedSegment, type RunBounds } from './compaction-run.js';
import type { SegmentCopier } from './segment-writes.js';

export interface Compactor {
  /** Joins what is worth joining; gives the number of runs that were joined. */
  compact(stop: AbortSignal): Promise<number>;
}

export interface CompactorOptions {
  readonly compactions: CompactionRecords;
  readonly copier: Pick<SegmentCopier, 'join'>;
  readonly bounds: RunBounds;
  readonly onJoined: (segments: number) => void;
  readonly log: Log;
}

export const createCompactor = (options: CompactorOptions): Compactor => {
  const { compactions, copier, bounds, onJoined, log } = options;

  const joinRun = async (
    storeId: number,
    run: readonly ListedSegment[],
    stop: AbortSignal,
  ): Promise<boolean> => {
    const segmentIds = run.map(({ id }) => id);
    const target = await compactions.begin(storeId, segmentIds);
    if (target === undefined) return false;
    const startedAt = Date.now();
    try {
      const done = await compactions.whileHeld(target, async (lost) => {
        const placement = await compactions.placement(target);
        const joined = await copier.join({ placement, segmentIds, target }, AbortSignal.any([stop, lost]));
        return (await compactions.swap(target, run, joined, stop)) ? joined : undefined;
      });
      if (done === undefined) {
        await compactions.abandon(target);
        log.warn({ store: storeId, segment: target }, 'compaction came to nothing');
        return false;
      }
      onJoined(run.length);
      log.info(
        {
          store: storeId,
          segment: target,
          segments: run.length,
          rows: done.rows,
          ms: Date.now() - startedAt,
        },
        'segments joined',
      );
      return true;
    } catch (error) {
      await compactions.abandon(target);
      throw error;
    }
  };

  const compactOne = async (
    { storeId, datasetId }: CompactionCandidate,
    stop: AbortSignal,
  ): Promise<number> => {
    for (let joined = 0; ; joined += 1) {
      const run = chooseRun(await compactions.segments(datasetId), bounds);
      if (stop.aborted || run === undefined || !(await joinRun(storeId, run, stop))) return joined;
    }
  };

  return {
    async compact(stop) {
      await compactions.resume(stop);
      let joined = 0;
      for (const candidate of await compactions.candidates(bounds.least)) {
        if (stop.aborted) break;
        try {
          joined += await compactOne(candidate, stop);
        } catch (error) {
          if (stop.aborted) break;
          // The next round tries again; other datasets need not wait for this one.
          log.warn(
            { err: error, store: candidate.storeId, reason: messageOf(error) },
            'compaction broken off',
          );
        }
      }
      return joined;
    },
  };
};

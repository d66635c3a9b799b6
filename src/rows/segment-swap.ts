/**
 * The last step of a compaction: every version and clone that has segments of the run gets the joined one instead. Each
 * transaction holds one dataset and leads a bounded number of ranges over, so that nobody waits for long. In between,
 * some versions read the run and some the joined segment, which hold the same rows; both stay until all are done.
 */
import type { Log } from '../lib/log.js';
import { holdDataset } from '../storage/postgres/datasets.js';
import type { Sql } from '../storage/postgres/sql.js';
import { type RunRange, swapRanges } from './range-swap.js';
import { insertRanges, removeRanges } from './segment-ranges.js';

export interface PublishedRun {
  /** The joined segment. */
  readonly target: number;
  /** The segments it takes the place of, in reading order. */
  readonly run: readonly number[];
  /** First position of each of them in the joined one, and the position behind all of them. */
  readonly starts: readonly number[];
}

export interface SegmentSwap {
  /**
   * Leads all versions over; repeating it, or two workers at once, does no harm. True when no version has anything of
   * the run any more that can be led over; false when it was stopped before.
   */
  finish(published: PublishedRun, stop?: AbortSignal): Promise<boolean>;
}

export interface SegmentSwapOptions {
  readonly sql: Sql;
  readonly log: Log;
  /** Ranges of one transaction; more than the segments of a run. @default 2,000 */
  readonly batch?: number;
}

const rangesSql = `
  SELECT (run.place - 1)::int AS place, r.from_version AS "from", r.until_version AS until, r.row_limit AS "rowLimit"
  FROM unnest($2::bigint[]) WITH ORDINALITY AS run (id, place)
    JOIN segment_ranges r ON r.segment_id = run.id AND r.dataset_id = $1
  ORDER BY r.from_version, run.place LIMIT $3`;

export const createSegmentSwap = ({ sql, log, batch = 2_000 }: SegmentSwapOptions): SegmentSwap => {
  /** Leads some versions of a dataset over. False when one of them has the run otherwise than it may. */
  const leadOver = (datasetId: number, { target, run, starts }: PublishedRun): Promise<boolean> =>
    sql.tx(async (tx) => {
      await holdDataset(tx, datasetId);
      const found = await tx.query<RunRange>(rangesSql, [datasetId, run, batch + 1]);
      const until = found.length > batch ? found.at(-1)!.from : null;
      const ranges = until === null ? found : found.filter(({ from }) => from < until);
      if (ranges.length === 0 && found.length > 0)
        throw new RangeError(`a run of ${run.length} segments does not fit into a batch of ${batch}`);
      const swap = swapRanges(ranges, starts, { until });
      if (swap === undefined) return false;
      await removeRanges(
        tx,
        datasetId,
        ranges.map(({ place, from }) => ({ segment: run[place]!, from })),
      );
      await insertRanges(tx, datasetId, [
        ...swap.joined.map((range) => ({ ...range, segment: target })),
        ...swap.rest.map((range) => ({ ...range, segment: run[range.place]! })),
      ]);
      return true;
    });

  /** A dataset that has segments of the run; clones may be made all the time. */
  const next = async (run: readonly number[], except: readonly number[]): Promise<number | undefined> => {
    const [found] = await sql.query<{ id: number }>(
      `SELECT dataset_id AS id FROM segment_ranges
       WHERE segment_id = ANY ($1) AND dataset_id <> ALL ($2::bigint[]) LIMIT 1`,
      [run, except],
    );
    return found?.id;
  };

  return {
    async finish(published, stop) {
      const odd: number[] = [];
      for (;;) {
        const datasetId = await next(published.run, odd);
        if (datasetId === undefined) return true;
        if (stop?.aborted) return false;
        if (await leadOver(datasetId, published)) continue;
        // It must never happen, and must not be made worse: these versions keep the segments that they have.
        log.error({ dataset: datasetId, segment: published.target }, 'segments are not as they must be');
        odd.push(datasetId);
      }
    },
  };
};

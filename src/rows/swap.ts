/**
 * The last step of a compaction: every version and clone that has segments of the run gets the joined one instead. Each
 * transaction holds one dataset and leads a bounded number of ranges over, so that nobody waits for long. In between,
 * some versions read the run and some the joined segment, which hold the same rows; both stay until all are done.
 */
import { holdDataset } from '../storage/postgres/datasets.js';
import type { Sql } from '../storage/postgres/sql.js';
import { insertRanges, removeRanges } from './segment-ranges.js';

/** For how long the versions of a dataset have a segment of a run. */
export interface RunRange {
  /** Place of the segment in the run, from 0. */
  readonly place: number;
  /** Id of the first version that has it. */
  readonly from: number;
  /** Id of the first version after it that lacks it; null: the current one has it. */
  readonly until: number | null;
  /** These versions have only rows of uploads with a lower number; null: all rows of the segment. */
  readonly beforeUpload: number | null;
}

/** For how long versions have the segment that takes the place of the run, and how much of it. */
export type JoinedRange = Omit<RunRange, 'place'>;

export interface RangeSwap {
  readonly joined: readonly JoinedRange[];
  /** Ranges that stay as they are. */
  readonly rest: readonly RunRange[];
}

interface Event {
  readonly at: number;
  readonly range: RunRange;
  readonly begins: boolean;
}

const eventsOf = (ranges: readonly RunRange[], until: number): Event[] =>
  ranges
    .flatMap((range): Event[] => [
      { at: range.from, range, begins: true },
      { at: Math.min(range.until ?? Number.POSITIVE_INFINITY, until), range, begins: false },
    ])
    // Ends come before begins: a segment may come back with another cut.
    .sort((a, b) => a.at - b.at || Number(a.begins) - Number(b.begins));

/** Keeps track of the segments of the run that the versions between two events have. */
const createHolding = (length: number) => {
  const cutAt = new Array<number | null | undefined>(length).fill(undefined);
  let count = 0;
  let cuts = 0;
  let last = -1;
  return {
    apply({ range: { place, beforeUpload }, begins }: Event): void {
      cutAt[place] = begins ? beforeUpload : undefined;
      count += begins ? 1 : -1;
      if (beforeUpload !== null) cuts += begins ? 1 : -1;
      if (begins) last = Math.max(last, place);
      while (last >= 0 && cutAt[last] === undefined) last -= 1;
    },
    isEmpty: (): boolean => count === 0,
    /** From the first segment on, without gaps, and none but the last in part (invariant 6 of the version model). */
    isSound: (): boolean => count === last + 1 && cuts <= 1 && (cuts === 0 || cutAt[last] !== null),
    /** The cut of the joined segment: that of the last segment, or before the next one of the run. */
    beforeUpload: (uploadNumbers: readonly number[]): number | null =>
      cutAt[last] ?? uploadNumbers[last + 1] ?? null,
  };
};

/**
 * Leads versions over from the segments of a run to the one that was made of them: whole, or cut where a version ends
 * inside of the run. Undefined when a version has anything but the start of the run.
 *
 * @param ranges Of one dataset; all that begin before `before`, and no others.
 * @param uploadNumbers Those of the segments of the run.
 * @param before Versions before this one are repointed; null: all versions.
 */
export const swapRanges = (
  ranges: readonly RunRange[],
  uploadNumbers: readonly number[],
  before: number | null,
): RangeSwap | undefined => {
  const end = before ?? Number.POSITIVE_INFINITY;
  const events = eventsOf(ranges, end);
  const holding = createHolding(uploadNumbers.length);
  const joined: JoinedRange[] = [];
  for (let at = 0; at < events.length; ) {
    const from = events[at]!.at;
    while (at < events.length && events[at]!.at === from) holding.apply(events[at++]!);
    if (holding.isEmpty()) continue;
    if (!holding.isSound()) return undefined;
    const next = events[at]?.at ?? Number.POSITIVE_INFINITY;
    const until = Number.isFinite(next) ? next : null;
    const beforeUpload = holding.beforeUpload(uploadNumbers);
    const last = joined.at(-1);
    if (last?.until === from && last.beforeUpload === beforeUpload)
      joined[joined.length - 1] = { ...last, until };
    else joined.push({ from, until, beforeUpload });
  }
  const rest = ranges
    .filter(({ until }) => (until ?? Number.POSITIVE_INFINITY) > end)
    .map((range) => ({ ...range, from: end }));
  return { joined, rest };
};

/** Without some spans of versions. */
const outside = (range: RunRange, spans: readonly JoinedRange[]): RunRange[] => {
  const end = range.until ?? Number.POSITIVE_INFINITY;
  const left: RunRange[] = [];
  let { from } = range;
  for (const span of spans) {
    const until = span.until ?? Number.POSITIVE_INFINITY;
    if (until <= from || span.from >= end) continue;
    if (span.from > from) left.push({ ...range, from, until: span.from });
    from = until;
  }
  if (from < end) left.push({ ...range, from });
  return left;
};

/**
 * The same where the joined segment has nothing of what only a part of the run has: versions that have the whole run get it,
 * others keep what they have, also those that have one of its segments cut.
 * @param ranges All of one dataset.
 * @param length Of the run.
 */
export const swapWhole = (ranges: readonly RunRange[], length: number): RangeSwap => {
  const whole = ranges.filter(({ beforeUpload }) => beforeUpload === null);
  const events = eventsOf(whole, Number.POSITIVE_INFINITY);
  const joined: JoinedRange[] = [];
  let held = 0;
  for (let at = 0; at < events.length; ) {
    const from = events[at]!.at;
    while (at < events.length && events[at]!.at === from) held += events[at++]!.begins ? 1 : -1;
    if (held < length) continue;
    const next = events[at]?.at ?? Number.POSITIVE_INFINITY;
    joined.push({ from, until: Number.isFinite(next) ? next : null, beforeUpload: null });
  }
  return { joined, rest: ranges.flatMap((range) => outside(range, joined)) };
};

export interface PublishedRun {
  /** The joined segment. */
  readonly target: number;
  /** The segments it takes the place of, in reading order. */
  readonly run: readonly number[];
  /** Upload number of each of them; null: only versions that have the whole run are led over. */
  readonly uploadNumbers: readonly number[] | null;
}

const rangesSql = `
  SELECT (run.place - 1)::int AS place, r.from_version AS "from", r.until_version AS until, r.before_upload AS "beforeUpload"
  FROM unnest($2::bigint[]) WITH ORDINALITY AS run (id, place)
    JOIN segment_ranges r ON r.segment_id = run.id AND r.dataset_id = $1
  ORDER BY r.from_version, run.place LIMIT $3::bigint`;

const write = async (
  tx: Sql,
  datasetId: number,
  { target, run }: PublishedRun,
  ranges: readonly RunRange[],
  swap: RangeSwap,
): Promise<void> => {
  await removeRanges(
    tx,
    datasetId,
    ranges.map(({ place, from }) => ({ segment: run[place]!, from })),
  );
  await insertRanges(tx, datasetId, [
    ...swap.joined.map((range) => ({ ...range, segment: target })),
    ...swap.rest.map((range) => ({ ...range, segment: run[range.place]! })),
  ]);
};

/** Repoints the versions of a dataset that have the whole run. */
const leadWhole = (sql: Sql, datasetId: number, published: PublishedRun): Promise<void> =>
  sql.tx(async (tx) => {
    await holdDataset(tx, datasetId);
    const ranges = await tx.query<RunRange>(rangesSql, [datasetId, published.run, null]);
    const swap = swapWhole(ranges, published.run.length);
    if (swap.joined.length > 0) await write(tx, datasetId, published, ranges, swap);
  });

/** Repoints some versions of a dataset. False if one of them has segments of the run other than the first ones. */
const leadOver = (
  sql: Sql,
  datasetId: number,
  published: PublishedRun,
  uploadNumbers: readonly number[],
  batch: number,
): Promise<boolean> =>
  sql.tx(async (tx) => {
    const { run } = published;
    await holdDataset(tx, datasetId);
    const found = await tx.query<RunRange>(rangesSql, [datasetId, run, batch + 1]);
    const until = found.length > batch ? found.at(-1)!.from : null;
    const ranges = until === null ? found : found.filter(({ from }) => from < until);
    if (ranges.length === 0 && found.length > 0)
      throw new RangeError(`a run of ${run.length} segments does not fit into a batch of ${batch}`);
    const swap = swapRanges(ranges, uploadNumbers, until);
    if (swap === undefined) return false;
    await write(tx, datasetId, published, ranges, swap);
    return true;
  });

/** A dataset that has segments of the run; clones may be made all the time. */
const nextDataset = async (
  sql: Sql,
  run: readonly number[],
  except: readonly number[],
): Promise<number | undefined> => {
  const [found] = await sql.query<{ id: number }>(
    `SELECT dataset_id AS id FROM segment_ranges
     WHERE segment_id = ANY ($1) AND dataset_id <> ALL ($2::bigint[]) LIMIT 1`,
    [run, except],
  );
  return found?.id;
};

/**
 * Repoints all versions. Safe to repeat, and to run in two workers at once. True if no version is left that can be
 * repointed; false if it was stopped before.
 * @param batch Ranges of one transaction; more than the segments of a run.
 */
export const swapSegments = async (
  sql: Sql,
  published: PublishedRun,
  stop?: AbortSignal,
  batch = 2_000,
): Promise<boolean> => {
  const { run, uploadNumbers } = published;
  /** Datasets whose versions keep their segments of the run. */
  const settled: number[] = [];
  for (;;) {
    const datasetId = await nextDataset(sql, run, settled);
    if (datasetId === undefined) return true;
    if (stop?.aborted) return false;
    if (uploadNumbers !== null && (await leadOver(sql, datasetId, published, uploadNumbers, batch))) continue;
    // Some versions may have the end of the run behind a fold that has the rows of its start.
    await leadWhole(sql, datasetId, published);
    settled.push(datasetId);
  }
};

/**
 * Last step of a compaction: in every version and clone the joined segment replaces those of the run. Each transaction locks one dataset and
 * changes a bounded number of ranges, so that others do not wait long. If the joined segment cannot be cut, one transaction changes all
 * ranges of the dataset, which are few. Both the run and the joined segment stay until all versions are switched.
 */
import { holdDataset, rowsRepaired } from '../storage/postgres/datasets.js';
import type { Sql } from '../storage/postgres/sql.js';
import { forgetCopies } from './read-copy-records.js';
import { insertRanges, removeRanges } from './segment-ranges.js';
import { countRepair } from './versions.js';

/** Versions of a dataset that have a segment of a run. */
export interface RunRange {
  /** Index of the segment in the run. */
  readonly place: number;
  /** Id of the first version with it. */
  readonly from: number;
  /** Id of the first later version without it; null: the current version has it. */
  readonly until: number | null;
  /** These versions have only rows of uploads with a lower number; null: all rows of the segment. */
  readonly beforeUpload: number | null;
}

/** Versions that get the joined segment, or a part of it. */
export type JoinedRange = Omit<RunRange, 'place'>;

export interface RangeSwap {
  readonly joined: readonly JoinedRange[];
  /** Ranges that keep segments of the run. */
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
    // Ends come first: a segment may be added again with another cut.
    .sort((a, b) => a.at - b.at || Number(a.begins) - Number(b.begins));

/** Tracks the segments of the run that versions between two events have. */
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
    /** True for a gapless start of the run, of which only the last segment may be cut. */
    isStartOfRun: (): boolean => count === last + 1 && cuts <= 1 && (cuts === 0 || cutAt[last] !== null),
    /** Cut of the joined segment: that of the last segment, or before the next segment of the run. */
    beforeUpload: (uploadNumbers: readonly number[]): number | null =>
      cutAt[last] ?? uploadNumbers[last + 1] ?? null,
  };
};

/**
 * Replaces the segments of a run by the joined segment, cut for versions that have only the start of the run. Undefined if a version has
 * other segments of the run than a start.
 *
 * @param ranges All ranges of one dataset that start before `before`.
 * @param uploadNumbers Upload numbers of the segments of the run.
 * @param before Only versions before this one are switched; null: all versions.
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
    if (!holding.isStartOfRun()) return undefined;
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

/** The parts of a range outside of some spans. */
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
 * Like `swapRanges`, for a joined segment that cannot be cut, because it lacks rows that only a part of the run has. Versions with the whole
 * run get it; others, including those with a cut segment, keep theirs.
 * @param ranges All ranges of one dataset.
 * @param length Number of segments of the run.
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
  /** The segments that it replaces, in reading order. */
  readonly run: readonly number[];
  /** Upload number of each of them; null: only versions with the whole run are switched. */
  readonly uploadNumbers: readonly number[] | null;
}

/** Compactions join at least two segments; only a repair replaces one, by rows that may differ from those that are stored. */
export const isRepair = (run: readonly unknown[]): boolean => run.length === 1;
/** `isRepair` of the compaction `c`. */
export const isRepairSql = 'cardinality(c.run) = 1';

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
  if (!isRepair(run)) return;
  await forgetCopies(tx, await countRepair(tx, datasetId, swap.joined));
  await rowsRepaired(tx, datasetId);
};

/** Switches the versions of a dataset that have the whole run. */
const switchWhole = (sql: Sql, datasetId: number, published: PublishedRun): Promise<void> =>
  sql.tx(async (tx) => {
    await holdDataset(tx, datasetId);
    const ranges = await tx.query<RunRange>(rangesSql, [datasetId, published.run, null]);
    const swap = swapWhole(ranges, published.run.length);
    if (swap.joined.length > 0) await write(tx, datasetId, published, ranges, swap);
  });

/** Switches a batch of versions of a dataset. Returns false if one of them has other segments of the run than a start. */
const switchBatch = (
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

/** Finds a dataset with segments of the run. Clones may be created at any time. */
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
 * Switches all versions. Idempotent, and safe to run in two workers at once. Returns true if no version is left to switch; false if it was
 * stopped before.
 * @param batch Most ranges per transaction; must exceed the number of segments of a run.
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
    if (uploadNumbers !== null && (await switchBatch(sql, datasetId, published, uploadNumbers, batch)))
      continue;
    // Some versions may have only the end of the run, after a fold with the rows of its start.
    await switchWhole(sql, datasetId, published);
    settled.push(datasetId);
  }
};

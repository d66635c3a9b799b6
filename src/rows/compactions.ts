/** Compactions in PostgreSQL: segments that will replace a run of segments. No other file writes them. */
import type { Leases } from '../jobs/leases.js';
import { compactedSegmentIds, type Place } from '../model/version.js';
import type { Sql } from '../storage/postgres/sql.js';
import {
  type CompactionEvent,
  inState,
  isExpired,
  isHeld,
  isOpen,
  isSwapping,
  moveSql,
} from './compaction-states.js';
import type { Target } from './copy.js';
import { type FoldLimits, foldCandidates, foldedLatelySql, isCurrentSql } from './folds.js';
import { placeSql } from './place.js';
import {
  type CompactionCandidate,
  type JoinedFacts,
  type JoinedRows,
  joinedFacts,
  type ListedSegment,
  minPatches,
} from './runs.js';
import { isListed } from './segment-ranges.js';
import { addSegmentBeside, countSegmentSql, noteUnlisted, noteUnsaved } from './segment-records.js';
import { isRepair, isRepairSql, type PublishedRun, swapSegments } from './swap.js';

const updateSql = (event: CompactionEvent, condition: string, more = ''): string => {
  const { set, when } = moveSql(event);
  return `UPDATE compactions c SET ${set}${more} WHERE ${when} AND ${condition} RETURNING 1`;
};

/**
 * Outcome of a replacement. `busy`: another worker compacts the store, or the ids after the run's first segment are used up. A join
 * that has failed ten times in a row is `busy` for hours.
 * `kept`: `write` decided to keep the run. `lost`: the lease expired meanwhile, or no version has the segment to repair any more. In all three
 * cases nothing has changed.
 */
export type Replaced = Replacement | 'busy' | 'kept' | 'lost';

/** The segment that replaced a run. */
export interface Replacement {
  readonly segment: number;
  readonly rows: number;
  /** Raw bytes. */
  readonly bytes: number;
}

/** Writes the rows of a run to its target, at their positions; undefined: the run stays. `lost` is aborted when the lease is lost. */
export type WriteRun = (target: Target, lost: AbortSignal) => Promise<JoinedRows | undefined>;

export interface ReplaceOptions {
  /** When aborted, another worker completes the switch. */
  readonly stop?: AbortSignal;
  /** Minimum milliseconds since the last fold; present if the run is folded. */
  readonly foldIntervalMs?: number;
}

export interface Compactions {
  /**
   * Datasets whose current version has at least so many segments or patches, in random order, so that none starves. Leaves out stores
   * that are being compacted.
   */
  candidates(minSegments: number): Promise<CompactionCandidate[]>;
  /** Datasets whose patches are worth folding. Leaves out stores that were folded lately. */
  foldCandidates(limits: Omit<FoldLimits, 'hasRoom'>): Promise<CompactionCandidate[]>;
  /** Segments of the current version, in reading order. */
  segments(datasetId: number): Promise<ListedSegment[]>;
  /**
   * Writes a segment under a lease and puts it in place of the run in every version that has segments of the run. After `publish`, any
   * worker can complete the switch.
   */
  replace(
    storeId: number,
    run: readonly ListedSegment[],
    write: WriteRun,
    options?: ReplaceOptions,
  ): Promise<Replaced>;
  /** Completes switches whose worker has lost its lease. Returns their number. */
  resume(stop?: AbortSignal): Promise<number>;
}

/** Abandons compactions whose worker has lost its lease. Returns their number. */
export const abandonSilent = async (sql: Sql): Promise<number> =>
  (await sql.query(updateSql('abandon', isExpired))).length;

/** Datasets among the given ones whose current version has a segment that is being repaired. */
export const datasetsInRepair = async (
  tx: Sql,
  datasetIds: readonly number[],
): Promise<ReadonlySet<number>> => {
  if (datasetIds.length === 0) return new Set();
  const rows = await tx.query<{ id: number }>(
    `SELECT DISTINCT r.dataset_id AS id FROM compactions c JOIN segment_ranges r ON r.segment_id = c.run[1]
     WHERE ${isOpen} AND (${isSwapping} OR ${isHeld}) AND ${isRepairSql} AND r.dataset_id = ANY ($1)
       AND r.until_version IS NULL`,
    [datasetIds],
  );
  return new Set(rows.map(({ id }) => id));
};

export interface CompactionsOptions {
  readonly sql: Sql;
  readonly leases: Leases;
}

/**
 * Condition that compactions with ids from `$2` to `$3` pause: for six hours after ten in a row were abandoned, and longer after each further
 * ten, since each has used up one of 200 ids. One that succeeds ends the row.
 */
const isPausedSql = `(
  SELECT count(*) >= 10 AND max(c.created_at) > now() - interval '6 hours' * (count(*) / 10) FROM compactions c
  WHERE ${inState('abandoned')} AND c.segment_id BETWEEN $2 AND $3 AND NOT EXISTS (
    SELECT FROM compactions later WHERE later.segment_id > c.segment_id AND later.segment_id <= $3 AND later.state = 'done'))`;

/** Ids after the first segment of a run that are left to repairs. */
const idsForRepairs = 20;

/** The steps of a replacement. */
export const createCompactionSteps = ({ sql }: Pick<CompactionsOptions, 'sql'>) => {
  const finish = async (published: PublishedRun, stop?: AbortSignal): Promise<boolean> => {
    if (!(await swapSegments(sql, published, stop))) return false;
    await sql.tx(async (tx) => {
      await noteUnlisted(tx, published.run);
      // The row stays, so that no segment id is used twice.
      await tx.query(updateSql('finish', 'c.segment_id = $1'), [published.target]);
    });
    return true;
  };

  return {
    finish,

    /**
     * Registers the target, with an id after the first segment of the run; after the last one for a fold or a join of patches, which happen
     * so often that the ids of one process would run out. `busy`: also if the run is not to be folded any more.
     */
    begin: (
      storeId: number,
      run: readonly ListedSegment[],
      foldIntervalMs?: number,
    ): Promise<Target | 'busy' | 'lost'> =>
      sql.tx(async (tx) => {
        // Serializes calls: the second one sees the row of the first.
        await tx.query('SELECT 1 FROM stores WHERE id = $1 FOR NO KEY UPDATE', [storeId]);
        // The caller holds the lease, so any earlier writer has lost it.
        await tx.query(updateSql('abandon', 'c.store_id = $1'), [storeId]);
        const [first] = run;
        if (first === undefined) return 'busy';
        const folds = foldIntervalMs !== undefined;
        // Only bases may be cut, so only they must come before all that follows a part of the run.
        const neighbour = folds || run.some(({ patch }) => patch) ? run.at(-1)! : first;
        const { from, to } = compactedSegmentIds(neighbour.id);
        const [next] = await tx.query<{ id: number; busy: boolean; listed: boolean; paused: boolean }>(
          `SELECT coalesce(max(segment_id) + 1, $2) AS id, ${isPausedSql} AS paused,
             EXISTS (SELECT 1 FROM compactions c WHERE c.store_id = $1 AND ${isOpen})
               OR $4::bigint IS NOT NULL AND (${foldedLatelySql('$1', '$4')} OR NOT ${isCurrentSql('$5::bigint[]')}) AS busy,
             ${isListed('$6')} AS listed
           FROM compactions WHERE segment_id BETWEEN $2 AND $3`,
          [storeId, from, to, foldIntervalMs ?? null, run.map(({ id }) => id), first.id],
        );
        if (next === undefined || next.busy || next.id > to) return 'busy';
        // Its rows were found before the lease was taken, and may have been joined with others since.
        if (isRepair(run) && !next.listed) return 'lost';
        if (!isRepair(run) && (next.paused || next.id > to - idsForRepairs)) return 'busy';
        await addSegmentBeside(tx, next.id, first.id);
        await tx.query('INSERT INTO compactions (segment_id, store_id, folds, run) VALUES ($1, $2, $3, $4)', [
          next.id,
          storeId,
          folds,
          run.map(({ id }) => id),
        ]);
        const [row] = await tx.query<{ place: Place }>(
          `SELECT ${placeSql('g')} AS place FROM segments g WHERE g.id = $1`,
          [next.id],
        );
        return row === undefined ? 'busy' : { segment: next.id, place: row.place };
      }),

    /** After this the compaction cannot be abandoned. Returns false, and changes nothing, if the lease has expired. */
    publish: (
      { target, uploadNumbers }: Pick<PublishedRun, 'target' | 'uploadNumbers'>,
      { rows, bytes, patch, hidden, hash }: JoinedFacts,
    ): Promise<boolean> =>
      sql.tx(async (tx) => {
        const [mine] = await tx.query(
          updateSql('publish', `${isHeld} AND c.segment_id = $1`, ', upload_numbers = $2'),
          [target, uploadNumbers],
        );
        if (mine === undefined) return false;
        await tx.query(
          countSegmentSql('$1', { rows: '$2', bytes: '$3' }, ', patch = $4, hidden = $5, hash = $6'),
          [target, rows, bytes, patch, hidden, hash ?? null],
        );
        return true;
      }),

    async abandon(target: number): Promise<void> {
      await sql.query(updateSql('abandon', 'c.segment_id = $1'), [target]);
    },
  };
};

export type CompactionSteps = ReturnType<typeof createCompactionSteps>;

export const createCompactions = (
  options: CompactionsOptions,
  steps: CompactionSteps = createCompactionSteps(options),
): Compactions => {
  const { sql, leases } = options;

  const writeAndSwap = async (
    target: Target,
    run: readonly ListedSegment[],
    write: () => Promise<JoinedRows | undefined>,
    stop: AbortSignal | undefined,
  ): Promise<Replaced> => {
    const written = await write();
    if (written === undefined) return 'kept';
    const facts = joinedFacts(run, written);
    const published = {
      target: target.segment,
      run: run.map(({ id }) => id),
      uploadNumbers: run.some(({ patch }) => patch) ? null : run.map(({ uploadNumber }) => uploadNumber),
    };
    if (!(await steps.publish(published, facts))) return 'lost';
    await steps.finish(published, stop);
    return { segment: target.segment, rows: facts.rows, bytes: facts.bytes };
  };

  return {
    candidates: (minSegments) =>
      sql.query<CompactionCandidate>(
        `SELECT d.store_id AS "storeId", d.id AS "datasetId"
         FROM (
           SELECT dataset_id FROM segment_ranges WHERE until_version IS NULL GROUP BY dataset_id HAVING count(*) >= $1
           UNION
           SELECT r.dataset_id FROM segments g JOIN segment_ranges r ON r.segment_id = g.id
           WHERE g.patch AND r.until_version IS NULL GROUP BY r.dataset_id HAVING count(*) >= $2
         ) m JOIN datasets d ON d.id = m.dataset_id
         WHERE NOT EXISTS (SELECT 1 FROM compactions c
           WHERE c.store_id = d.store_id AND ${isOpen} AND ${isHeld})
         ORDER BY random() LIMIT 200`,
        [minSegments, minPatches],
      ),

    segments: (datasetId) =>
      sql.query<ListedSegment>(
        `SELECT g.id, g.upload_number AS "uploadNumber", coalesce(g.rows, 0) AS rows, coalesce(g.bytes, 0) AS bytes, g.patch, g.hidden, g.hash,
           r.before_upload IS NULL AND g.rows IS NOT NULL AS whole
         FROM segment_ranges r JOIN segments g ON g.id = r.segment_id
         WHERE r.dataset_id = $1 AND r.until_version IS NULL ORDER BY g.id`,
        [datasetId],
      ),

    foldCandidates: (limits) => foldCandidates(sql, limits),

    async replace(storeId, run, write, { stop, foldIntervalMs } = {}) {
      const replaced = await leases.whileHeld('compaction', storeId, async (lost): Promise<Replaced> => {
        const target = await steps.begin(storeId, run, foldIntervalMs);
        if (typeof target === 'string') return target;
        const { segment } = target;
        try {
          const outcome = await writeAndSwap(target, run, () => write(target, lost), stop);
          if (typeof outcome === 'string') await steps.abandon(segment);
          return outcome;
        } catch (error) {
          await steps.abandon(segment);
          throw error;
        }
      });
      return replaced ?? 'busy';
    },

    async resume(stop) {
      const silent = await sql.query<PublishedRun>(
        `SELECT segment_id AS target, run, upload_numbers AS "uploadNumbers" FROM compactions c
         WHERE ${isSwapping} AND ${isExpired} ORDER BY segment_id`,
      );
      let finished = 0;
      for (const published of silent) if (await steps.finish(published, stop)) finished += 1;
      return finished;
    },
  };
};

/** Settles the compactions of a restored catalog: neither unfinished segments nor those that nothing refers to have rows there. */
export const settleRestoredCompactions = async (tx: Sql): Promise<void> => {
  await tx.query(updateSql('abandon', 'true'));
  await noteUnsaved(tx);
};

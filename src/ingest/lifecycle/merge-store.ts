import type { StoredColumn } from '../../model/column.js';
import type { UploadMode } from '../../model/process.js';
import { mergeSegmentId, type SegmentFacts } from '../../model/version.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { Layout } from '../layout/layout.js';
import { addSegment } from './process-store.js';
import { inStates, moveSql } from './transitions.js';

/** A process whose turn to be merged has come. */
export interface MergeTurn {
  readonly processId: number;
  readonly datasetId: number;
  readonly storeId: number;
  readonly mode: UploadMode;
  readonly attempt: number;
  readonly layout: Layout;
  /** Of the file's own segment. */
  readonly facts: SegmentFacts;
  /** Rows that the plan allows; null: any. */
  readonly maxRows: number | null;
}

/** What a merge came to. */
export interface MergeOutcome {
  /** The version it was made for; null: there was none. */
  readonly baseVersionId: number | null;
  /** The segment that holds all rows; null: the segments of the version before and the file's own. */
  readonly segmentId: number | null;
  readonly columns: readonly StoredColumn[];
  readonly facts: SegmentFacts;
}

/** A segment that a merge writes. */
export interface MergeTarget {
  readonly segmentId: number;
  /** Counts the merges of the process, from 1. */
  readonly number: number;
}

/** The records of merges in PostgreSQL. */
export interface MergeStore {
  /** Undefined when the process does not stand in state `merge` (any more). */
  turn(processId: number): Promise<MergeTurn | undefined>;
  /** Registers a new segment for a merge to write; null when the turn is over. */
  begin(turn: MergeTurn): Promise<MergeTarget | null>;
  /**
   * Event `merged`. Does nothing when another merge has begun since.
   * @param number Of the merge that wrote the segment; null: none was written.
   */
  finish(processId: number, outcome: MergeOutcome, number: number | null): Promise<void>;
  /** Event `rebased`. */
  rebind(processId: number, layout: Layout): Promise<void>;
  /** Number of merges that were begun. */
  countBegun(processId: number): Promise<number>;
}

export const createMergeStore = (sql: Sql): MergeStore => ({
  async turn(processId) {
    const [turn] = await sql.query<MergeTurn>(
      `SELECT p.id AS "processId", p.dataset_id AS "datasetId", d.store_id AS "storeId", p.mode, p.attempt,
         p.layout, p.facts, plans.max_dataset_rows AS "maxRows"
       FROM processes p JOIN datasets d ON d.id = p.dataset_id JOIN repositories r ON r.id = d.repository_id
         JOIN accounts a ON a.id = r.created_by JOIN plans ON plans.name = a.plan
       WHERE p.id = $1 AND ${inStates(['merge'], 'p')}`,
      [processId],
    );
    return turn;
  },

  begin: ({ processId, storeId }) =>
    sql.tx(async (tx) => {
      const [row] = await tx.query<{ number: number }>(
        `UPDATE processes SET merge_attempt = coalesce(merge_attempt, 0) + 1
         WHERE id = $1 AND ${inStates(['merge'])} RETURNING merge_attempt AS number`,
        [processId],
      );
      if (row === undefined) return null;
      const id = mergeSegmentId(processId, row.number);
      await addSegment(tx, id, processId, storeId);
      return { segmentId: id, number: row.number };
    }),

  async finish(processId, outcome, number) {
    // A lease may have run out meanwhile: once another merge has begun, the segment of this one is dropped.
    const { set, when } = moveSql('merged');
    await sql.query(
      `UPDATE processes SET ${set}, merge = $2
       WHERE id = $1 AND ${when} AND ($3::int IS NULL OR $3 = merge_attempt)`,
      [processId, JSON.stringify(outcome), number],
    );
  },

  async rebind(processId, layout) {
    const { set, when } = moveSql('rebased');
    await sql.query(`UPDATE processes SET ${set}, layout = $2 WHERE id = $1 AND ${when}`, [
      processId,
      JSON.stringify(layout),
    ]);
  },

  async countBegun(processId) {
    const [row] = await sql.query<{ number: number }>(
      'SELECT coalesce(merge_attempt, 0) AS number FROM processes WHERE id = $1',
      [processId],
    );
    return row?.number ?? 0;
  },
});

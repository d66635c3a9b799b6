import type { StoredColumn } from '../../model/column.js';
import type { UploadMode } from '../../model/process.js';
import { mergeSegmentId, type SegmentFacts } from '../../model/version.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { Layout } from '../layout/layout.js';

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

/** The records of merges in PostgreSQL. */
export interface MergeStore {
  /** Undefined when the process does not stand in phase `merge` (any more). */
  turn(processId: number): Promise<MergeTurn | undefined>;
  /** Registers a new segment for a merge to write; null when the turn is over. */
  begin(turn: MergeTurn): Promise<number | null>;
  /** merge -> merged. Does nothing when another merge has begun since. */
  finish(turn: MergeTurn, outcome: MergeOutcome): Promise<void>;
  /** merge -> collect, with another layout: the file is read again. */
  rebind(turn: MergeTurn, layout: Layout): Promise<void>;
  /** Number of merges that were begun. */
  countFailure(processId: number): Promise<number>;
}

const atTurn = `status = 'pending' AND phase = 'merge'`;

export const createMergeStore = (sql: Sql): MergeStore => ({
  async turn(processId) {
    const [turn] = await sql.query<MergeTurn>(
      `SELECT p.id AS "processId", p.dataset_id AS "datasetId", d.store_id AS "storeId", p.mode, p.attempt,
         p.layout, p.facts, plans.max_dataset_rows AS "maxRows"
       FROM processes p JOIN datasets d ON d.id = p.dataset_id JOIN repositories r ON r.id = d.repository_id
         JOIN accounts a ON a.id = r.created_by JOIN plans ON plans.name = a.plan
       WHERE p.id = $1 AND p.${atTurn.replace('AND ', 'AND p.')}`,
      [processId],
    );
    return turn;
  },

  begin: ({ processId, storeId }) =>
    sql.tx(async (tx) => {
      const [row] = await tx.query<{ number: number }>(
        `UPDATE processes SET merge_attempt = coalesce(merge_attempt, 0) + 1
         WHERE id = $1 AND ${atTurn} RETURNING merge_attempt AS number`,
        [processId],
      );
      if (row === undefined) return null;
      const id = mergeSegmentId(processId, row.number);
      await tx.query('INSERT INTO segments (id, store_id, process_id) VALUES ($1, $2, $3)', [
        id,
        storeId,
        processId,
      ]);
      return id;
    }),

  async finish({ processId }, outcome) {
    // A lease may have run out meanwhile: once another merge has begun, the segment of this one is dropped.
    await sql.query(
      `UPDATE processes SET phase = 'merged', merge = $2
       WHERE id = $1 AND ${atTurn} AND ($3::bigint IS NULL OR $3 % 1000 = 500 + merge_attempt)`,
      [processId, JSON.stringify(outcome), outcome.segmentId],
    );
  },

  async rebind({ processId }, layout) {
    await sql.query(`UPDATE processes SET phase = 'collect', layout = $2 WHERE id = $1 AND ${atTurn}`, [
      processId,
      JSON.stringify(layout),
    ]);
  },

  async countFailure(processId) {
    const [row] = await sql.query<{ number: number }>(
      'SELECT coalesce(merge_attempt, 0) AS number FROM processes WHERE id = $1',
      [processId],
    );
    return row?.number ?? 0;
  },
});

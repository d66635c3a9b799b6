import type { NamedColumn, StoredColumn } from '../../model/column.js';
import type { ColumnMergeMode, MergeMode, RowChanges } from '../../model/process.js';
import { mergeSegmentId, type Place, type SegmentFacts, segmentNumbers } from '../../model/version.js';
import { register } from '../../rows/index.js';
import { placeSql } from '../../rows/sql.js';
import { inStates } from '../../storage/postgres/process-states.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { Layout } from '../layout/layout.js';
import { moveSql } from './transitions.js';

interface Turn<Mode> {
  readonly processId: number;
  readonly datasetId: number;
  readonly storeId: number;
  /** Location of the file's own segment. */
  readonly place: Place;
  readonly mode: Mode;
  readonly attempt: number;
  readonly layout: Layout;
  /** Facts of the file's own segment. */
  readonly facts: SegmentFacts;
  /** Rows that the plan allows; null: any. */
  readonly maxRows: number | null;
}

/** An upload whose turn to be merged has come. */
export type UploadTurn = Turn<MergeMode>;

/** Two columns whose turn to become one has come; `facts` are those of no rows. */
export type ColumnMergeTurn = Turn<ColumnMergeMode>;

export type MergeTurn = UploadTurn | ColumnMergeTurn;

/** Content of a segment behind those of the version before. */
export interface OwnFacts {
  /** Stored rows. */
  readonly rows: number;
  readonly bytes: number;
  /** Stored rows that it makes invisible, its own among them; more than 0: the segment is a patch. */
  readonly hidden: number;
}

/** Result of a merge. */
export interface MergeOutcome {
  /** The version it was made for; null: there was none. */
  readonly baseVersionId: number | null;
  /** The segment that was written; null: none was, the file's own follows the version before. */
  readonly segmentId: number | null;
  /** True: it follows the segments of the version before. */
  readonly keepsBase: boolean;
  readonly columns: readonly StoredColumn[];
  readonly facts: SegmentFacts;
  /** Facts of the segment; absent: those of the file, or, where that replaces the version before, `facts`. */
  readonly own?: OwnFacts;
  /** Absent: nothing was compared with the version before. */
  readonly changes?: RowChanges;
  /** Ids of the columns by which rows were compared; absent: there was no key. */
  readonly keyIds?: readonly number[];
  /** Storage ids of columns by which the rows are unique; absent: not known. */
  readonly uniqueBy?: readonly number[];
}

/** A segment that a merge writes. */
export interface MergeTarget {
  readonly segmentId: number;
  /** Counts the merges of the process, from 1. */
  readonly number: number;
  readonly place: Place;
}

/** The records of merges in PostgreSQL. */
export interface MergeRecords {
  /** Undefined when the process is not in state `merge` (any more). */
  turn(processId: number): Promise<MergeTurn | undefined>;
  /**
   * Registers a new segment for a merge to write; null when the turn is over.
   * @param columns Of the rows to come, to be kept in a pool; undefined: in the table of the store.
   */
  begin(turn: MergeTurn, columns: readonly NamedColumn[] | undefined): Promise<MergeTarget | null>;
  /**
   * Event `merged`. Does nothing when another merge has begun since.
   * @param number Of the merge that wrote the segment; null: none was written.
   */
  finish(processId: number, outcome: MergeOutcome, number: number | null): Promise<void>;
  /** Event `rebased`. */
  rebase(processId: number, layout: Layout): Promise<void>;
  /** Number of merges that were begun. */
  countBegun(processId: number): Promise<number>;
}

export const createMergeRecords = (sql: Sql): MergeRecords => ({
  async turn(processId) {
    const [turn] = await sql.query<MergeTurn>(
      `SELECT p.id AS "processId", p.dataset_id AS "datasetId", d.store_id AS "storeId", p.mode, p.attempt,
         p.layout, p.facts,
         (SELECT ${placeSql('g')} FROM segments g
          WHERE g.id = p.id * ${segmentNumbers.perProcess} + p.attempt) AS place, plans.max_dataset_rows AS "maxRows"
       FROM processes p JOIN datasets d ON d.id = p.dataset_id JOIN repositories r ON r.id = d.repository_id
         JOIN accounts a ON a.id = r.created_by JOIN plans ON plans.name = a.plan
       WHERE p.id = $1 AND ${inStates(['merge'], 'p')}`,
      [processId],
    );
    return turn;
  },

  begin: ({ processId, storeId, place: near }, columns) =>
    sql.tx(async (tx) => {
      const [row] = await tx.query<{ number: number }>(
        `UPDATE processes SET merge_attempt = coalesce(merge_attempt, 0) + 1 WHERE id = $1 AND ${inStates(['merge'])} RETURNING merge_attempt AS number`,
        [processId],
      );
      if (row === undefined) return null;
      const id = mergeSegmentId(processId, row.number);
      const wish = columns === undefined ? {} : { columns, near: { place: near } };
      const place = await register(tx, { id, processId, storeId }, wish);
      return { segmentId: id, number: row.number, place };
    }),

  async finish(processId, outcome, number) {
    // A lease may have run out meanwhile: once another merge has begun, the segment of this one is dropped.
    const { set, when } = moveSql('merged');
    await sql.query(
      `UPDATE processes SET ${set}, merge = $2, changes = $4
       WHERE id = $1 AND ${when} AND ($3::int IS NULL OR $3 = merge_attempt)`,
      [processId, JSON.stringify(outcome), number, JSON.stringify(outcome.changes ?? null)],
    );
  },

  async rebase(processId, layout) {
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

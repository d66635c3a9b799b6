import type { NamedColumn, StoredColumn } from '../../model/column.js';
import type { ColumnMergeMode, MergeMode, RowChanges } from '../../model/process.js';
import {
  lastMerge,
  mergeSegmentId,
  type Place,
  type SegmentFacts,
  segmentNumbers,
} from '../../model/version.js';
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
  /** Earlier tries. */
  readonly tries: number;
}

/** An upload that is due to be merged. */
export type UploadTurn = Turn<MergeMode>;

/** A merge of two columns that is due; `facts` are those of an empty segment. */
export type ColumnMergeTurn = Turn<ColumnMergeMode>;

export type MergeTurn = UploadTurn | ColumnMergeTurn;

/** Content of a segment that follows those of the previous version. */
export interface OwnFacts {
  /** Stored rows. */
  readonly rows: number;
  readonly bytes: number;
  /** Stored rows that it hides, including its own; more than 0 for a patch. */
  readonly hidden: number;
}

/** Result of a merge. */
export interface MergeOutcome {
  /** Version that the rows were merged with; null: none. */
  readonly baseVersionId: number | null;
  /** Repairs of that version when its rows were read. @default 0 */
  readonly baseRepairs?: number;
  /** Segment that the merge wrote; null: none, the file's own segment follows the previous version. */
  readonly segmentId: number | null;
  /** True: the segment follows those of the previous version. False: it replaces them. */
  readonly keepsBase: boolean;
  readonly columns: readonly StoredColumn[];
  readonly facts: SegmentFacts;
  /** Facts of the segment. @default those of the file with `keepsBase`, otherwise `facts` */
  readonly own?: OwnFacts;
  /** Absent: rows were not compared with the previous version. */
  readonly changes?: RowChanges;
  /** Ids of the key columns; absent: no key. */
  readonly keyIds?: readonly number[];
  /** Storage ids of columns by which the rows are unique; absent: not known. */
  readonly uniqueBy?: readonly number[];
}

/** Segment for a merge to write. */
export interface MergeTarget {
  readonly segmentId: number;
  /** Number of the merge within its process, from 1. */
  readonly number: number;
  readonly place: Place;
}

/** Records of merges in PostgreSQL. */
export interface MergeRecords {
  /** Returns undefined if the process is not in state `merge`. */
  turn(processId: number): Promise<MergeTurn | undefined>;
  /**
   * Registers a new segment for a merge to write. Returns null if the process is not in state `merge` any more.
   * @param columns Columns of rows that go into a pool; undefined: they go into the table of the store.
   */
  begin(turn: MergeTurn, columns: readonly NamedColumn[] | undefined): Promise<MergeTarget | null>;
  /**
   * Event `merged`. Does nothing if another merge has started since.
   * @param number Number of the merge that wrote the segment; null: none was written.
   */
  finish(processId: number, outcome: MergeOutcome, number: number | null): Promise<void>;
  /** Event `rebased`. */
  rebase(processId: number, layout: Layout): Promise<void>;
  /**
   * Returns the number of tries, which is that of the last segment. Counts up to at least `least`, so that a try that failed before it had
   * a segment is counted too.
   */
  countTries(processId: number, least: number): Promise<number>;
}

export const createMergeRecords = (sql: Sql): MergeRecords => ({
  async turn(processId) {
    const [turn] = await sql.query<MergeTurn>(
      `SELECT p.id AS "processId", p.dataset_id AS "datasetId", d.store_id AS "storeId", p.mode, p.attempt,
         p.layout, p.facts,
         (SELECT ${placeSql('g')} FROM segments g
          WHERE g.id = p.id * ${segmentNumbers.perProcess} + p.attempt) AS place, plans.max_dataset_rows AS "maxRows",
         coalesce(p.merge_attempt, 0) AS tries
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
    // The lease may have expired, and another worker may have started a merge. The segment of this one is dropped then.
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

  async countTries(processId, least) {
    const [row] = await sql.query<{ tries: number }>(
      `UPDATE processes SET merge_attempt = greatest(merge_attempt, least($2::int, ${lastMerge}))
       WHERE id = $1 AND ${inStates(['merge'])} RETURNING merge_attempt AS tries`,
      [processId, least],
    );
    return row?.tries ?? least;
  },
});

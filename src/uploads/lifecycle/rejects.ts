/**
 * Records that were set aside (`onBadRow=quarantine`).
 *
 * The statement that records a chunk writes them to the table `rejects`, which only this file does: a chunk counts once for an attempt,
 * and so do its rejects. Their number and size are bounded; they vanish with their process.
 */
import type { Sql } from '../../storage/postgres/sql.js';
import { isProcess } from './process-ids.js';

export interface Reject {
  /** Position of the record in the file, from 0. */
  readonly row: number;
  /** Physical line, from 1; the header is line 1. */
  readonly line: number;
  readonly column: string | null;
  /** Stable identifier of the reason. */
  readonly reason: string;
  readonly message: string;
  /** The record as it is in the file, cut to `maxRawBytes`. */
  readonly raw: string;
}

/** Most rejects of one upload; more fail it. */
export const maxRejects = 100_000;

/** Longest beginning of a record that is kept. */
export const maxRawBytes = 64 * 1024;

const pageSize = 500;

/**
 * Statement that sets records aside, once a chunk is recorded.
 * @param recorded Name of an expression that gives a row if it is.
 * @param rejects Expression of the `Reject`s as JSON.
 */
export const setAsideSql = (
  recorded: string,
  { process, attempt, rejects }: Readonly<Record<'process' | 'attempt' | 'rejects', string>>,
): string => `
  INSERT INTO rejects (process_id, attempt, row, line, column_name, reason, message, raw)
  SELECT ${process}, ${attempt}, r.row, r.line, r."column", r.reason, r.message, r.raw
  FROM ${recorded}, json_to_recordset(${rejects}::json)
    AS r (row bigint, line bigint, "column" text, reason text, message text, raw text)
  RETURNING 1`;

/** Another attempt begins. */
export const dropRejects = async (tx: Sql, processId: number): Promise<void> => {
  await tx.query('DELETE FROM rejects WHERE process_id = $1', [processId]);
};

/** All rejects of the current attempt, in file order, a page at a time. */
export async function* readRejects(sql: Sql, processId: number): AsyncGenerator<Reject> {
  let after = -1;
  for (;;) {
    const page = await sql.query<Reject>(
      `SELECT r.row, r.line, r.column_name AS column, r.reason, r.message, r.raw
       FROM rejects r JOIN processes p ON p.id = r.process_id AND p.attempt = r.attempt
       WHERE ${isProcess('$1', 'p')} AND r.row > $2 ORDER BY r.row LIMIT $3`,
      [processId, after, pageSize],
    );
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = last.row;
  }
}

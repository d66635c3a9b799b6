/**
 * Records set aside as bad (`onBadRow=quarantine`).
 *
 * The statement that records a chunk also writes its rejects, so both count once per attempt. Only this file writes the table
 * `rejects`. Number and size of rejects are limited; they are deleted with their process.
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
  /** Text of the record, truncated to `maxRawBytes`. */
  readonly raw: string;
}

/** An upload with more rejects fails. */
export const maxRejects = 100_000;

/** Longest part of a record that is stored. */
export const maxRawBytes = 64 * 1024;

const pageSize = 500;

/**
 * Statement that inserts the rejects of a chunk, once per attempt. Its parameters are `:processId`, `:attempt` and those of `rejectValues`.
 * @param recorded Name of a table expression with one row if the rejects are to be inserted, otherwise none.
 */
export const setAsideSql = (recorded: string): string => `
  INSERT INTO rejects (process_id, attempt, row, line, column_name, reason, message, raw)
  SELECT :processId, :attempt, r.row, r.line, c.name, r.reason, r.message, r.raw
  FROM ${recorded}, json_to_recordset(:rejects::json)
      AS r (row bigint, line bigint, "column" bigint, reason text, message text, raw text)
    LEFT JOIN unnest(:rejectColumns::text[]) WITH ORDINALITY AS c (name, number) ON c.number = r."column"
  ON CONFLICT DO NOTHING
  RETURNING 1`;

/**
 * Parameters of `setAsideSql`. Each column name is sent once: a hundred thousand names of two thousand characters would exceed the size of
 * a string.
 */
export const rejectValues = (rejects: readonly Reject[]) => {
  const numbers = new Map<string, number>();
  const numberOf = (name: string): number => {
    const number = numbers.get(name) ?? numbers.size + 1;
    numbers.set(name, number);
    return number;
  };
  const rows = rejects.map(({ column, ...rest }) => ({
    ...rest,
    column: column === null ? null : numberOf(column),
  }));
  return { rejects: JSON.stringify(rows), rejectColumns: [...numbers.keys()] };
};

/** Deletes the rejects of earlier attempts. */
export const dropRejects = async (tx: Sql, processId: number): Promise<void> => {
  await tx.query('DELETE FROM rejects WHERE process_id = $1', [processId]);
};

/** Reads all rejects of the current attempt, in file order, page by page. */
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

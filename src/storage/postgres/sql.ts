import type { ClientBase, Pool } from 'pg';

/** Statements against the catalog database. Values travel as parameters ($1, $2 …), never in the text. */
export interface Sql {
  /** Runs one statement and gives its rows. */
  query<T>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /**
   * Runs `work` in one transaction (read committed): commits when it resolves, rolls back when it throws.
   * Inside, use the `sql` that is handed in. A nested call joins the outer transaction.
   */
  tx<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
}

const queryWith =
  (target: Pool | ClientBase): Sql['query'] =>
  async <T>(text: string, values: readonly unknown[] = []): Promise<T[]> => {
    const result = await target.query(text, values as unknown[]);
    return result.rows as T[];
  };

/** Statements of one connection, in the transaction that it has open, if any. */
export const inTransaction = (client: ClientBase): Sql => {
  const sql: Sql = { query: queryWith(client), tx: (work) => work(sql) };
  return sql;
};

export const createSql = (pool: Pool): Sql => ({
  query: queryWith(pool),
  async tx(work) {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const result = await work(inTransaction(client));
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // A connection whose rollback fails must not go back to the pool with an open transaction.
      const broken = await client.query('ROLLBACK').then(
        () => undefined,
        (failure: unknown) => failure,
      );
      client.release(broken === undefined ? undefined : true);
      throw error;
    }
  },
});

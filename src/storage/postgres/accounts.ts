import type { Sql } from './sql.js';

/**
 * Until the end of the transaction no other session can add to what is limited for the account: storage, private repositories, teams,
 * reservations. Hold a dataset before its account, and lock a team after it.
 */
export const holdAccount = async (tx: Sql, id: number): Promise<void> => {
  await tx.query('SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [id]);
};

import type { Sql } from '../../storage/postgres/sql.js';
import { moveSql } from './transitions.js';

const lost = {
  code: 'upload_expired',
  message:
    'The service was restored from a backup of a time when this upload was pending. Send the file again.',
};

/**
 * Uploads of a catalog that was restored have lost what they had in Kafka and in tables of their own: pending ones fail, dry
 * runs have no rows any more. Gives the number of those that failed.
 */
export const failRestored = async (sql: Sql): Promise<number> => {
  const failed = moveSql('failed');
  await sql.query('UPDATE processes SET kept_until = NULL WHERE kept_until IS NOT NULL');
  const pending = await sql.query(
    `UPDATE processes SET ${failed.set}, error = $1 WHERE ${failed.when} RETURNING 1`,
    [JSON.stringify(lost)],
  );
  return pending.length;
};

import type { Sql } from '../../storage/postgres/sql.js';
import { moveSql } from './transitions.js';

const lost = {
  code: 'upload_expired',
  message:
    'The service was restored from a backup of a time when this upload was pending. Send the file again.',
};

/**
 * Fails pending uploads of a restored catalog, since their chunks in Kafka and their rows are lost, and marks the rows of dry runs as
 * gone. @returns the number of failed uploads
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

/** Notices about an upload, stored with its process. Their number is limited here, their size by the code that creates them. */

import { maxNotices, type Notice } from '../../model/process.js';
import { isFailed } from '../../storage/postgres/process-states.js';
import { prepared, type Sql } from '../../storage/postgres/sql.js';
import { publicIdSql } from './process-ids.js';

const subjectOf = ({ code, column, similarTo }: Notice): string => JSON.stringify([code, column, similarTo]);

/** Joins earlier and new notices; a new one replaces an earlier one with the same code and column. */
const joined = (before: readonly Notice[], added: readonly Notice[]): Notice[] => {
  const newer = new Set(added.map(subjectOf));
  return [...before.filter((notice) => !newer.has(subjectOf(notice))), ...added].slice(0, maxNotices);
};

/** Value of the column `notices`. */
export const keptNotices = (notices: readonly Notice[]): string => JSON.stringify(joined([], notices));

/** Adds notices to a process. Call it in a transaction. */
export const addNotices = async (tx: Sql, processId: number, added: readonly Notice[]): Promise<void> => {
  if (added.length === 0) return;
  const [row] = await tx.query<{ notices: readonly Notice[] }>(
    'SELECT notices FROM processes WHERE id = $1 FOR NO KEY UPDATE',
    [processId],
  );
  if (row === undefined) return;
  await tx.query('UPDATE processes SET notices = $2 WHERE id = $1', [
    processId,
    JSON.stringify(joined(row.notices, added)),
  ]);
};

const keepDigestSql = prepared(`
  WITH kept AS (UPDATE processes SET file_digest = $2 WHERE id = $1 RETURNING id, dataset_id)
  SELECT ${publicIdSql('b')} AS id FROM kept, LATERAL (
    SELECT p.id, p.public_id, p.file_digest FROM processes p
    WHERE p.dataset_id = kept.dataset_id AND p.id < kept.id AND p.mode = 'append' AND NOT ${isFailed('p')}
      AND NOT p.dry_run ORDER BY p.id DESC LIMIT 1
  ) b WHERE b.file_digest = $2`);

/**
 * Saves the digest of an appended file, and adds a notice if the previous append has the same. Call it before the process can
 * complete.
 */
export const keepDigest = async (sql: Sql, processId: number, digest: Buffer): Promise<void> => {
  const [same] = await sql.query<{ id: number }>(keepDigestSql, [processId, digest]);
  if (same === undefined) return;
  const notice = {
    code: 'same_file',
    message: `The previous append, process ${same.id}, had the same file: its rows are in the dataset twice.`,
    processId: same.id,
  };
  await sql.tx((tx) => addNotices(tx, processId, [notice]));
};

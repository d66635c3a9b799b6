/**
 * While a backup copies rows, or a restore loads them, nothing in ClickHouse is dropped: neither rows that no version references any more
 * nor rows that PostgreSQL does not know. The hold is a lock of a session, so it ends with its process.
 */
import pg from 'pg';
import { conflict } from '../../lib/errors.js';
import type { Sql } from './sql.js';

/** Advisory lock ids, used for nothing else: `whole` is exclusive, `dataset` is shared. */
const lock = { first: 722_830, whole: 1_995, dataset: 1_996 } as const;

/** True while a backup or restore is in progress. */
export const areSegmentsHeld = async (sql: Sql): Promise<boolean> => {
  const [row] = await sql.query(
    `SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted
       AND l.classid = ${lock.first} AND l.objid IN (${lock.whole}, ${lock.dataset}) AND l.objsubid = 2
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1`,
  );
  return row !== undefined;
};

interface SegmentHold {
  /**
   * Asks the server, since a half-open connection reports no error.
   * @param answerMs Milliseconds after which a connection that does not answer counts as lost.
   * @throws Error if the connection broke meanwhile, since rows may have been dropped.
   */
  requireHeld(answerMs?: number): Promise<void>;
  release(): Promise<void>;
}

/**
 * Holds segments until the session of `sql` ends, for the restore of one dataset. Does not wait, since backups and other restores may hold
 * them too.
 */
export const holdSegmentsInSession = async (sql: Sql): Promise<void> => {
  await sql.query('SELECT pg_advisory_lock_shared($1, $2)', [lock.first, lock.dataset]);
};

/** Milliseconds after which a connection that does not answer counts as lost. */
const defaultAnswerMs = 30_000;

/** @throws AppError 409 `busy` if another backup or restore is in progress. */
export const holdSegments = async (databaseUrl: string): Promise<SegmentHold> => {
  const client = new pg.Client({
    connectionString: databaseUrl,
    keepAlive: true,
    query_timeout: defaultAnswerMs,
  });
  let lost: Error | undefined;
  client.on('error', (error) => {
    lost = error;
  });
  await client.connect();
  const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS held', [
    lock.first,
    lock.whole,
  ]);
  if (rows[0]?.held !== true) {
    await client.end();
    throw conflict('busy', 'Another backup or restore is under way.');
  }
  return {
    async requireHeld(answerMs = defaultAnswerMs) {
      // The types of pg lack the time limit of a single statement.
      const question: pg.QueryConfig & { query_timeout: number } = {
        text: 'SELECT 1',
        query_timeout: answerMs,
      };
      try {
        await client.query(question);
      } catch (error) {
        throw new Error('the connection to PostgreSQL that held rows back was lost', {
          cause: lost ?? error,
        });
      }
    },
    release: () => client.end(),
  };
};

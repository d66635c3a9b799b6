import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '../lib/errors.js';
import type { Caller } from '../model/permission.js';
import { prepared, type Sql } from '../storage/postgres/sql.js';
import { callerOfKey } from './authenticator.js';
import { noteKeyUse, usedLongAgo } from './keys.js';

/** Sessions of the web app: a random token in a cookie replaces an API key. */
export interface Sessions {
  /**
   * Opens a session with the rights of the key. If the key has too many sessions, the oldest ones end.
   * @returns the token, which is returned only once, and its lifetime.
   */
  open(keyId: number): Promise<{ token: string; maxAgeSeconds: number }>;
  /**
   * Returns the caller of a session token.
   * @throws AppError `unauthenticated`: the session has ended, or its key was revoked or has expired.
   */
  authenticate(token: string): Promise<Caller>;
  /** Ends a session; does nothing for an unknown one. */
  end(token: string): Promise<void>;
}

/** Maximum sessions of a key; a further one ends the oldest. */
const maxSessions = 100;

/** SHA-256, as for keys: a token is 256 random bits. */
const hashOf = (token: string): Buffer => createHash('sha256').update(token, 'utf8').digest();

interface SessionsOptions {
  readonly sql: Sql;
  /** Seconds until sessions expire. @default a week */
  readonly maxAgeSeconds?: number | undefined;
}

const week = 7 * 86_400;

const sessionSql = prepared(
  `SELECT s.id, s.key_id AS "keyId", ${usedLongAgo('k')} AS stale
   FROM web_sessions s JOIN api_keys k ON k.id = s.key_id WHERE s.hash = $1 AND s.expires_at > now()`,
);

export const createSessions = ({ sql, maxAgeSeconds = week }: SessionsOptions): Sessions => ({
  async open(keyId) {
    const token = randomBytes(32).toString('base64url');
    await sql.tx(async (tx) => {
      await tx.query(
        `INSERT INTO web_sessions (hash, key_id, expires_at) VALUES ($1, $2, now() + $3 * interval '1 second')`,
        [hashOf(token), keyId, maxAgeSeconds],
      );
      await tx.query(
        `DELETE FROM web_sessions WHERE key_id = $1 AND hash IN (
           SELECT hash FROM web_sessions WHERE key_id = $1 ORDER BY created_at DESC OFFSET ${maxSessions})`,
        [keyId],
      );
    });
    return { token, maxAgeSeconds };
  },

  async authenticate(token) {
    const [row] = await sql.query<{ id: number; keyId: number; stale: boolean }>(sessionSql, [hashOf(token)]);
    if (row === undefined)
      throw new AppError('unauthenticated', 'session_ended', 'The session has ended; sign in again.');
    const caller = await callerOfKey(sql, row.keyId);
    if (row.stale) await noteKeyUse(sql, row.keyId);
    return { ...caller, key: { ...caller.key, sessionId: row.id } };
  },

  async end(token) {
    await sql.query('DELETE FROM web_sessions WHERE hash = $1', [hashOf(token)]);
  },
});

/** Deletes expired sessions. @returns their number */
export const removeEndedSessions = async (sql: Sql): Promise<number> => {
  const rows = await sql.query('DELETE FROM web_sessions WHERE expires_at <= now() RETURNING 1 AS one');
  return rows.length;
};

import { randomUUID } from 'node:crypto';
import type { Sql } from '../../storage/postgres/sql.js';

/**
 * Whose turn it is to ask an upstream a question. Several API processes with the same question make one request:
 * the others wait for the answer to be kept. A lease rather than an advisory lock, which would hold a connection of
 * the pool for as long as the upstream takes.
 */
export interface Turns {
  /** False: another process is asking. */
  take(key: string): Promise<boolean>;
  giveBack(key: string): Promise<void>;
  /** Forgets the turns of processes that died. */
  sweep(): Promise<void>;
}

const takeSql = `
  INSERT INTO gateway_turns AS turn (key, owner, until)
  VALUES (decode($1, 'hex'), $2, now() + $3 * interval '1 millisecond')
  ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, until = excluded.until WHERE turn.until < now()
  RETURNING 1`;

export interface TurnsOptions {
  readonly sql: Sql;
  /** A turn ends then by itself: longer than any question takes. */
  readonly leaseMs: number;
}

export const createTurns = ({ sql, leaseMs }: TurnsOptions): Turns => {
  const owner = randomUUID();
  return {
    take: async (key) => (await sql.query(takeSql, [key, owner, leaseMs])).length > 0,
    async giveBack(key) {
      await sql.query(`DELETE FROM gateway_turns WHERE key = decode($1, 'hex') AND owner = $2`, [key, owner]);
    },
    async sweep() {
      await sql.query('DELETE FROM gateway_turns WHERE until < now()');
    },
  };
};

import { randomUUID } from 'node:crypto';
import type { Sql } from '../../storage/postgres/sql.js';

/**
 * Leases on questions to upstreams. Several API processes with the same question make one request:
 * the others wait for the answer to be kept. A lease rather than an advisory lock, which would hold a connection of
 * the pool for as long as the upstream takes.
 */
export interface FetchLeases {
  /** False: another process sends the request. */
  take(key: string): Promise<boolean>;
  giveBack(key: string): Promise<void>;
  /** Gives back what this process holds: it stops. */
  leave(): Promise<void>;
  /** Forgets the leases of processes that died. */
  sweep(): Promise<void>;
}

const takeSql = `
  INSERT INTO gateway_fetch_leases AS lease (key, owner, until)
  VALUES (decode($1, 'hex'), $2, now() + $3 * interval '1 millisecond')
  ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, until = excluded.until WHERE lease.until < now()
  RETURNING 1`;

export interface FetchLeasesOptions {
  readonly sql: Sql;
  /** A lease ends then by itself: longer than any question takes. */
  readonly leaseMs: number;
}

export const createFetchLeases = ({ sql, leaseMs }: FetchLeasesOptions): FetchLeases => {
  const owner = randomUUID();
  return {
    take: async (key) => (await sql.query(takeSql, [key, owner, leaseMs])).length > 0,
    async giveBack(key) {
      await sql.query(`DELETE FROM gateway_fetch_leases WHERE key = decode($1, 'hex') AND owner = $2`, [
        key,
        owner,
      ]);
    },
    async leave() {
      await sql.query('DELETE FROM gateway_fetch_leases WHERE owner = $1', [owner]);
    },
    async sweep() {
      await sql.query('DELETE FROM gateway_fetch_leases WHERE until < now()');
    },
  };
};

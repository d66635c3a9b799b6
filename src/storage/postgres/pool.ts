import pg from 'pg';
import type { Log } from '../../lib/log.js';

const int8Oid = 20;

export interface PoolOptions {
  readonly databaseUrl: string;
  readonly maxConnections: number;
  readonly log: Log;
}

/** 64-bit ids come back as numbers: they are handed out one by one and stay far below 2^53. */
const parseInt8 = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} is beyond 2^53`);
  return value;
};

export const createPool = ({ databaseUrl, maxConnections, log }: PoolOptions): pg.Pool => {
  const types = new pg.TypeOverrides();
  types.setTypeParser(int8Oid, parseInt8);
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: maxConnections,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: 60_000,
    types,
  });
  // An idle connection that breaks (server restarted) is dropped by the pool; the next query opens another.
  pool.on('error', (error) => log.warn({ err: error }, 'idle database connection lost'));
  return pool;
};

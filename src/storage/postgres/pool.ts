import { Socket } from 'node:net';
import pg from 'pg';
import type { Log } from '../../lib/log.js';
import { createWatchdog, type Watchdog } from '../watchdog.js';

const int8Oid = 20;
/** Missing in the types of pg. */
const int8ArrayOid: number = 1016;

interface PoolOptions {
  readonly databaseUrl: string;
  readonly maxConnections: number;
  /** Milliseconds to wait for a connection, new or in use. @default 15000 */
  readonly connectMs?: number;
  /** Milliseconds after which the server cancels a statement. @default 60000 */
  readonly statementMs?: number;
  readonly log: Log;
}

/** 64-bit ids are parsed as numbers: they are allocated one by one and stay far below 2^53. */
const parseInt8 = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} is beyond 2^53`);
  return value;
};

const readArray = pg.types.getTypeParser(int8ArrayOid) as (text: string) => (string | null)[];

const parseInt8Array = (text: string): (number | null)[] =>
  readArray(text).map((item) => (item === null ? null : parseInt8(item)));

export const createPool = ({
  databaseUrl,
  maxConnections,
  connectMs = 15_000,
  statementMs = 60_000,
  log,
}: PoolOptions): pg.Pool => {
  const types = new pg.TypeOverrides();
  types.setTypeParser(int8Oid, parseInt8);
  types.setTypeParser(int8ArrayOid, parseInt8Array);
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementMs,
    types,
  });
  // The pool drops an idle connection that breaks (server restarted); the next query opens another.
  pool.on('error', (error) => log.warn({ err: error }, 'idle database connection lost'));
  return pool;
};

/** Logs in. The signal destroys the socket in any state of the login. */
const logIn = async (databaseUrl: string, signal: AbortSignal): Promise<void> => {
  const socket = new Socket();
  signal.addEventListener('abort', () => socket.destroy(), { once: true });
  const client = new pg.Client({ connectionString: databaseUrl, stream: () => socket });
  client.on('error', () => socket.destroy());
  await client.connect();
  await client.end();
};

interface DatabaseWatchdogOptions {
  readonly databaseUrl: string;
  /** Milliseconds without a reply after which statements fail. */
  readonly silenceMs: number;
}

/** Distinguishes a PostgreSQL server that hangs from a statement that takes long or waits for a lock. */
export const createDatabaseWatchdog = ({ databaseUrl, silenceMs }: DatabaseWatchdogOptions): Watchdog =>
  createWatchdog({
    ping: (signal) => logIn(databaseUrl, signal),
    silenceMs,
    silent: () =>
      Object.assign(new Error(`PostgreSQL has given no sign of life for ${silenceMs} ms`), {
        code: 'ETIMEDOUT',
      }),
  });

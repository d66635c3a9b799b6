import { runner } from 'node-pg-migrate';
import pRetry, { type Options as RetryOptions } from 'p-retry';
import pg from 'pg';
import { explainConnection } from '../../lib/connection-faults.js';
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { appliedMigrations, readSchema, refuseOther } from './schema.js';
import { inTransaction } from './sql.js';

/** Advisory lock id, used for nothing else. Held while migrations run, so that processes that start together wait. */
const migrationLock = 7_228_301_994;

interface MigrateOptions {
  readonly databaseUrl: string;
  readonly log: Log;
  /** Milliseconds to wait for a database that is not up yet. @default 0 */
  readonly waitMs?: number;
  /** Maximum number of migrations to run. @default all */
  readonly most?: number;
  /** @default the migrations of this build */
  readonly folder?: string;
}

/** Error codes of a server that is not up yet: no address, no listener, still starting. */
const notUpYet = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', '57P03']);

/**
 * Error codes of a migration that conflicted with running processes: it waited too long for a lock, or was the victim of a deadlock. It was
 * rolled back and can run again.
 */
const metOthers = new Set(['55P03', '40P01']);

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '');

/** A proxy in front of a server that is not up yet may accept the connection and close it. pg reports that without a code. */
const withCode = (error: Error): Error =>
  error.message === 'Connection terminated unexpectedly'
    ? Object.assign(error, { code: 'ECONNRESET' })
    : error;

const retried = <T>(work: () => Promise<T>, codes: ReadonlySet<string>, options: RetryOptions): Promise<T> =>
  pRetry(work, {
    ...options,
    retries: Number.POSITIVE_INFINITY,
    factor: 1.5,
    minTimeout: 200,
    maxTimeout: 3_000,
    randomize: true,
    shouldRetry: ({ error }) => codes.has(codeOf(error)),
  });

const connect = (databaseUrl: string, waitMs: number, log: Log): Promise<pg.Client> =>
  retried(
    async () => {
      // A client can connect only once.
      const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
      await client.connect().catch((error: Error) => {
        throw withCode(error);
      });
      return client;
    },
    notUpYet,
    {
      maxRetryTime: waitMs,
      onFailedAttempt: ({ error, attemptNumber }) => {
        if (attemptNumber === 1 && notUpYet.has(codeOf(error)))
          log.warn({ reason: messageOf(error), waitMs }, 'waiting for the database');
      },
    },
  );

/**
 * Milliseconds that a migration waits for a lock. Shorter than PostgreSQL's `deadlock_timeout` (one second), so that in a deadlock with
 * running processes the migration is rolled back and none of their transactions is the victim.
 */
const lockWaitMs = 500;

/** Milliseconds for which a migration that conflicts with running processes is retried. */
const giveUpAfterMs = 300_000;

/**
 * Migrates the catalog database to the newest schema, each migration in its own transaction, even while processes of the previous version
 * run. Waits for a database that is starting. There is no down migration: a backup restores the state before an upgrade.
 *
 * @returns names of the migrations that ran
 * @throws AppError of `refuseOther`
 */
export const migrate = async ({
  databaseUrl,
  log,
  waitMs = 0,
  most,
  folder,
}: MigrateOptions): Promise<string[]> => {
  const schema = readSchema(folder);
  const client = await explainConnection('DATABASE_URL', () => connect(databaseUrl, waitMs, log));
  const sql = inTransaction(client);
  const names: string[] = [];
  const run = async (): Promise<void> => {
    const applied = await appliedMigrations(sql);
    try {
      await runner({
        dbClient: client,
        dir: schema.folder,
        direction: 'up',
        migrationsTable: 'schema_migrations',
        ...(most === undefined ? {} : { count: most - names.length }),
        singleTransaction: false,
        noLock: true,
        checkOrder: true,
        logger: {
          debug: (reason: string) => log.debug({ reason }, 'migration step'),
          info: (reason: string) => log.debug({ reason }, 'migration step'),
          warn: (reason: string) => log.warn({ reason }, 'migration step'),
          error: (reason: string) => log.debug({ reason }, 'migration step'),
        },
      });
    } finally {
      // A failed migration has left its transaction open.
      await client.query('ROLLBACK');
      names.push(...(await appliedMigrations(sql)).filter((name) => !applied.includes(name)));
    }
  };
  try {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    await client.query(`SET lock_timeout = ${lockWaitMs}`);
    await refuseOther(sql, schema);
    // The first file of the baseline reads it.
    await client.query(`SELECT set_config('tabulary.baseline', $1, false)`, [schema.baseline]);
    await retried(run, metOthers, {
      maxRetryTime: giveUpAfterMs,
      onFailedAttempt: ({ error }) => {
        if (metOthers.has(codeOf(error)))
          log.warn({ reason: messageOf(error) }, 'migration met running processes, trying again');
      },
    });
    if (names.length > 0) log.info({ migrations: names }, 'database migrated');
    return names;
  } finally {
    // Ends the session, and so releases the lock.
    await client.end();
  }
};

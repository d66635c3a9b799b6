import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pRetry, { type Options as RetryOptions } from 'p-retry';
import pg from 'pg';
import { explainCertificate } from '../../lib/certificate.js';
import { conflict, messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { inTransaction, type Sql } from './sql.js';

/** Any number that nothing else locks; held while migrations run, so that processes that start together wait. */
const migrationLock = 7_228_301_994;

/** The same depth below the root of the package in `src` and in `dist`. */
const folder = fileURLToPath(new URL('../../../migrations', import.meta.url));

export interface MigrateOptions {
  readonly databaseUrl: string;
  readonly log: Log;
  /** Milliseconds for which a database that is not up yet is waited for. @default 0 */
  readonly waitMs?: number;
  /** `down` undoes the last one. @default up */
  readonly direction?: 'up' | 'down';
  /** Most migrations that run upwards. @default all */
  readonly most?: number;
}

/** What one list of names lacks of another. */
const without = (all: ReadonlySet<string>, kept: readonly string[]): string[] =>
  [...all].filter((name) => !kept.includes(name));

/** Names of all migrations of this version, in order. */
export const knownMigrations = (): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .sort();

/** Names of the migrations that the catalog has, in order; none when it was never migrated. */
export const appliedMigrations = async (sql: Sql): Promise<string[]> => {
  const [table] = await sql.query<{ there: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS there`,
  );
  if (table?.there !== true) return [];
  return (await sql.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name')).map(
    ({ name }) => name,
  );
};

/** @throws AppError 409 `newer_database` when a newer version of the product has migrated the catalog. */
const refuseNewer = async (sql: Sql): Promise<void> => {
  const known = new Set(knownMigrations());
  const unknown = (await appliedMigrations(sql)).filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw conflict(
      'newer_database',
      `The database was migrated by a newer version of the product (${unknown.join(', ')} ${unknown.length === 1 ? 'is' : 'are'} not known to this one). Start that version, or restore a backup that was made before. Nothing was changed.`,
    );
};

/** @throws AppError 409 `older_database` when migrations of this version have not run, or as `refuseNewer`. */
export const requireSchema = async (sql: Sql): Promise<void> => {
  await refuseNewer(sql);
  const applied = new Set(await appliedMigrations(sql));
  const missing = knownMigrations().filter((name) => !applied.has(name));
  if (missing.length > 0)
    throw conflict(
      'older_database',
      `The database has an older schema than this version of the product needs (${missing.length} of its migrations have not run, the first is ${missing[0]}). Run the migration (node dist/migrate.js), then start again.`,
    );
};

/** Error codes of a server that is not up yet: no address, no listener, still starting. */
const notUpYet = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', '57P03']);

/**
 * Error codes of a migration that met running processes: it waited too long for a lock, or was the victim of a
 * deadlock. It was rolled back and can run again.
 */
const metOthers = new Set(['55P03', '40P01']);

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '');

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
      // A client connects once.
      const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
      await explainCertificate('DATABASE_URL', () => client.connect());
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
 * Milliseconds that a migration waits for a lock. Below PostgreSQL's `deadlock_timeout` (one second), so that in a
 * deadlock with running processes the migration gives way and none of their transactions is the victim.
 */
const lockWaitMs = 500;

/** Milliseconds for which a migration that meets running processes is tried again. */
const giveUpAfterMs = 300_000;

/**
 * Brings the catalog database to the newest schema, each migration in a transaction of its own, also while processes of
 * the previous version run. A database that is not up yet is waited for.
 *
 * @returns names of the migrations that ran
 * @throws AppError of `refuseNewer`
 */
export const migrate = async ({
  databaseUrl,
  log,
  waitMs = 0,
  direction = 'up',
  most,
}: MigrateOptions): Promise<string[]> => {
  const client = await connect(databaseUrl, waitMs, log);
  const names: string[] = [];
  const run = async (): Promise<void> => {
    const left = most === undefined ? undefined : most - names.length;
    const count = direction === 'down' ? 1 : left;
    const applied = new Set(await appliedMigrations(inTransaction(client)));
    try {
      await runner({
        dbClient: client,
        dir: folder,
        direction,
        migrationsTable: 'schema_migrations',
        ...(count === undefined ? {} : { count }),
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
      // A migration that failed has left its transaction open.
      await client.query('ROLLBACK');
      const now = await appliedMigrations(inTransaction(client));
      names.push(...(direction === 'up' ? now.filter((name) => !applied.has(name)) : without(applied, now)));
    }
  };
  try {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    await client.query(`SET lock_timeout = ${lockWaitMs}`);
    await refuseNewer(inTransaction(client));
    await retried(run, metOthers, {
      maxRetryTime: giveUpAfterMs,
      onFailedAttempt: ({ error }) => {
        if (metOthers.has(codeOf(error)))
          log.warn({ reason: messageOf(error) }, 'migration met running processes, trying again');
      },
    });
    if (names.length > 0) log.info({ migrations: names, direction }, 'database migrated');
    return names;
  } finally {
    // Ends the session, and with it the lock.
    await client.end();
  }
};

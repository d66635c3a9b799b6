import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { explainCertificate } from '../../lib/certificate.js';
import { conflict } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { inTransaction, type Sql } from './sql.js';

/** Any number that nothing else locks; held while migrations run, so that processes that start together wait. */
const migrationLock = 7_228_301_994;

/** The same depth below the root of the package in `src` and in `dist`. */
const folder = fileURLToPath(new URL('../../../migrations', import.meta.url));

export interface MigrateOptions {
  readonly databaseUrl: string;
  readonly log: Log;
  /** `down` undoes the last one. @default up */
  readonly direction?: 'up' | 'down';
  /** Most migrations that run upwards. @default all */
  readonly most?: number;
}

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
export const refuseNewer = async (sql: Sql): Promise<void> => {
  const known = new Set(knownMigrations());
  const unknown = (await appliedMigrations(sql)).filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw conflict(
      'newer_database',
      `The database was migrated by a newer version of the product (${unknown.join(', ')} ${unknown.length === 1 ? 'is' : 'are'} not known to this one). Start that version, or restore a backup that was made before. Nothing was changed.`,
    );
};

/** Brings the catalog database to the newest schema; gives the names of what ran. @throws AppError of `refuseNewer`. */
export const migrate = async ({
  databaseUrl,
  log,
  direction = 'up',
  most,
}: MigrateOptions): Promise<string[]> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await explainCertificate('DATABASE_URL', () => client.connect());
  try {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    await refuseNewer(inTransaction(client));
    const done = await runner({
      dbClient: client,
      dir: folder,
      direction,
      migrationsTable: 'schema_migrations',
      ...(direction === 'down' ? { count: 1 } : most === undefined ? {} : { count: most }),
      noLock: true,
      checkOrder: true,
      logger: {
        debug: (reason: string) => log.debug({ reason }, 'migration step'),
        info: (reason: string) => log.debug({ reason }, 'migration step'),
        warn: (reason: string) => log.warn({ reason }, 'migration step'),
        error: (reason: string) => log.error({ reason }, 'migration step'),
      },
    });
    const names = done.map(({ name }) => name);
    if (names.length > 0) log.info({ migrations: names, direction }, 'database migrated');
    return names;
  } finally {
    // Ends the session, and with it the lock.
    await client.end();
  }
};

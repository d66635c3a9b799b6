/** The schema that the files in `migrations` create, and checks that the catalog database has it. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { conflict } from '../../lib/errors.js';
import { projectPath } from '../../lib/project-path.js';
import { readSetting } from './settings.js';
import type { Sql } from './sql.js';

const migrations = projectPath('migrations');

interface Schema {
  readonly folder: string;
  /** Names of all migrations, in order. */
  readonly names: readonly string[];
  /** Hash of the names and contents of the baseline: the files that create a new database. */
  readonly baseline: string;
}

/** Prefix of baseline files. Names of later migrations start with the time at which they were written. */
const baselineFile = /^0/;

/** Reads a folder of migrations. @default the folder of this build */
export const readSchema = (folder = migrations): Schema => {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort();
  const hash = createHash('sha256');
  for (const file of files.filter((name) => baselineFile.test(name)))
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(folder, file)))
      .update('\0');
  return {
    folder,
    names: files.map((file) => file.slice(0, -'.sql'.length)),
    baseline: hash.digest('hex').slice(0, 16),
  };
};

export const hasTable = async (sql: Sql, name: string): Promise<boolean> => {
  const [table] = await sql.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [name]);
  return table?.there === true;
};

/** Names of the migrations that were applied to the catalog, in order; none if it was never migrated. */
export const appliedMigrations = async (sql: Sql): Promise<string[]> => {
  if (!(await hasTable(sql, 'schema_migrations'))) return [];
  return (await sql.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name')).map(
    ({ name }) => name,
  );
};

/** The baseline that created the catalog; undefined for a build that did not record it. */
const readBaseline = async (sql: Sql): Promise<string | undefined> =>
  (await hasTable(sql, 'settings')) ? readSetting(sql, 'schema_baseline') : undefined;

/**
 * @throws AppError 409 `other_baseline` if another baseline created the catalog, `newer_database` if a newer version of the product has
 *   migrated it.
 */
export const refuseOther = async (sql: Sql, { names, baseline }: Schema): Promise<void> => {
  const applied = await appliedMigrations(sql);
  if (applied.length > 0 && (await readBaseline(sql)) !== baseline)
    throw conflict(
      'other_baseline',
      'The database was created by another build of the product, which this one cannot upgrade: start with an empty data folder (DATA_DIR), or with empty databases of PostgreSQL and ClickHouse, or run the build that created it. Nothing was changed.',
    );
  const unknown = applied.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw conflict(
      'newer_database',
      `The database was migrated by a newer version of the product (${unknown.join(', ')} ${unknown.length === 1 ? 'is' : 'are'} not known to this one). Start that version, or restore a backup that was made before. Nothing was changed.`,
    );
};

/** @throws AppError 409 `older_database` if migrations of this version have not run, or the errors of `refuseOther`. */
export const requireSchema = async (sql: Sql): Promise<void> => {
  const schema = readSchema();
  await refuseOther(sql, schema);
  const applied = new Set(await appliedMigrations(sql));
  const missing = schema.names.filter((name) => !applied.has(name));
  if (missing.length > 0)
    throw conflict(
      'older_database',
      `The database has an older schema than this version of the product needs (${missing.length} of its migrations have not run, the first is ${missing[0]}). Run the migration (node dist/migrate.js), then start again.`,
    );
};

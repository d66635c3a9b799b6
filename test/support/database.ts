import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { silentLog } from '../../src/lib/log.js';
import { migrate } from '../../src/storage/postgres/migrate.js';

export interface FreshDatabase {
  readonly databaseUrl: string;
  drop(): Promise<void>;
}

const onServer = async (databaseUrl: string, statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
};

/** A database without a schema beside the given one. */
export const createEmptyDatabase = async (databaseUrl: string): Promise<FreshDatabase> => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(databaseUrl, `CREATE DATABASE ${name}`);
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return {
    databaseUrl: url.href,
    drop: () => onServer(databaseUrl, `DROP DATABASE ${name} WITH (FORCE)`),
  };
};

/** A migrated database of its own beside the given one, so that files do not see each other. */
export const createDatabase = async (databaseUrl: string): Promise<FreshDatabase> => {
  const database = await createEmptyDatabase(databaseUrl);
  await migrate({ databaseUrl: database.databaseUrl, log: silentLog });
  return database;
};

import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface FreshDatabase {
  readonly name: string;
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

/** Creates a database on the server of the given URL, empty or as a copy of `template`. */
export const createEmptyDatabase = async (
  databaseUrl: string,
  { name = `test_${randomBytes(6).toString('hex')}`, template = 'template1' } = {},
): Promise<FreshDatabase> => {
  await onServer(databaseUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return {
    name,
    databaseUrl: url.href,
    drop: () => onServer(databaseUrl, `DROP DATABASE ${name} WITH (FORCE)`),
  };
};

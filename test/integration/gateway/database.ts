import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { migrate } from '../../../src/storage/postgres/migrate.js';
import { createPool } from '../../../src/storage/postgres/pool.js';
import { createSql, type Sql } from '../../../src/storage/postgres/sql.js';

export interface TestDatabase {
  readonly sql: Sql;
  /** Opens a second pool, as another process has. */
  other(): Sql;
  /** Creates an account for keys. */
  addAccount(name: string): Promise<number>;
  /** Dumps the gateway's tables as text, to search for values that must not be stored. */
  dump(): Promise<string>;
  close(): Promise<void>;
}

const gatewayTables = [
  'gateway_pace',
  'gateway_usage',
  'gateway_cache',
  'gateway_items',
  'gateway_fillings',
  'user_keys',
];

const runOnce = async (databaseUrl: string, text: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(text).finally(() => client.end());
};

/** Creates a migrated database. */
export const openDatabase = async (): Promise<TestDatabase> => {
  const server = inject('databaseUrl');
  const name = `gateway_${randomBytes(6).toString('hex')}`;
  await runOnce(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  await migrate({ databaseUrl: url.href, log: silentLog });
  const pools: pg.Pool[] = [];
  const connect = (): Sql => {
    const pool = createPool({ databaseUrl: url.href, maxConnections: 8, log: silentLog });
    pools.push(pool);
    return createSql(pool);
  };
  const sql = connect();

  return {
    sql,
    other: connect,
    async addAccount(account) {
      const [row] = await sql.query<{ id: number }>(
        `INSERT INTO accounts (name, plan) VALUES ($1, 'unlimited') RETURNING id`,
        [account],
      );
      return row?.id ?? 0;
    },
    async dump() {
      const texts: string[] = [];
      for (const table of gatewayTables) {
        const rows = await sql.query<{ text: string }>(
          `SELECT row_to_json(t)::text AS text FROM ${table} AS t`,
        );
        texts.push(...rows.map(({ text }) => text));
      }
      return texts.join('\n');
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.end()));
      await runOnce(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
};

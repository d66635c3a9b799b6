/** Data that version 0.1.0 made, put back as its PostgreSQL and ClickHouse held it: test/fixtures/upgrade-0.1.0. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { clickHouseText, withoutCredentials } from './clickhouse-http.js';

/** What 0.1.0 answered. */
export interface EarlierAnswer {
  /** Name of the account that asked; null: nobody. */
  readonly account: string | null;
  /** Path below `/api`, with its query. */
  readonly path: string;
  /** 302: the link was followed. */
  readonly status: number;
  readonly kind: 'bytes' | 'json';
  /** Text, or the JSON value. */
  readonly body: unknown;
}

export interface EarlierAnswers {
  /** API keys by the names of their accounts, and `reader`: another one of ada. */
  readonly keys: Readonly<Record<'ada' | 'bob' | 'reader', string>>;
  readonly answers: readonly EarlierAnswer[];
}

interface Catalog {
  readonly sequences: Readonly<Record<string, number>>;
  readonly tables: Readonly<Record<string, readonly unknown[]>>;
}

interface StoredTable {
  /** With `{database}` in place of its database. */
  readonly create: string;
  readonly rows: number;
}

const folder = new URL('../fixtures/upgrade-0.1.0/', import.meta.url);
const textOf = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const packedJson = <T>(name: string): T =>
  JSON.parse(gunzipSync(readFileSync(new URL(name, folder))).toString('utf8')) as T;

export const earlierAnswers = (): EarlierAnswers => packedJson('answers.json.gz');

const loadCatalog = async (databaseUrl: string): Promise<void> => {
  const { sequences, tables } = packedJson<Catalog>('catalog.json.gz');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(textOf('schema.sql'));
    await client.query(
      'CREATE TABLE schema_migrations (id serial PRIMARY KEY, name varchar(255) NOT NULL, run_on timestamp NOT NULL)',
    );
    // Rows come in no order that foreign keys would like.
    await client.query('SET session_replication_role = replica');
    for (const [table, rows] of Object.entries(tables)) {
      const { rows: columns } = await client.query<{ name: string }>(
        `SELECT quote_ident(column_name) AS name FROM information_schema.columns
         WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER'`,
        [table],
      );
      // The migrations have put rows of their own into some.
      await client.query(`DELETE FROM ${table}`);
      const list = columns.map(({ name }) => name).join();
      await client.query(
        `INSERT INTO ${table} (${list}) OVERRIDING SYSTEM VALUE
         SELECT ${list} FROM jsonb_populate_recordset(null::${table}, $1)`,
        [JSON.stringify(rows)],
      );
    }
    for (const [name, last] of Object.entries(sequences))
      await client.query('SELECT setval($1, $2)', [name, last]);
  } finally {
    await client.end();
  }
};

const insertRows = async (url: string, statement: string, packed: Buffer): Promise<void> => {
  const { address, headers } = withoutCredentials(url);
  address.searchParams.set('query', statement);
  const answer = await fetch(address, {
    method: 'POST',
    headers: { ...headers, 'content-encoding': 'zstd' },
    body: packed as Uint8Array<ArrayBuffer>,
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`ClickHouse answered ${answer.status}: ${text.slice(0, 600)}`);
};

const loadRows = async (clickhouseUrl: string, database: string): Promise<void> => {
  const run = (sql: string) => clickHouseText(clickhouseUrl, { sql });
  await run(`CREATE DATABASE ${database}`);
  const tables = JSON.parse(textOf('clickhouse/tables.json')) as Record<string, StoredTable>;
  const files = new Set(readdirSync(fileURLToPath(new URL('clickhouse', folder))));
  for (const [table, { create, rows }] of Object.entries(tables)) {
    await run(create.replaceAll('{database}', database));
    const file = `${table}.native.zst`;
    if (files.has(file) !== rows > 0) throw new Error(`${file} does not go with ${rows} rows`);
    if (rows === 0) continue;
    const packed = readFileSync(new URL(`clickhouse/${file}`, folder));
    await insertRows(clickhouseUrl, `INSERT INTO ${database}.${table} FORMAT Native`, packed);
  }
};

/** Fills an empty database of PostgreSQL, and makes that of ClickHouse. */
export const loadEarlierVersion = async (places: {
  readonly databaseUrl: string;
  readonly clickhouseUrl: string;
  readonly clickhouseDatabase: string;
}): Promise<void> => {
  await loadCatalog(places.databaseUrl);
  await loadRows(places.clickhouseUrl, places.clickhouseDatabase);
};

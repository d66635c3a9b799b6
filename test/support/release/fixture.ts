/** Dump of a release's PostgreSQL and ClickHouse data: written by `npm run release-fixture`, loaded by the upgrade test. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { silentLog } from '../../../src/lib/log.js';
import { migrate } from '../../../src/storage/postgres/migrate.js';
import { readSchema } from '../../../src/storage/postgres/schema.js';
import { clickHouseText, withoutCredentials } from '../clickhouse-http.js';
import type { PreparedPlaces } from '../product.js';
import type { RecordedAnswer } from './answers.js';
import type { AccountName } from './story.js';

/** Release whose data this build upgrades. */
export const earlierRelease = '0.3.0';

const folder = new URL(`../../fixtures/release-${earlierRelease}/`, import.meta.url);

export interface RecordedAnswers {
  readonly keys: Readonly<Record<AccountName, string>>;
  readonly answers: readonly RecordedAnswer[];
}

interface Catalog {
  /** Migrations of the release. This build must have them too: released migrations are never edited. */
  readonly migrations: readonly string[];
  readonly sequences: Readonly<Record<string, number>>;
  readonly tables: Readonly<Record<string, readonly unknown[]>>;
}

interface StoredTable {
  readonly name: string;
  /** CREATE statement with the placeholder `{database}`. */
  readonly create: string;
  /** Rows in Native format, as Base64. */
  readonly rows: string;
}

const write = (name: string, value: unknown): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name}.json.gz`, folder), gzipSync(JSON.stringify(value), { level: 9 }));
};

const read = <T>(name: string): T =>
  JSON.parse(gunzipSync(readFileSync(new URL(`${name}.json.gz`, folder))).toString('utf8')) as T;

export const recordedAnswers = (): RecordedAnswers => read('answers');

const withClient = async <T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const tableNames = async (client: pg.Client): Promise<string[]> =>
  (
    await client.query<{ name: string }>(
      `SELECT quote_ident(relname) AS name FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`,
    )
  ).rows.map(({ name }) => name);

const readCatalog = (databaseUrl: string): Promise<Catalog> =>
  withClient(databaseUrl, async (client) => {
    const tables: Record<string, unknown[]> = {};
    for (const table of await tableNames(client)) {
      // As text, since JavaScript numbers would lose digits.
      const { rows } = await client.query<{ text: string }>(
        `SELECT to_jsonb(t)::text AS text FROM ${table} t`,
      );
      tables[table] = rows.map(({ text }) => text);
    }
    const { rows: sequences } = await client.query<{ name: string; last: string }>(
      'SELECT sequencename AS name, last_value::text AS last FROM pg_sequences WHERE last_value IS NOT NULL',
    );
    const { rows: applied } = await client.query<{ name: string }>(
      'SELECT name FROM schema_migrations ORDER BY name',
    );
    return {
      migrations: applied.map(({ name }) => name),
      sequences: Object.fromEntries(sequences.map(({ name, last }) => [name, Number(last)])),
      tables,
    };
  });

const readTables = async (url: string, database: string): Promise<StoredTable[]> => {
  const names = (await clickHouseText(url, { sql: `SHOW TABLES FROM ${database}` }))
    .split('\n')
    .filter(Boolean);
  const tables: StoredTable[] = [];
  for (const name of names) {
    const create = await clickHouseText(url, { sql: `SHOW CREATE TABLE ${database}.${name} FORMAT TSVRaw` });
    const { address, headers } = withoutCredentials(url);
    address.searchParams.set('query', `SELECT * FROM ${database}.${name} FORMAT Native`);
    const answer = await fetch(address, { headers });
    if (!answer.ok) throw new Error(`${name}: ${await answer.text()}`);
    const rows = Buffer.from(await answer.arrayBuffer()).toString('base64');
    tables.push({ name, create: create.trim().replaceAll(`${database}.`, '{database}.'), rows });
  }
  return tables;
};

/** Writes the fixture of this build. */
export const writeFixture = async (
  { databaseUrl, clickhouseUrl, clickhouseDatabase }: PreparedPlaces,
  recorded: RecordedAnswers,
): Promise<void> => {
  write('answers', recorded);
  write('catalog', await readCatalog(databaseUrl));
  write('tables', await readTables(clickhouseUrl, clickhouseDatabase));
};

const loadCatalog = async (databaseUrl: string): Promise<void> => {
  const { migrations, sequences, tables } = read<Catalog>('catalog');
  if (readSchema().names.slice(0, migrations.length).join() !== migrations.join())
    throw new Error(`migrations of ${earlierRelease} are missing from this build`);
  await migrate({ databaseUrl, log: silentLog, most: migrations.length });
  await withClient(databaseUrl, async (client) => {
    // Disables foreign keys, because the order of the rows violates them.
    await client.query('SET session_replication_role = replica');
    // Some migrations insert rows.
    for (const table of await tableNames(client)) await client.query(`DELETE FROM ${table}`);
    for (const [table, rows] of Object.entries(tables)) {
      const { rows: columns } = await client.query<{ name: string }>(
        `SELECT quote_ident(column_name) AS name FROM information_schema.columns
         WHERE table_schema = 'public' AND quote_ident(table_name) = $1 AND is_generated = 'NEVER'`,
        [table],
      );
      const list = columns.map(({ name }) => name).join();
      await client.query(
        `INSERT INTO ${table} (${list}) OVERRIDING SYSTEM VALUE
         SELECT ${list} FROM jsonb_populate_recordset(null::${table}, $1)`,
        [`[${rows.join()}]`],
      );
    }
    for (const [name, last] of Object.entries(sequences))
      await client.query('SELECT setval($1, $2)', [name, last]);
  });
};

const loadRows = async (url: string, database: string): Promise<void> => {
  await clickHouseText(url, { sql: `CREATE DATABASE ${database}` });
  for (const { name, create, rows } of read<StoredTable[]>('tables')) {
    await clickHouseText(url, { sql: create.replaceAll('{database}', database) });
    if (rows === '') continue;
    const { address, headers } = withoutCredentials(url);
    address.searchParams.set('query', `INSERT INTO ${database}.${name} FORMAT Native`);
    const answer = await fetch(address, { method: 'POST', headers, body: Buffer.from(rows, 'base64') });
    if (!answer.ok) throw new Error(`${name}: ${await answer.text()}`);
  }
};

/** Loads the fixture into an empty PostgreSQL database and a new ClickHouse database. */
export const loadFixture = async (places: PreparedPlaces): Promise<void> => {
  await loadCatalog(places.databaseUrl);
  await loadRows(places.clickhouseUrl, places.clickhouseDatabase);
};

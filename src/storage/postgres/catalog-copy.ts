/** Copies the whole catalog with PostgreSQL's COPY: reads it in one snapshot, and writes it in one transaction. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { inTransaction, type Sql } from './sql.js';

interface CatalogTable {
  readonly name: string;
  /** Columns, without generated ones. */
  readonly columns: readonly string[];
}

interface CatalogSequence {
  readonly table: string;
  readonly column: string;
  /** The last allocated number; 0: none. */
  readonly value: number;
}

export interface CatalogSnapshot {
  readonly sql: Sql;
  /** Tables in the order of references. */
  readonly tables: readonly CatalogTable[];
  readonly sequences: readonly CatalogSequence[];
  /** Rows of a table in COPY's text format. `rows()` is known at the end. */
  read(table: CatalogTable): { readonly source: Readable; rows(): number };
}

/**
 * Tables that a restore empties: answers of providers, which are fetched again; jobs, which processes register at start; copies for
 * reading, which are made again.
 */
const emptied = ['gateway_cache', 'jobs', 'read_copies'];

/** Tables that are not copied: these, and the record of migrations. */
const leftOut = [...emptied, 'schema_migrations'];

const tablesSql = `
  SELECT c.relname AS name, (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
    (SELECT coalesce(array_agg(DISTINCT f.relname::text), '{}') FROM pg_constraint k JOIN pg_class f ON f.oid = k.confrelid
     WHERE k.conrelid = c.oid AND k.contype = 'f' AND f.oid <> c.oid) AS needs
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = current_schema() AND c.relkind = 'r' AND c.relpersistence = 'p' AND c.relname <> ALL ($1)
  ORDER BY c.relname`;

const sequencesSql = `
  SELECT c.relname AS "table", a.attname AS "column", coalesce(pg_sequence_last_value(
    pg_get_serial_sequence(quote_ident(c.relname), a.attname)::regclass), 0) AS value
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = current_schema() AND c.relkind = 'r' AND a.attidentity <> '' ORDER BY 1, 2`;

const inOrder = (tables: readonly (CatalogTable & { needs: readonly string[] })[]): CatalogTable[] => {
  const ordered: CatalogTable[] = [];
  const done = new Set<string>();
  for (let left = [...tables]; left.length > 0; ) {
    const ready = left.filter(({ needs }) => needs.every((name) => done.has(name)));
    if (ready.length === 0)
      throw new Error(`tables refer to each other: ${left.map(({ name }) => name).join(', ')}`);
    for (const { name, columns } of ready) {
      ordered.push({ name, columns });
      done.add(name);
    }
    left = left.filter(({ name }) => !done.has(name));
  }
  return ordered;
};

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const target = ({ name, columns }: CatalogTable): string =>
  `${quoted(name)} (${columns.map(quoted).join(', ')})`;

export const catalogTables = async (sql: Sql): Promise<CatalogTable[]> =>
  inOrder(await sql.query<CatalogTable & { needs: string[] }>(tablesSql, [leftOut]));

const connected = async <T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const types = new pg.TypeOverrides();
  types.setTypeParser(20, Number);
  const client = new pg.Client({ connectionString: databaseUrl, keepAlive: true, types });
  // A broken connection fails the current statement, or the next one.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    // An open transaction is rolled back.
    await client.end();
  }
};

const withClient = <T>(
  databaseUrl: string,
  begin: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> =>
  connected(databaseUrl, async (client) => {
    await client.query(begin);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  });

/** Runs `work` in one snapshot, so that everything it reads is consistent. */
export const withCatalogSnapshot = <T>(
  databaseUrl: string,
  work: (snapshot: CatalogSnapshot) => Promise<T>,
): Promise<T> =>
  withClient(databaseUrl, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async (client) => {
    const sql = inTransaction(client);
    const tables = await catalogTables(sql);
    return work({
      sql,
      tables,
      // Sequences are not transactional: these numbers are those of the snapshot, or later ones.
      sequences: await sql.query<CatalogSequence>(sequencesSql),
      read(table) {
        const source = client.query(copyTo(`COPY ${target(table)} TO STDOUT`));
        return { source, rows: () => source.rowCount };
      },
    });
  });

export interface CatalogLoad {
  readonly sql: Sql;
  /** Empties all tables. */
  empty(tables: readonly CatalogTable[]): Promise<void>;
  /** Returns the number of rows. */
  write(table: CatalogTable, source: Readable): Promise<number>;
  /** Advances the sequences beyond the allocated ids, with a gap. */
  advance(sequence: CatalogSequence, by: number): Promise<void>;
}

/** Loads all or nothing. Triggers of the schema do not run, since the rows that they would write are copied as well. */
export const loadCatalog = <T>(databaseUrl: string, work: (load: CatalogLoad) => Promise<T>): Promise<T> =>
  withClient(databaseUrl, 'BEGIN', async (client) => {
    const sql = inTransaction(client);
    // Rows are loaded into ClickHouse meanwhile.
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    return work({
      sql,
      async empty(tables) {
        await client.query(`TRUNCATE ${[...tables.map(({ name }) => quoted(name)), ...emptied].join(', ')}`);
      },
      async write(table, source) {
        await client.query(`ALTER TABLE ${quoted(table.name)} DISABLE TRIGGER USER`);
        const copy = client.query(copyFrom(`COPY ${target(table)} FROM STDIN`));
        await pipeline(source, copy);
        await client.query(`ALTER TABLE ${quoted(table.name)} ENABLE TRIGGER USER`);
        return copy.rowCount;
      },
      async advance({ table, column, value }, by) {
        await client.query(`SELECT setval(pg_get_serial_sequence(quote_ident($1), $2), $3)`, [
          table,
          column,
          value + by,
        ]);
      },
    });
  });

/** One connection, on which rows of a backup are checked before they become part of the catalog. */
export interface CatalogSession {
  readonly sql: Sql;
  tx<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
  /** Runs `work` in the open transaction and rolls its changes back. */
  rehearse(work: () => Promise<unknown>): Promise<void>;
  /** Copies rows into a temporary table `saved_…` with the columns of a table of the catalog. */
  save(table: CatalogTable, source: Readable): Promise<void>;
}

export const withCatalogSession = <T>(
  databaseUrl: string,
  work: (session: CatalogSession) => Promise<T>,
): Promise<T> =>
  connected(databaseUrl, (client) => {
    const sql = inTransaction(client);
    return work({
      sql,
      async tx(inside) {
        await client.query('BEGIN');
        try {
          const result = await inside(sql);
          await client.query('COMMIT');
          return result;
        } catch (error) {
          await client.query('ROLLBACK');
          throw error;
        }
      },
      async rehearse(inside) {
        await client.query('SAVEPOINT rehearsal');
        await inside();
        await client.query('ROLLBACK TO SAVEPOINT rehearsal');
      },
      async save({ name, columns }, source) {
        const saved = { name: `saved_${name}`, columns };
        await client.query(
          `CREATE TEMP TABLE ${quoted(saved.name)} AS SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(name)} WITH NO DATA`,
        );
        await pipeline(source, client.query(copyFrom(`COPY ${target(saved)} FROM STDIN`)));
      },
    });
  });

/** The same file and queries in other databases, in a table named `peers`. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DuckDBInstance } from '@duckdb/node-api';
import { parse } from 'csv-parse/sync';
import sqlite from 'node-sqlite3-wasm';
import { fileContent, send } from '../support/client.js';
import type { RunningProduct } from '../support/product.js';
import { fetchAll, queryClickHouse } from '../support/requests.js';
import type { TableFile } from '../support/table-file.js';
import type { AnswerForm } from './questions.js';

export interface Database {
  readonly name: string;
  /** Maximum number of turns, for a database that takes minutes in each. @default all */
  readonly maxTurns?: number;
  /** Reads the file into the empty table. */
  load(): Promise<void>;
  /** Reads the whole result; returns false if the database cannot write the form. */
  query(sql: string, form: AnswerForm): Promise<boolean>;
}

type Undo = (name: string, undo: () => Promise<void> | void) => Promise<void>;

/** Column types as an analyst would declare them: not Nullable. */
const columns = 'date Date32, country String, indicator String, value Float64, share Float64, count Float64';

const outputs = { values: 'JSONEachRow', csv: 'CSVWithNames', json: 'JSONEachRow' } as const;

/** Plain table on the product's ClickHouse server, queried by the same HTTP client. */
export const plainClickHouse = async (
  { clickhouseUrl }: RunningProduct,
  { path }: TableFile,
  defer: Undo,
): Promise<Database> => {
  const drop = async (): Promise<void> => {
    await queryClickHouse(clickhouseUrl, 'DROP TABLE IF EXISTS default.peers SYNC');
  };
  await defer('the plain table', drop);
  const insert = encodeURIComponent('INSERT INTO default.peers FORMAT CSVWithNames');
  return {
    name: `ClickHouse ${await queryClickHouse(clickhouseUrl, 'SELECT version()')}, plain table`,
    async load() {
      await drop();
      const create = `CREATE TABLE default.peers (${columns}) ENGINE = MergeTree ORDER BY tuple()`;
      await queryClickHouse(clickhouseUrl, create);
      const content = Readable.from(fileContent(path), { objectMode: false, highWaterMark: 1 << 20 });
      await send('POST', `${clickhouseUrl}/?query=${insert}`, {}, content);
    },
    async query(sql, form) {
      const body = `${sql} FORMAT ${outputs[form]} SETTINGS output_format_json_array_of_rows = 1`;
      const { status } = await fetchAll(`${clickhouseUrl}/?database=default`, { body });
      if (status !== 200) throw new Error(`${sql}: ClickHouse answered ${status}`);
      return true;
    },
  };
};

/** Runs in the process of the bench with a database file; writes CSV and JSON results to a file. */
export const duckDb = async ({ path }: TableFile, defer: Undo): Promise<Database> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-peers-'));
  await defer('files of DuckDB', () => rmSync(folder, { recursive: true, force: true }));
  const instance = await DuckDBInstance.create(join(folder, 'peers.duckdb'));
  const connection = await instance.connect();
  await defer('DuckDB', () => {
    connection.closeSync();
    instance.closeSync();
  });
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRows();
  const [[version] = []] = await read('SELECT version()');
  const forms = { csv: 'FORMAT csv, HEADER', json: 'FORMAT json, ARRAY true' } as const;
  return {
    name: `DuckDB ${String(version)}, local file`,
    async load() {
      await connection.run(`CREATE OR REPLACE TABLE peers AS SELECT * FROM read_csv('${path}')`);
      await connection.run('CHECKPOINT');
    },
    async query(sql, form) {
      if (form === 'values') await read(sql);
      else await connection.run(`COPY (${sql}) TO '${join(folder, 'answer')}' (${forms[form]})`);
      return true;
    },
  };
};

/** Rows parsed per batch. */
const batchRows = 50_000;

/** WebAssembly build in the process of the bench, without an index; it cannot read or write CSV or JSON files. */
export const sqliteDatabase = async ({ path }: TableFile, defer: Undo): Promise<Database> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-peers-'));
  await defer('files of SQLite', () => rmSync(folder, { recursive: true, force: true }));
  const database = new sqlite.Database(join(folder, 'peers.sqlite'));
  await defer('SQLite', () => database.close());
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  return {
    name: `SQLite ${String(database.get('SELECT sqlite_version() AS v')?.v)}, WebAssembly`,
    maxTurns: 1,
    async load() {
      database.exec('DROP TABLE IF EXISTS peers');
      database.exec(
        'CREATE TABLE peers (date TEXT, country TEXT, indicator TEXT, value REAL, share REAL, count REAL)',
      );
      const insert = database.prepare('INSERT INTO peers VALUES (?, ?, ?, ?, ?, ?)');
      const lines = readFileSync(path, 'utf8').split('\n').slice(1);
      database.exec('BEGIN');
      for (let from = 0; from < lines.length; from += batchRows) {
        const rows: string[][] = parse(lines.slice(from, from + batchRows).join('\n'));
        for (const [date, country, indicator, ...numbers] of rows)
          insert.run([date ?? '', country ?? '', indicator ?? '', ...numbers.map(Number)]);
      }
      database.exec('COMMIT');
      insert.finalize();
    },
    async query(sql, form) {
      if (form !== 'values') return false;
      database.all(sql);
      return true;
    },
  };
};

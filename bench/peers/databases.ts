/** The same file and the same questions in other databases. Each holds the rows as `peers`. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DuckDBInstance } from '@duckdb/node-api';
import { parse } from 'csv-parse/sync';
import sqlite from 'node-sqlite3-wasm';
import { fileContent, send } from '../support/client.js';
import type { RunningProduct } from '../support/product.js';
import { askClickHouse, fetchAll } from '../support/requests.js';
import type { TableFile } from '../support/table-file.js';
import type { AnswerForm } from './questions.js';

export interface Database {
  readonly name: string;
  /** Turns after which it is neither loaded nor asked any more: one that takes minutes would keep the others. @default all */
  readonly maxTurns?: number;
  /** Reads the file into the empty table. */
  load(): Promise<void>;
  /** Reads the whole answer; false for a form that the database has no writer for. */
  ask(sql: string, form: AnswerForm): Promise<boolean>;
}

type Undo = (name: string, undo: () => Promise<void> | void) => Promise<void>;

/** As an analyst declares them: none is Nullable. */
const columns = 'date Date32, country String, indicator String, value Float64, share Float64, count Float64';

const outputs = { values: 'JSONEachRow', csv: 'CSVWithNames', json: 'JSONEachRow' } as const;

/** A plain table on the server that the product uses, by the same HTTP client. */
export const plainClickHouse = async (
  { clickhouseUrl }: RunningProduct,
  { path }: TableFile,
  defer: Undo,
): Promise<Database> => {
  const drop = async (): Promise<void> => {
    await askClickHouse(clickhouseUrl, 'DROP TABLE IF EXISTS default.peers SYNC');
  };
  await defer('the plain table', drop);
  const insert = encodeURIComponent('INSERT INTO default.peers FORMAT CSVWithNames');
  return {
    name: `ClickHouse ${await askClickHouse(clickhouseUrl, 'SELECT version()')}, plain table`,
    async load() {
      await drop();
      const create = `CREATE TABLE default.peers (${columns}) ENGINE = MergeTree ORDER BY tuple()`;
      await askClickHouse(clickhouseUrl, create);
      const content = Readable.from(fileContent(path), { objectMode: false, highWaterMark: 1 << 20 });
      await send('POST', `${clickhouseUrl}/?query=${insert}`, {}, content);
    },
    async ask(sql, form) {
      const body = `${sql} FORMAT ${outputs[form]} SETTINGS output_format_json_array_of_rows = 1`;
      const { status } = await fetchAll(`${clickhouseUrl}/?database=default`, { body });
      if (status !== 200) throw new Error(`${sql}: ClickHouse answered ${status}`);
      return true;
    },
  };
};

/** In the process of the bench; its database is a file, and so are answers in a form. */
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
    async ask(sql, form) {
      if (form === 'values') await read(sql);
      else await connection.run(`COPY (${sql}) TO '${join(folder, 'answer')}' (${forms[form]})`);
      return true;
    },
  };
};

/** Rows that are parsed at a time. */
const batchRows = 50_000;

/** The WebAssembly build, in the process of the bench, without an index. It has no reader and no writer of files. */
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
    async ask(sql, form) {
      if (form !== 'values') return false;
      database.all(sql);
      return true;
    },
  };
};

/** The same changes in other databases: ClickHouse with a copy per version, DuckDB in place; SQLite for its size only. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import sqlite from 'node-sqlite3-wasm';
import type { RunningProduct } from '../support/product.js';
import { queryClickHouse } from '../support/requests.js';
import { scatteredSql, series, type TableShape, valueNames, valueSql } from './rows.js';

/** Duration of a change, and growth of the database. */
export interface OtherChange {
  readonly seconds: number;
  readonly bytes: number;
}

export interface OtherDatabase {
  readonly name: string;
  /** Bytes of the unchanged table. */
  readonly baseBytes: number;
  /** Replaces the values of `count` rows spread over the table. */
  upsert(count: number, revision: number): Promise<OtherChange>;
  /** Seconds to sum all rows by day. */
  aggregate(): Promise<number>;
}

type Undo = (name: string, undo: () => Promise<void> | void) => Promise<void>;

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
};

/** SQL for every numeric column, joined with commas. */
const forEach = (shape: TableShape, sql: (name: string, at: number) => string): string =>
  valueNames(shape).map(sql).join(', ');

const sumByDay = 'SELECT day, sum(v0) FROM';

/** One table per version, filled by `INSERT … SELECT`: the plain way to keep versions. */
export const plainClickHouse = async (
  { clickhouseUrl }: RunningProduct,
  shape: TableShape,
  defer: Undo,
): Promise<OtherDatabase> => {
  const ask = (sql: string): Promise<string> => queryClickHouse(clickhouseUrl, sql);
  const tables: string[] = [];
  const create = async (): Promise<string> => {
    const table = `default.changes_${shape.values}_${tables.length}`;
    await ask(`DROP TABLE IF EXISTS ${table} SYNC`);
    await ask(
      `CREATE TABLE ${table} (day Nullable(Date32), series Nullable(String), ${forEach(shape, (name) => `${name} Nullable(Float64)`)})
       ENGINE = MergeTree ORDER BY tuple()`,
    );
    tables.push(table);
    return table;
  };
  await defer('tables of plain ClickHouse', async () => {
    for (const table of tables) await ask(`DROP TABLE IF EXISTS ${table} SYNC`);
  });
  const sizeOf = async (table: string): Promise<number> =>
    Number(
      await ask(
        `SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database || '.' || table = '${table}'`,
      ),
    );
  const rowsSql = (revision: number, condition: string): string =>
    `SELECT toDate32('2000-01-01') + intDiv(number, ${series}) AS day, concat('series ', toString(number % ${series})) AS series,
       ${forEach(shape, (name, at) => `${valueSql('number', revision, at)} AS ${name}`)}
     FROM numbers(${shape.rows}) WHERE ${condition}`;
  const base = await create();
  await ask(`INSERT INTO ${base} ${rowsSql(0, 'true')}`);
  return {
    name: 'INSERT … SELECT of ClickHouse',
    baseBytes: await sizeOf(base),
    async upsert(count, revision) {
      const table = await create();
      const changes = rowsSql(revision, scatteredSql('number', shape.rows, count, revision));
      const seconds = await timed(() =>
        ask(
          `INSERT INTO ${table} WITH changes AS (${changes})
           SELECT * FROM ${base} WHERE (day, series) NOT IN (SELECT day, series FROM changes)
           UNION ALL SELECT * FROM changes`,
        ),
      );
      const bytes = await sizeOf(table);
      await ask(`DROP TABLE ${table} SYNC`);
      return { seconds, bytes };
    },
    aggregate: () => timed(() => ask(`${sumByDay} ${base} GROUP BY day FORMAT Null`)),
  };
};

const sizesOf = (...paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);

/** Updates in place, without keeping old values. */
export const duckDb = async (shape: TableShape, defer: Undo): Promise<OtherDatabase> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-duckdb-'));
  await defer('files of DuckDB', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'changes.duckdb');
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await defer('DuckDB', () => {
    connection.closeSync();
    instance.closeSync();
  });
  const run = (sql: string) => connection.run(sql);
  const rowsSql = (revision: number, condition: string): string =>
    `SELECT DATE '2000-01-01' + (i // ${series})::INTEGER AS day, 'series ' || (i % ${series}) AS series,
       ${forEach(shape, (name, at) => `(${valueSql('i', revision, at)})::DOUBLE AS ${name}`)}
     FROM range(${shape.rows}) AS t(i) WHERE ${condition}`;
  await run(`CREATE TABLE t AS ${rowsSql(0, 'true')}`);
  await run('CHECKPOINT');
  const size = (): number => sizesOf(path, `${path}.wal`);
  return {
    name: 'UPDATE of DuckDB',
    baseBytes: size(),
    async upsert(count, revision) {
      const before = size();
      await run(
        `CREATE OR REPLACE TEMP TABLE changes AS ${rowsSql(revision, scatteredSql('i', shape.rows, count, revision))}`,
      );
      const set = forEach(shape, (name) => `${name} = changes.${name}`);
      const seconds = await timed(async () => {
        await run(`UPDATE t SET ${set} FROM changes WHERE t.day = changes.day AND t.series = changes.series`);
        await run('CHECKPOINT');
      });
      return { seconds, bytes: size() - before };
    },
    aggregate: () => timed(() => run(`${sumByDay} t GROUP BY day`)),
  };
};

/** Bytes of the unchanged table, clustered by its key. */
export const sqliteBytes = (shape: TableShape): number => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-sqlite-'));
  const path = join(folder, 'changes.sqlite');
  try {
    const database = new sqlite.Database(path);
    try {
      database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
      database.exec(
        `CREATE TABLE t (day TEXT, series TEXT, ${valueNames(shape).join(' REAL, ')} REAL, PRIMARY KEY (day, series)) WITHOUT ROWID`,
      );
      database.exec(
        `INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${shape.rows})
         SELECT date('2000-01-01', (i / ${series}) || ' days'), 'series ' || (i % ${series}),
           ${forEach(shape, (_, at) => valueSql('i', 0, at))} FROM n`,
      );
    } finally {
      database.close();
    }
    return sizesOf(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

import { Readable } from 'node:stream';
import { send } from './client.js';
import type { RunningProduct } from './product.js';
import { queryClickHouse } from './requests.js';

export interface PlainTable {
  /** Column definitions for `CREATE TABLE`. */
  readonly columns: string;
  /** Table settings for `CREATE TABLE`. */
  readonly settings?: string;
  /** CSV file, header included. */
  readonly content: AsyncIterable<Buffer>;
  readonly rows: number;
}

const table = 'default.yardstick';

/** Seconds for one `INSERT … FORMAT CSVWithNames` of a CSV file into a plain table. */
export const insertAlone = async ({ clickhouseUrl }: RunningProduct, plain: PlainTable): Promise<number> => {
  const { columns, settings, content, rows } = plain;
  await queryClickHouse(clickhouseUrl, `DROP TABLE IF EXISTS ${table} SYNC`);
  await queryClickHouse(
    clickhouseUrl,
    `CREATE TABLE ${table} (${columns}) ENGINE = MergeTree ORDER BY tuple()${settings === undefined ? '' : ` SETTINGS ${settings}`}`,
  );
  const url = `${clickhouseUrl}/?query=${encodeURIComponent(`INSERT INTO ${table} FORMAT CSVWithNames`)}`;
  const startedAt = performance.now();
  await send('POST', url, {}, Readable.from(content, { objectMode: false, highWaterMark: 1 << 20 }));
  const seconds = (performance.now() - startedAt) / 1000;
  const stored = Number(await queryClickHouse(clickhouseUrl, `SELECT count() FROM ${table}`));
  if (stored !== rows) throw new Error(`the plain table has ${stored} rows`);
  await queryClickHouse(clickhouseUrl, `DROP TABLE ${table} SYNC`);
  return seconds;
};

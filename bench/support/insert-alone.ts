import { Readable } from 'node:stream';
import { send } from './client.js';
import type { RunningProduct } from './product.js';
import { askClickHouse } from './requests.js';

export interface PlainTable {
  /** Columns as `CREATE TABLE` takes them. */
  readonly columns: string;
  /** Settings of the table, as `CREATE TABLE` takes them. */
  readonly settings?: string;
  /** The CSV file, header included. */
  readonly content: AsyncIterable<Buffer>;
  readonly rows: number;
}

const table = 'default.yardstick';

/** Seconds that ClickHouse alone takes for a CSV file: one `INSERT … FORMAT CSVWithNames` into a plain table. */
export const insertAlone = async ({ clickhouseUrl }: RunningProduct, plain: PlainTable): Promise<number> => {
  const { columns, settings, content, rows } = plain;
  await askClickHouse(clickhouseUrl, `DROP TABLE IF EXISTS ${table} SYNC`);
  await askClickHouse(
    clickhouseUrl,
    `CREATE TABLE ${table} (${columns}) ENGINE = MergeTree ORDER BY tuple()${settings === undefined ? '' : ` SETTINGS ${settings}`}`,
  );
  const url = `${clickhouseUrl}/?query=${encodeURIComponent(`INSERT INTO ${table} FORMAT CSVWithNames`)}`;
  const startedAt = performance.now();
  await send('POST', url, {}, Readable.from(content, { objectMode: false, highWaterMark: 1 << 20 }));
  const seconds = (performance.now() - startedAt) / 1000;
  const stored = Number(await askClickHouse(clickhouseUrl, `SELECT count() FROM ${table}`));
  if (stored !== rows) throw new Error(`the yardstick holds ${stored} rows`);
  await askClickHouse(clickhouseUrl, `DROP TABLE ${table} SYNC`);
  return seconds;
};

import type { RunningProduct } from './product.js';
import { askClickHouse } from './requests.js';

/** Where ClickHouse keeps a version. */
export interface StoredTable {
  /** Database included. */
  readonly name: string;
  readonly segment: string;
  /** Names of the columns in the store, in order. */
  readonly columns: readonly string[];
}

/** The table that was written last. */
export const newestTable = async ({ clickhouseUrl }: RunningProduct): Promise<StoredTable> => {
  const found = await askClickHouse(
    clickhouseUrl,
    "SELECT database, table FROM system.parts WHERE match(table, '^s[0-9]+$') AND active ORDER BY modification_time DESC LIMIT 1",
  );
  const [database, table] = found.split('\t');
  const columns = await askClickHouse(
    clickhouseUrl,
    `SELECT name FROM system.columns WHERE database = '${database}' AND table = '${table}' AND name LIKE 'c%' ORDER BY position`,
  );
  const name = `${database}.${table}`;
  const segment = await askClickHouse(clickhouseUrl, `SELECT any(_seg) FROM ${name}`);
  return { name, segment, columns: columns.split('\n') };
};

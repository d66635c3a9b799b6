import { createDataset, uploadAndWait } from './client.js';
import type { RunningProduct } from './product.js';
import { type Fetched, fetchAll, queryClickHouse } from './requests.js';

/** ClickHouse table with the rows of a dataset. */
export interface Place {
  /** Qualified name of the table. */
  readonly table: string;
  readonly segments: string;
  /** Column names in ClickHouse, in order. */
  readonly columns: readonly string[];
}

/** Uploaded dataset and its ClickHouse table. */
export interface StoredTable extends Place {
  readonly datasetId: number;
}

/** ClickHouse table of the newest dataset. */
export const newestPlace = async ({ clickhouseUrl }: RunningProduct): Promise<Place> => {
  const ask = (sql: string) => queryClickHouse(clickhouseUrl, sql);
  const newest = await ask(
    `SELECT database, table FROM system.parts WHERE match(table, '^s[0-9]+$') AND active
     ORDER BY toUInt64(substring(table, 2)) DESC LIMIT 1`,
  );
  const [database = '', table = ''] = newest.split('\t');
  const columns = await ask(
    `SELECT name FROM system.columns WHERE database = '${database}' AND table = '${table}' AND name LIKE 'c%'
     ORDER BY position`,
  );
  const segments = await ask(
    `SELECT arrayStringConcat(groupUniqArray(toString(_seg)), ', ') FROM ${database}.${table}`,
  );
  return { table: `${database}.${table}`, segments, columns: columns.split('\n') };
};

/** Uploads into a new dataset and finds its ClickHouse table. */
export const storeTable = async (
  product: RunningProduct,
  name: string,
  content: AsyncIterable<Buffer>,
): Promise<StoredTable> => {
  const datasetId = await createDataset(product, name);
  await uploadAndWait(product, datasetId, content);
  return { datasetId, ...(await newestPlace(product)) };
};

/** Request for rows of a table from the API. */
export const download =
  (product: RunningProduct, { datasetId }: Pick<StoredTable, 'datasetId'>, query: string, headers = {}) =>
  (): Promise<Fetched> =>
    fetchAll(`${product.baseUrl}/datasets/${datasetId}/data?${query}`, {
      headers: { authorization: product.authorization, ...headers },
    });

export interface RawSelect {
  readonly columns: readonly string[];
  /** Starts with AND; empty for all rows. */
  readonly condition?: string;
  readonly format: string;
  /** Further settings, starting with a comma; those that make the bytes equal are always set. */
  readonly settings?: string;
}

/** Request for the same rows, in the same order and format, directly from ClickHouse. */
export const rawDownload =
  (
    product: RunningProduct,
    stored: StoredTable,
    { columns, condition = '', format, settings = '' }: RawSelect,
  ) =>
  (): Promise<Fetched> =>
    fetchAll(product.clickhouseUrl, {
      body: `SELECT ${columns.join(', ')} FROM ${stored.table} WHERE _seg IN (${stored.segments}) ${condition}
        ORDER BY _row FORMAT ${format}
        SETTINGS output_format_csv_crlf_end_of_line = 1, output_format_json_array_of_rows = 1${settings}`,
    });

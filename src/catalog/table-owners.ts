import type { Sql } from '../storage/postgres/sql.js';

/** The dataset with its own table, for operators. */
interface TableOwner {
  /** Number of the table. */
  readonly table: number;
  readonly datasetId: number;
  readonly name: string;
  /** Account of its repository. */
  readonly owner: string;
  readonly versions: number;
}

/** Owners of tables that have a dataset. If several datasets share a table, the oldest one. */
export const readTableOwners = (sql: Sql, tables: readonly number[]): Promise<TableOwner[]> =>
  sql.query<TableOwner>(
    `SELECT DISTINCT ON (d.store_id) s.id AS "table", d.id AS "datasetId", d.name, a.name AS owner,
       (SELECT count(*)::int FROM versions v WHERE v.dataset_id = d.id) AS versions
     FROM stores s JOIN datasets d ON d.store_id = s.id JOIN repositories r ON r.id = d.repository_id JOIN accounts a ON a.id = r.created_by
     WHERE s.id = ANY ($1) ORDER BY d.store_id, d.id`,
    [tables],
  );

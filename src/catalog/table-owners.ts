import type { Sql } from '../storage/postgres/sql.js';

/** The dataset behind a table of its own, for operators. */
export interface TableOwner {
  readonly storeId: number;
  readonly datasetId: number;
  readonly name: string;
  /** Account of its repository. */
  readonly owner: string;
  readonly versions: number;
}

/** Of stores that still have a dataset; of several that share one, the oldest. */
export const readTableOwners = (sql: Sql, storeIds: readonly number[]): Promise<TableOwner[]> =>
  sql.query<TableOwner>(
    `SELECT DISTINCT ON (d.store_id) d.store_id AS "storeId", d.id AS "datasetId", d.name, a.name AS owner,
       (SELECT count(*)::int FROM versions v WHERE v.dataset_id = d.id) AS versions
     FROM datasets d JOIN repositories r ON r.id = d.repository_id JOIN accounts a ON a.id = r.created_by
     WHERE d.store_id = ANY ($1) ORDER BY d.store_id, d.id`,
    [storeIds],
  );

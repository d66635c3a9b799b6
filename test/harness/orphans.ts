import type { Sql } from '../../src/storage/postgres/sql.js';
import { clickHouseText } from '../support/clickhouse-http.js';
import type { Deployment } from './deployment.js';

/** ClickHouse with the rows, and PostgreSQL with the list of segments. */
export interface Stores {
  readonly sql: Sql;
  /** Runs a statement in ClickHouse and returns the response text. */
  readonly clickhouse: (sql: string) => Promise<string>;
  /** Name of the ClickHouse database. */
  readonly database: string;
}

export const storesOf = ({ sql, access }: Deployment): Stores => ({
  sql,
  clickhouse: (text) => clickHouseText(access.clickhouseUrl, { sql: text }),
  database: 'tabulary',
});

const lines = async ({ clickhouse }: Stores, sql: string): Promise<string[]> =>
  (await clickhouse(sql)).split('\n').filter((line) => line !== '');

/** A folded patch is retained while versions have other segments of its run, since diffs use its positions. */
const isRetained = `s.patch AND s.unreferenced_at IS NULL AND EXISTS (
  SELECT 1 FROM compactions c JOIN segment_ranges r ON r.segment_id = ANY (c.run)
  WHERE c.folds AND c.state IN ('swapping', 'done') AND s.id = ANY (c.run))`;

/** Returns segments in ClickHouse without a version, and segments of versions missing in ClickHouse, one line each. */
export const findOrphans = async (stores: Stores): Promise<string[]> => {
  const owned = await lines(
    stores,
    `SELECT concat(table, ' ', partition) FROM system.parts
     WHERE database = '${stores.database}' AND table != 'installation' AND NOT startsWith(table, 'pool_') AND active AND rows > 0
     GROUP BY table, partition`,
  );
  const pools = await lines(
    stores,
    `SELECT name FROM system.tables WHERE database = '${stores.database}' AND startsWith(name, 'pool_')`,
  );
  const pooled = await Promise.all(
    pools.map((pool) =>
      lines(
        stores,
        `SELECT concat('${pool} ', toString(_seg)) FROM ${stores.database}.${pool} GROUP BY _seg`,
      ),
    ),
  );
  const present = [...owned, ...pooled.flat()];
  const tables = await lines(
    stores,
    `SELECT name FROM system.tables
     WHERE database = '${stores.database}' AND name != 'installation' AND NOT startsWith(name, 'pool_')`,
  );
  const named = await stores.sql.query<{ place: string; rows: number | null }>(
    `SELECT coalesce('pool_' || m.pool, 's' || s.store_id) || ' ' || s.id AS place, s.rows
     FROM segments s LEFT JOIN slot_maps m ON m.id = s.slot_map_id
     WHERE EXISTS (SELECT 1 FROM segment_ranges r WHERE r.segment_id = s.id) OR (${isRetained})`,
  );
  const tablesOfDatasets = await stores.sql.query<{ name: string }>(`SELECT 's' || id AS name FROM stores`);
  const known = new Set(named.map(({ place }) => place));
  const there = new Set(present);
  const storeNames = new Set(tablesOfDatasets.map(({ name }) => name));
  return [
    ...present.filter((place) => !known.has(place)).map((place) => `segment ${place} belongs to no version`),
    ...named
      .filter(({ place, rows }) => (rows ?? 0) > 0 && !there.has(place))
      .map(({ place }) => `segment ${place} of a version has no rows`),
    ...tables.filter((name) => !storeNames.has(name)).map((name) => `table ${name} belongs to no dataset`),
  ];
};

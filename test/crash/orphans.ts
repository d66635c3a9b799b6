import { clickHouseText } from '../support/clickhouse-http.js';
import type { CrashProduct } from './product.js';

const lines = async (product: CrashProduct, sql: string): Promise<string[]> =>
  (await clickHouseText(product.access.clickhouseUrl, { sql })).split('\n').filter((line) => line !== '');

/** What lies in ClickHouse and no version names, and what a version names and ClickHouse lacks; a line each. */
export const findOrphans = async (product: CrashProduct): Promise<string[]> => {
  const owned = await lines(
    product,
    `SELECT concat(table, ' ', partition) FROM system.parts
     WHERE database = 'tabulary' AND table != 'installation' AND NOT startsWith(table, 'pool_') AND active AND rows > 0
     GROUP BY table, partition`,
  );
  const pools = await lines(
    product,
    `SELECT name FROM system.tables WHERE database = 'tabulary' AND startsWith(name, 'pool_')`,
  );
  const pooled = await Promise.all(
    pools.map((pool) =>
      lines(product, `SELECT concat('${pool} ', toString(_seg)) FROM tabulary.${pool} GROUP BY _seg`),
    ),
  );
  const present = [...owned, ...pooled.flat()];
  const tables = await lines(
    product,
    `SELECT name FROM system.tables
     WHERE database = 'tabulary' AND name != 'installation' AND NOT startsWith(name, 'pool_')`,
  );
  const named = await product.sql.query<{ place: string; rows: number | null }>(
    `SELECT coalesce('pool_' || m.pool, 's' || s.store_id) || ' ' || s.id AS place, s.rows
     FROM segments s LEFT JOIN slot_maps m ON m.id = s.slot_map_id
     WHERE EXISTS (SELECT 1 FROM segment_ranges r WHERE r.segment_id = s.id)`,
  );
  const stores = await product.sql.query<{ name: string }>(`SELECT 's' || id AS name FROM stores`);
  const known = new Set(named.map(({ place }) => place));
  const there = new Set(present);
  const storeNames = new Set(stores.map(({ name }) => name));
  return [
    ...present.filter((place) => !known.has(place)).map((place) => `segment ${place} belongs to no version`),
    ...named
      .filter(({ place, rows }) => (rows ?? 0) > 0 && !there.has(place))
      .map(({ place }) => `segment ${place} of a version has no rows`),
    ...tables.filter((name) => !storeNames.has(name)).map((name) => `table ${name} belongs to no dataset`),
  ];
};

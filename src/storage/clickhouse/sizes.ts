import type { ClickHouse } from './client.js';

/** What the tables of one kind take. */
export interface KindSizes {
  /** `own`: of one dataset; `pool`: of small datasets; `running`: of uploads that are under way; `other`. */
  readonly kind: string;
  readonly tables: number;
  readonly parts: number;
  readonly rows: number;
  readonly bytes: number;
}

export interface DiskSpace {
  readonly disk: string;
  readonly freeBytes: number;
  readonly bytes: number;
}

export interface ClickHouseSizes {
  readonly kinds: readonly KindSizes[];
  /** Active parts of the partition that has the most. */
  readonly mostParts: number;
  /** Empty where ClickHouse does not know: disks in object storage have no end. */
  readonly disks: readonly DiskSpace[];
}

const kinds = ['own', 'pool', 'running', 'other'] as const;

const kindSql = `multiIf(match(name, '^s[0-9]+$'), 'own', startsWith(name, 'pool_'), 'pool',
  match(name, '^[ua][0-9]'), 'running', 'other')`;

const tablesSql = `SELECT ${kindSql} AS kind, toFloat64(count()) AS tables FROM system.tables
  WHERE database = {database:String} GROUP BY kind`;

const partsSql = `SELECT ${kindSql.replaceAll('name', 'table')} AS kind, toFloat64(sum(count)) AS parts,
    toFloat64(sum(partRows)) AS rows, toFloat64(sum(partBytes)) AS bytes, toFloat64(max(count)) AS most
  FROM (SELECT table, partition_id, count() AS count, sum(rows) AS partRows, sum(bytes_on_disk) AS partBytes
        FROM system.parts WHERE active AND database = {database:String} GROUP BY table, partition_id)
  GROUP BY kind`;

// Object storage says that all of 2^64 bytes are free.
const disksSql = `SELECT name AS disk, toFloat64(free_space) AS "freeBytes", toFloat64(total_space) AS bytes
  FROM system.disks WHERE total_space > 0 AND total_space < 9223372036854775807 ORDER BY name`;

/** What ClickHouse says of its tables and disks. */
export const readSizes = async (clickhouse: ClickHouse): Promise<ClickHouseSizes> => {
  const params = { database: clickhouse.database };
  const [tables, parts, disks] = await Promise.all([
    clickhouse.rows<{ kind: string; tables: number }>(tablesSql, { params }),
    clickhouse.rows<Omit<KindSizes, 'tables'> & { most: number }>(partsSql, { params }),
    clickhouse.rows<DiskSpace>(disksSql),
  ]);
  return {
    kinds: kinds.map((kind) => {
      const {
        parts: count,
        rows,
        bytes,
      } = parts.find((one) => one.kind === kind) ?? { parts: 0, rows: 0, bytes: 0 };
      return {
        kind,
        tables: tables.find((one) => one.kind === kind)?.tables ?? 0,
        parts: count,
        rows,
        bytes,
      };
    }),
    mostParts: Math.max(0, ...parts.map(({ most }) => most)),
    disks,
  };
};

/** What one table takes. */
export interface TableSizes {
  readonly table: string;
  readonly parts: number;
  readonly rows: number;
  readonly bytes: number;
  /** Active parts of its partition that has the most. */
  readonly mostParts: number;
}

const tableSql = (where: string, limit: number): string => `
  SELECT table, toFloat64(sum(count)) AS parts, toFloat64(sum(partRows)) AS rows, toFloat64(sum(partBytes)) AS bytes,
    toFloat64(max(count)) AS "mostParts"
  FROM (SELECT table, partition_id, count() AS count, sum(rows) AS partRows, sum(bytes_on_disk) AS partBytes
        FROM system.parts WHERE active AND database = {database:String} AND ${where} GROUP BY table, partition_id)
  GROUP BY table ORDER BY bytes DESC, table LIMIT ${limit}`;

/** Tables of many small datasets, and the largest ones of one dataset each. */
export const readTables = async (
  clickhouse: ClickHouse,
  largest: number,
): Promise<{ readonly pools: TableSizes[]; readonly own: TableSizes[] }> => {
  const params = { database: clickhouse.database };
  const [pools, own] = await Promise.all([
    clickhouse.rows<TableSizes>(tableSql(`startsWith(table, 'pool_')`, 20), { params }),
    clickhouse.rows<TableSizes>(tableSql(`match(table, '^s[0-9]+$')`, largest), { params }),
  ]);
  return { pools, own };
};

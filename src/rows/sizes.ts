import { messageOf } from '../lib/errors.js';
import type { ClickHouseServers, Connection, Shard } from '../storage/clickhouse/client.js';

/** What the tables of one kind take. */
export interface KindSizes {
  /** `own`: of one dataset; `pool`: of small datasets; `running`: of uploads and moves under way; `other`: notes of ours. */
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
  match(name, '^[uay][0-9]'), 'running', 'other')`;

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

/** What one server says of its tables and disks. */
export const readServerSizes = async (clickhouse: Connection): Promise<ClickHouseSizes> => {
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

/** What the shards answer that are not away. @throws what the first one said when none answers. */
const ofThoseThatAnswer = async <T>(
  shards: readonly Shard[],
  ask: (shard: Shard) => Promise<T>,
): Promise<T[]> => {
  const answers = await Promise.allSettled(shards.map(ask));
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const [first] = answers;
  if (found.length === 0 && first?.status === 'rejected') throw first.reason;
  return found;
};

/** What all shards answer. @throws Error that names the shard which is away. */
const ofAll: typeof ofThoseThatAnswer = (shards, ask) =>
  Promise.all(
    shards.map((shard) =>
      ask(shard).catch((error: unknown) => {
        if (shards.length === 1) throw error;
        throw new Error(`shard ${shard.number}: ${messageOf(error)}`, { cause: error });
      }),
    ),
  );

/**
 * What the servers say of their tables and disks.
 * @param isPartial Those that are away are left out.
 * @throws Error that names a shard which is away.
 */
export const readSizes = async (
  { shards }: ClickHouseServers,
  isPartial = false,
): Promise<ClickHouseSizes> => {
  const all = await (isPartial ? ofThoseThatAnswer : ofAll)(shards, async ({ number, clickhouse }) => ({
    number,
    sizes: await readServerSizes(clickhouse),
  }));
  const [first] = all;
  if (first === undefined) throw new Error('there is no shard');
  if (shards.length === 1) return first.sizes;
  const kindOf = (kind: string): KindSizes[] =>
    all.flatMap(({ sizes }) => sizes.kinds.filter((one) => one.kind === kind));
  const sum = (kind: string, of: 'tables' | 'parts' | 'rows' | 'bytes'): number =>
    kindOf(kind).reduce((total, one) => total + one[of], 0);
  return {
    kinds: kinds.map((kind) => ({
      kind,
      tables: sum(kind, 'tables'),
      parts: sum(kind, 'parts'),
      rows: sum(kind, 'rows'),
      bytes: sum(kind, 'bytes'),
    })),
    mostParts: Math.max(...all.map(({ sizes }) => sizes.mostParts)),
    disks: all.flatMap(({ number, sizes }) =>
      sizes.disks.map((disk) => ({ ...disk, disk: `${number}/${disk.disk}` })),
    ),
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

/** Of several servers together, the largest first. */
const joined = (lists: readonly TableSizes[][]): TableSizes[] => {
  const tables = new Map<string, TableSizes>();
  for (const one of lists.flat()) {
    const known = tables.get(one.table);
    tables.set(one.table, {
      table: one.table,
      parts: one.parts + (known?.parts ?? 0),
      rows: one.rows + (known?.rows ?? 0),
      bytes: one.bytes + (known?.bytes ?? 0),
      mostParts: Math.max(one.mostParts, known?.mostParts ?? 0),
    });
  }
  return [...tables.values()].sort((a, b) => b.bytes - a.bytes);
};

/** Tables of many small datasets, and the largest ones of one dataset each, on servers that are not away. */
export const readTables = async (
  { shards, database }: ClickHouseServers,
  largest: number,
): Promise<{ readonly pools: TableSizes[]; readonly own: TableSizes[] }> => {
  const read = async (where: string, limit: number): Promise<TableSizes[]> =>
    joined(
      await ofThoseThatAnswer(shards, ({ clickhouse }) =>
        clickhouse.rows<TableSizes>(tableSql(where, limit), { params: { database } }),
      ),
    ).slice(0, limit);
  const [pools, own] = await Promise.all([
    read(`startsWith(table, 'pool_')`, 20),
    read(`match(table, '^s[0-9]+$')`, largest),
  ]);
  return { pools, own };
};

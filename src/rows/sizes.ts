/** Sizes of tables and free space of disks, as the servers report them. */
import { messageOf } from '../lib/errors.js';
import type { ClickHouseServers, Connection, Shard } from '../storage/clickhouse/client.js';
import { copyTables } from './read-copy-drop.js';

interface Amounts {
  readonly parts: number;
  readonly rows: number;
  readonly bytes: number;
}

/** Sizes of the tables of one kind. */
export interface KindSizes extends Amounts {
  /** `own`: of one dataset; `pool`: of small datasets; `running`: of uploads in progress; `copy`: read copies; `other`: bookkeeping. */
  readonly kind: string;
  readonly tables: number;
}

export interface DiskSpace {
  readonly disk: string;
  readonly freeBytes: number;
  readonly bytes: number;
}

export interface ClickHouseSizes {
  readonly kinds: readonly KindSizes[];
  /** Active parts of the partition with the most. */
  readonly mostParts: number;
  /** Without disks in object storage, whose size is unlimited. */
  readonly disks: readonly DiskSpace[];
}

export interface TableSizes extends Amounts {
  readonly table: string;
  /** Active parts of its partition with the most. */
  readonly mostParts: number;
}

const kinds = ['own', 'pool', 'running', 'copy', 'other'] as const;

const isOwn = `match(table, '^s[0-9]+$')`;
const isPool = `startsWith(table, 'pool_')`;
const isCopy = `match(table, '${copyTables}')`;
const kindSql = `multiIf(${isOwn}, 'own', ${isPool}, 'pool', match(table, '^[ua][0-9]'), 'running', ${isCopy}, 'copy', 'other')`;

const tablesSql = `SELECT ${kindSql} AS kind, toFloat64(count()) AS tables
  FROM (SELECT name AS table FROM system.tables WHERE database = {database:String}) GROUP BY kind`;

/** Query of amounts by kind or by table. */
const partsSql = (group: string, where = '1'): string => `
  SELECT ${group}, toFloat64(sum(count)) AS parts, toFloat64(sum(partRows)) AS rows, toFloat64(sum(partBytes)) AS bytes,
    toFloat64(max(count)) AS "mostParts"
  FROM (SELECT table, partition_id, count() AS count, sum(rows) AS partRows, sum(bytes_on_disk) AS partBytes
        FROM system.parts WHERE active AND database = {database:String} AND ${where} GROUP BY table, partition_id)`;

// Object storage reports 2^64 free bytes.
const disksSql = `SELECT name AS disk, toFloat64(free_space) AS "freeBytes", toFloat64(total_space) AS bytes
  FROM system.disks WHERE total_space > 0 AND total_space < 9223372036854775807 ORDER BY name`;

const nothing: Amounts = { parts: 0, rows: 0, bytes: 0 };

const total = (amounts: readonly Amounts[]): Amounts =>
  amounts.reduce(
    (sum, { parts, rows, bytes }) => ({
      parts: sum.parts + parts,
      rows: sum.rows + rows,
      bytes: sum.bytes + bytes,
    }),
    nothing,
  );

/** Sizes of the tables and disks of one server. */
export const readServerSizes = async (clickhouse: Connection): Promise<ClickHouseSizes> => {
  const params = { database: clickhouse.database };
  const [tables, parts, disks] = await Promise.all([
    clickhouse.rows<{ kind: string; tables: number }>(tablesSql, { params }),
    clickhouse.rows<Omit<KindSizes, 'tables'> & { mostParts: number }>(
      `${partsSql(`${kindSql} AS kind`)} GROUP BY kind`,
      { params },
    ),
    clickhouse.rows<DiskSpace>(disksSql),
  ]);
  return {
    kinds: kinds.map((kind) => ({
      kind,
      tables: tables.find((one) => one.kind === kind)?.tables ?? 0,
      ...total(parts.filter((one) => one.kind === kind)),
    })),
    mostParts: Math.max(0, ...parts.map(({ mostParts }) => mostParts)),
    disks,
  };
};

/** Answers of the shards that are up. @throws Error of the first shard if none answers. */
const queryAvailable = async <T>(
  shards: readonly Shard[],
  query: (shard: Shard) => Promise<T>,
): Promise<T[]> => {
  const answers = await Promise.allSettled(shards.map(query));
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const [first] = answers;
  if (found.length === 0 && first?.status === 'rejected') throw first.reason;
  return found;
};

/** Answers of all shards. @throws Error that names a shard that is down. */
const queryAll: typeof queryAvailable = (shards, query) =>
  Promise.all(
    shards.map((shard) =>
      query(shard).catch((error: unknown) => {
        if (shards.length === 1) throw error;
        throw new Error(`shard ${shard.number}: ${messageOf(error)}`, { cause: error });
      }),
    ),
  );

/**
 * Sizes of the tables and disks of all servers together.
 * @param isPartial Leaves out servers that are down.
 * @throws Error that names a shard that is down.
 */
export const readSizes = async (
  { shards }: ClickHouseServers,
  isPartial = false,
): Promise<ClickHouseSizes> => {
  const all = await (isPartial ? queryAvailable : queryAll)(shards, async ({ number, clickhouse }) => ({
    number,
    ...(await readServerSizes(clickhouse)),
  }));
  const nameOf = (number: number, disk: string): string => (shards.length === 1 ? disk : `${number}/${disk}`);
  return {
    kinds: kinds.map((kind, at) => {
      const found = all.flatMap((one) => one.kinds[at] ?? []);
      return { kind, tables: found.reduce((sum, { tables }) => sum + tables, 0), ...total(found) };
    }),
    mostParts: Math.max(0, ...all.map(({ mostParts }) => mostParts)),
    disks: all.flatMap(({ number, disks }) =>
      disks.map((disk) => ({ ...disk, disk: nameOf(number, disk.disk) })),
    ),
  };
};

/** Combines tables of several servers by name, largest first. */
const combined = (tables: readonly TableSizes[]): TableSizes[] => {
  const byName = new Map<string, TableSizes>();
  for (const one of tables) {
    const known = byName.get(one.table);
    const mostParts = Math.max(one.mostParts, known?.mostParts ?? 0);
    byName.set(one.table, { table: one.table, ...total([one, known ?? nothing]), mostParts });
  }
  return [...byName.values()].sort((a, b) => b.bytes - a.bytes);
};

/** Pools and the largest own tables, on servers that are up. */
export const readTables = async (
  { shards, database }: ClickHouseServers,
  largest: number,
): Promise<{ readonly pools: TableSizes[]; readonly own: TableSizes[] }> => {
  const read = async (where: string, limit: number): Promise<TableSizes[]> => {
    const sql = `${partsSql('table', where)} GROUP BY table ORDER BY bytes DESC, table LIMIT ${limit}`;
    const lists = await queryAvailable(shards, ({ clickhouse }) =>
      clickhouse.rows<TableSizes>(sql, { params: { database } }),
    );
    return combined(lists.flat()).slice(0, limit);
  };
  const [pools, own] = await Promise.all([read(isPool, 20), read(isOwn, largest)]);
  return { pools, own };
};

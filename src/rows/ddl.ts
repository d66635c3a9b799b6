/**
 * Every CREATE, ALTER, RENAME and DROP for tables of rows, as complete statements for the engine of the servers. Nothing here queries a
 * server, and no statement is edited afterwards.
 */
import type { Connection, QuerySettings } from '../storage/clickhouse/client.js';
import { type Engine, mergeTree } from '../storage/clickhouse/engine.js';
import { tableSettings, widePartColumns } from './engine.js';
import { overName, poolName } from './place.js';
import { type ColumnDefinition, type PoolClass, slotColumns } from './slots.js';

export interface Statement {
  readonly sql: string;
  readonly settings: QuerySettings;
}

export const runAll = async (clickhouse: Connection, statements: readonly Statement[]): Promise<void> => {
  for (const { sql, settings } of statements) await clickhouse.command(sql, { settings });
};

/** Consecutive rows that go to the same shard, so that an ordered read seldom switches servers. */
const rowsTogether = 65_536;

/** ClickHouse chooses the shard of copied rows by this number and the weights. */
const shardingKey = `cityHash64(_seg, intDiv(_row, ${rowsTogether}))`;

const positionColumn = '_row UInt64 CODEC(Delta, LZ4)';

/**
 * Every read compares `_seg`, which is constant over thousands of rows: T64 then stores no bits and decodes several times as fast as
 * Delta (docs/adr/0013-indexes.md).
 */
const keyColumns = `_seg UInt64 CODEC(T64, LZ4), ${positionColumn}`;

/** 1 only in tombstones. Its name is in `bookColumns`. */
const goneColumn = '_gone UInt8 DEFAULT 0';

/** One partition per segment. The position orders the rows of every version, so reads need no sort. */
const ownKey = 'PARTITION BY _seg ORDER BY _row';

export const poolPartitions = 16;

/** 64 consecutive processes share a partition, so that a batch of inserts makes one or two parts. */
const poolKey = `PARTITION BY intDiv(_seg, 64000) % ${poolPartitions} ORDER BY (_seg, _row)`;

const column = ({ name, type }: ColumnDefinition): string => `${name} ${type}`;

/**
 * Minimum and maximum of each granule, for filters on values that are close together in the file. Costs and savings:
 * docs/adr/0013-indexes.md.
 */
const index = ({ name }: ColumnDefinition): string => `i_${name} ${name} TYPE minmax GRANULARITY 1`;

const isWide = (columns: number): boolean => columns > widePartColumns;

const numbersOf = (segmentIds: readonly number[]): readonly number[] => segmentIds.map(Number);

const longStatement: QuerySettings = { max_query_size: '16777216' };
const anySize: QuerySettings = { max_table_size_to_drop: '0', max_partition_size_to_drop: '0' };

export const ensureDatabase = (clickhouse: Connection, engine: Engine = mergeTree): Promise<void> =>
  runAll(clickhouse, createDdl(clickhouse.database, engine).createDatabase());

export const createDdl = (database: string, engine: Engine) => {
  const create = (table: string, columns: readonly string[], rest: string): Statement => ({
    sql: `CREATE TABLE IF NOT EXISTS ${database}.${table} (${columns.join(', ')}) ENGINE = ${engine.kind} ${rest}`,
    settings: { ...longStatement, ...engine.waitSettings },
  });
  const alter = (table: string, change: string, settings: QuerySettings): Statement => ({
    sql: `ALTER TABLE ${database}.${table} ${change}`,
    settings,
  });

  return {
    /** Creates the database on one server; with replicas, one database per shard, on all nodes at once. */
    createDatabase: (): Statement[] => [
      {
        sql:
          engine.kind === 'ReplicatedMergeTree'
            ? `CREATE DATABASE IF NOT EXISTS ${database} ON CLUSTER '${engine.cluster}' ENGINE = Replicated('/clickhouse/databases/${database}/{shard}', '{shard}', '{replica}')`
            : `CREATE DATABASE IF NOT EXISTS ${database}`,
        settings: {},
      },
    ],

    /** Creates a table for one value that binds a server to the catalog or to its shard number. */
    createNote: (table: string, { name, type }: ColumnDefinition): Statement[] => [
      create(table, [`${name} ${type}`], `ORDER BY ${name}`),
    ],

    createOwn: (table: string, columns: readonly ColumnDefinition[]): Statement[] => [
      create(
        table,
        [
          keyColumns,
          `${goneColumn} CODEC(T64, LZ4)`,
          ...columns.map(column),
          ...(isWide(columns.length) ? [] : columns.map((one) => `INDEX ${index(one)}`)),
        ],
        `${ownKey} SETTINGS ${tableSettings(engine, 'own', columns.length)}`,
      ),
    ],

    /** @param indexed Columns with a minmax index. */
    createReadCopy: (
      table: string,
      columns: readonly ColumnDefinition[],
      indexed: readonly ColumnDefinition[],
    ): Statement[] => [
      create(
        table,
        [positionColumn, ...columns.map(column), ...indexed.map((one) => `INDEX ${index(one)}`)],
        `ORDER BY _row SETTINGS ${tableSettings(engine, 'own', columns.length)}`,
      ),
    ],

    createPool: (pool: PoolClass): Statement[] => [
      create(
        poolName(pool),
        [keyColumns, ...slotColumns(pool).map(column)],
        `${poolKey} SETTINGS ${tableSettings(engine, 'pool')}`,
      ),
    ],

    /**
     * Creates a staging table with the columns of another table.
     * @param columns Number of columns of that table.
     */
    createStaging: (table: string, like: string, columns: number): Statement[] => [
      {
        sql: `CREATE TABLE IF NOT EXISTS ${database}.${table} AS ${database}.${like} ENGINE = ${engine.kind} ${ownKey} SETTINGS ${tableSettings(engine, 'staging', columns)}`,
        settings: { ...longStatement, ...engine.waitSettings },
      },
    ],

    /**
     * Creates a `Distributed` table over the tables of that name on all shards.
     * @param kind Kind of these tables.
     */
    createOver: (table: string, columns: readonly ColumnDefinition[], kind: 'own' | 'pool'): Statement[] => [
      {
        sql: `CREATE TABLE IF NOT EXISTS ${database}.${overName(table)} (${['_seg UInt64', '_row UInt64', ...(kind === 'own' ? [goneColumn] : []), ...columns.map(column)].join(', ')}) ENGINE = Distributed('${engine.cluster}', '${database}', '${table}', ${shardingKey})`,
        settings: longStatement,
      },
    ],

    /** Creates a `Distributed` table over `system.one`, for queries that each shard answers about itself. */
    createOverNodes: (table: string, cluster: string): Statement[] => [
      {
        sql: `CREATE TABLE IF NOT EXISTS ${table} (dummy UInt8) ENGINE = Distributed('${cluster}', 'system', 'one')`,
        settings: {},
      },
    ],

    /** @param present Number of columns of an own table; undefined for tables without indexes: pools and `Distributed` tables. */
    addColumns(table: string, columns: readonly ColumnDefinition[], present?: number): Statement[] {
      if (columns.length === 0) return [];
      const all = (present ?? widePartColumns) + columns.length;
      const added = [
        ...columns.map((one) => `ADD COLUMN IF NOT EXISTS ${column(one)}`),
        ...(isWide(all) ? [] : columns.map((one) => `ADD INDEX IF NOT EXISTS ${index(one)}`)),
      ];
      const settings = { ...longStatement, ...engine.waitSettings };
      const becomesWide = present !== undefined && isWide(all) && !isWide(present);
      return [
        alter(table, added.join(', '), settings),
        ...(becomesWide
          ? [alter(table, `MODIFY SETTING ${tableSettings(engine, 'width', all)}`, settings)]
          : []),
      ];
    },

    rename: (table: string, to: string): Statement[] => [
      { sql: `RENAME TABLE ${database}.${table} TO ${database}.${to}`, settings: {} },
    ],

    /** Replaces the rows of a segment in a table by those in another table. */
    replaceSegment: (table: string, segmentId: number, from: string): Statement[] => [
      alter(table, `REPLACE PARTITION ${Number(segmentId)} FROM ${database}.${from}`, {}),
    ],

    /** Drops segments from a table that has one partition per segment. */
    dropSegments: (table: string, segmentIds: readonly number[]): Statement[] =>
      segmentIds.length === 0
        ? []
        : [
            alter(
              table,
              numbersOf(segmentIds)
                .map((id) => `DROP PARTITION ${id}`)
                .join(', '),
              anySize,
            ),
          ],

    /** Hides segments of a pool from reads that start later. */
    deleteSegments: (table: string, segmentIds: readonly number[]): Statement[] =>
      segmentIds.length === 0
        ? []
        : [
            {
              sql: `DELETE FROM ${database}.${table} WHERE _seg IN (${numbersOf(segmentIds).join(', ')})`,
              settings: { ...longStatement, ...engine.waitSettings },
            },
          ],

    /** Rewrites the parts of pool partitions without their deleted rows. */
    applyDeletes: (table: string, partitions: readonly number[]): Statement[] =>
      partitions.length === 0
        ? []
        : [
            alter(
              table,
              numbersOf(partitions)
                .map((id) => `APPLY DELETED MASK IN PARTITION ${id}`)
                .join(', '),
              engine.waitSettings,
            ),
          ],

    /** @param sync `SYNC`: resolves only when the files are deleted too. */
    dropTable: (table: string, sync: '' | 'SYNC' = ''): Statement[] => [
      { sql: `DROP TABLE IF EXISTS ${database}.${table}${sync === '' ? '' : ` ${sync}`}`, settings: anySize },
    ],
  };
};

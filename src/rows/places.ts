/** Where rows lie, as SQL: names of tables, and of columns within them (docs/adr/0026-pools.md). */
import { type PhysicalType, type StoredColumn, storageName } from '../model/column.js';
import type { SlotKind } from '../model/column-types/column-type.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import {
  type NamedColumn,
  type Placement,
  type PoolClass,
  poolShapes,
  type ShardNumber,
} from '../model/placement.js';

export const clickHouseType = (physical: PhysicalType): string => columnTypeOf(physical).storage(physical);

const idText = (id: number): string => {
  if (!Number.isSafeInteger(id) || id < 1) throw new RangeError(`bad id ${id}`);
  return String(id);
};

export const tableName = (storeId: number): string => `s${idText(storeId)}`;

export const poolName = (pool: PoolClass): string => `pool_${pool}`;

/** Enough of a placement to know its table. */
export interface TablePlace {
  readonly storeId: number;
  readonly shard: ShardNumber;
  /** Null: the table of the store. */
  readonly pool: { readonly pool: PoolClass } | null;
}

/** The table of a placement, on each server that has rows of it. */
export const tableOf = ({ storeId, pool }: TablePlace): string =>
  pool === null ? tableName(storeId) : poolName(pool.pool);

/** A `Distributed` table of the entry over the tables of that name on all shards. */
export const spreadName = (table: string): string => `d${table}`;

/**
 * The table that statements name, on the server that `ClickHouseServers.at` gives for the place. What is spread is asked of
 * all shards, and what is written there goes to them by turns.
 */
export const statedTable = (database: string, place: TablePlace): string =>
  `${database}.${place.shard === null ? spreadName(tableOf(place)) : tableOf(place)}`;

const slotTypes: Readonly<Record<SlotKind, string>> = {
  d: 'Date32',
  s: 'String',
  f: 'Float64',
  // Digits of a decimal, without its point.
  i: 'Int128',
  h: 'Int256',
};

export interface ColumnDefinition {
  readonly name: string;
  /** In ClickHouse's notation. */
  readonly type: string;
}

export const slotColumns = (pool: PoolClass): readonly ColumnDefinition[] =>
  Object.entries(poolShapes[pool]).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, number) => ({
      name: `${kind}${number}`,
      type: `Nullable(${slotTypes[kind as SlotKind]})`,
    })),
  );

const slotOf = (name: string, placement: Placement): string => {
  const slot = placement.pool?.slots[name];
  if (slot === undefined) throw new RangeError(`column ${name} has no slot in map ${placement.pool?.mapId}`);
  return slot;
};

/** Name and type of a column in the table where it lies. */
export const storedAs = ({ name, physical }: NamedColumn, placement: Placement): ColumnDefinition =>
  placement.pool === null
    ? { name, type: `Nullable(${clickHouseType(physical)})` }
    : {
        name: slotOf(name, placement),
        type: `Nullable(${slotTypes[columnTypeOf(physical).pool.slot(physical)]})`,
      };

/** A value as it is written into its column. */
export const writtenAs = (sql: string, { physical }: NamedColumn, { pool }: Placement): string =>
  pool === null || !columnTypeOf(physical).pool.reinterpreted
    ? sql
    : `reinterpret(${sql}, '${slotTypes[columnTypeOf(physical).pool.slot(physical)]}')`;

const readFrom = ({ name, physical }: NamedColumn, placement: Placement): string => {
  const slot = slotOf(name, placement);
  return columnTypeOf(physical).pool.reinterpreted
    ? `reinterpret(${slot}, '${clickHouseType(physical)}')`
    : slot;
};

/**
 * What a statement reads FROM: `_seg`, `_row` and the columns under their stored names, wherever they lie. Conditions
 * belong behind it: ClickHouse merges a read from a pool with what stands around it.
 */
export const sourceOf = (database: string, placement: Placement, columns: readonly NamedColumn[]): string => {
  const table = statedTable(database, placement);
  if (placement.pool === null) return table;
  const list = columns.map((column) => `, ${readFrom(column, placement)} AS ${column.name}`).join('');
  return `(SELECT _seg, _row${list} FROM ${table})`;
};

export const namedColumn = (column: StoredColumn): NamedColumn => ({
  name: storageName(column),
  physical: column.physical,
});

/** Equal for places whose rows can be read in one statement under the same columns. */
export const placeKey = ({ storeId, pool }: Placement): string => `${storeId}/${pool?.mapId}`;

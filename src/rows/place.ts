/**
 * Places: where the rows of a segment are stored. To other rooms a `Place` is opaque.
 *
 *   table   the own table of the store, for a dataset and its clones
 *   pool    a table that many small datasets share (slots.ts)
 *   shard   the server with these tables. All rows of a store are on one shard, or the store has a table on each shard
 */
import { type NamedColumn, type PhysicalType, type StoredColumn, storageName } from '../model/column.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import { recordsPerUpload } from '../model/position.js';
import type { Place } from '../model/version.js';
import type { ShardNumber } from '../storage/clickhouse/client.js';
import { segmentsOf } from './segment-ranges.js';
import { type ColumnDefinition, type PoolClass, type Slots, slotType } from './slots.js';

/** SQL of the first position of an upload. @param uploadNumber SQL expression. */
export const firstPosition = (uploadNumber: string): string => `(${uploadNumber} * ${recordsPerUpload})`;

export interface PoolPlace {
  /** Id of the slot map. */
  readonly mapId: number;
  readonly pool: PoolClass;
  readonly slots: Slots;
}

/** Content of a `Place`; `placeSql` selects it as JSON. */
export interface Inside {
  /** Id of the store, and number of its own table. */
  readonly storeId: number;
  /** Null: all shards. */
  readonly shard: ShardNumber;
  /** Shard with the pools of a store that is everywhere. @default `shard` */
  readonly home?: number;
  /** Null: the own table. */
  readonly pool: PoolPlace | null;
}

export const insideOf = (place: Place): Inside => place as unknown as Inside;

export const placeOf = (inside: Inside): Place => inside as unknown as Place;

/** SQL of the place of a segment as JSON. @param segments Alias of `segments`. */
export const placeSql = (segments: string): string =>
  `(SELECT json_build_object('storeId', own.id, 'shard', CASE WHEN NOT own.everywhere THEN own.shard END, 'home', own.shard, 'pool',
      (SELECT json_build_object('mapId', m.id, 'pool', m.pool, 'slots', m.slots)
       FROM slot_maps m WHERE m.id = ${segments}.slot_map_id))
    FROM stores own WHERE own.id = ${segments}.store_id)`;

/** Select-list column with the place of the version `v`, which all its segments share; null without segments. */
export const versionPlaceColumn = `(SELECT ${placeSql('g')}
    FROM (${segmentsOf('v.dataset_id', 'v.id')} LIMIT 1) AS s JOIN segments g ON g.id = s.segment_id) AS place`;

export interface TablePlace {
  readonly storeId: number;
  readonly shard: ShardNumber;
  /** @default the store's own table */
  readonly pool?: PoolClass | null;
}

/** Place of whole segments, for statements that name no column of a pool. */
export const tablePlace = ({ storeId, shard, pool = null }: TablePlace): Place =>
  placeOf({ storeId, shard, pool: pool && { pool, mapId: 0, slots: {} } });

export const isPooled = (place: Place): boolean => insideOf(place).pool !== null;

export const isEverywhere = (place: Place): boolean => insideOf(place).shard === null;

export const slotMapOf = (place: Place): number | undefined => insideOf(place).pool?.mapId;

/** True if one version can have rows in both places. */
export const isSamePlace = (one: Place, other: Place): boolean =>
  insideOf(one).shard === insideOf(other).shard && placeKey(one) === placeKey(other);

/** True if a pool has a slot for each column; always true for an own table, which can add columns. */
export const hasSlots = (place: Place, columns: readonly NamedColumn[]): boolean => {
  const { pool } = insideOf(place);
  return pool === null || columns.every(({ name }) => Object.hasOwn(pool.slots, name));
};

/** Equal for places whose rows one statement can read under the same column names. */
export const placeKey = (place: Place): string => `${insideOf(place).storeId}/${slotMapOf(place)}`;

export const clickHouseType = (physical: PhysicalType): string => columnTypeOf(physical).storage(physical);

const idText = (id: number): string => {
  if (!Number.isSafeInteger(id) || id < 1) throw new RangeError(`bad id ${id}`);
  return String(id);
};

export const ownTableName = (storeId: number): string => `s${idText(storeId)}`;

export const poolName = (pool: PoolClass): string => `pool_${pool}`;

/** Table of a place on each server with its rows. */
export const tableOf = (place: Place): string => {
  const { storeId, pool } = insideOf(place);
  return pool === null ? ownTableName(storeId) : poolName(pool.pool);
};

/** Name of the `Distributed` table over the tables of that name on all shards. */
export const overName = (table: string): string => `d${table}`;

/**
 * Table name for statements on the server that `ClickHouseServers.at` returns for the place: the `Distributed` table if the place is
 * everywhere.
 */
export const statedTable = (database: string, place: Place): string =>
  `${database}.${isEverywhere(place) ? overName(tableOf(place)) : tableOf(place)}`;

/** Granules of an own table on the server of the query. `_seg` is the partition, which starts the name of the part. */
export const indexOf = (database: string, place: Place): string =>
  `(SELECT toUInt64(splitByChar('_', part_name)[1]) AS _seg, * FROM mergeTreeIndex('${database}', '${tableOf(place)}'))`;

const slotOf = (name: string, { pool }: Inside): string => {
  const slot = pool?.slots[name];
  if (slot === undefined) throw new RangeError(`column ${name} has no slot in map ${pool?.mapId}`);
  return slot;
};

/** Name and type of a column in its table. */
export const storedAs = (column: NamedColumn, place: Place): ColumnDefinition =>
  isPooled(place)
    ? { name: slotOf(column.name, insideOf(place)), type: `Nullable(${slotType(column)})` }
    : { name: column.name, type: `Nullable(${clickHouseType(column.physical)})` };

/** SQL that converts a value for writing to its stored column. */
export const writtenAs = (sql: string, column: NamedColumn, place: Place): string =>
  isPooled(place) && columnTypeOf(column.physical).plain.reinterpreted
    ? `reinterpret(${sql}, '${slotType(column)}')`
    : sql;

const readFrom = ({ name, physical }: NamedColumn, inside: Inside): string => {
  const slot = slotOf(name, inside);
  return columnTypeOf(physical).plain.reinterpreted
    ? `reinterpret(${slot}, '${clickHouseType(physical)}')`
    : slot;
};

/**
 * Bookkeeping columns of an own table: segment, position, and 1 for a tombstone, which deletes the row at its position. Pools have only
 * the first two.
 */
export const bookColumns = ['_seg', '_row', '_gone'] as const;

export const keyColumns = ['_seg', '_row'] as const;

export const isBookColumn = (name: string): boolean => bookColumns.some((book) => book === name);

/** `bookColumns` as a list in SQL. */
export const bookColumnNames = bookColumns.map((name) => `'${name}'`).join(', ');

/**
 * Table expression for FROM, with `_seg`, `_row` and the columns under their stored names. For a pool it is a subquery; conditions after it
 * still reach the table, since ClickHouse merges the subquery into the query.
 */
export const sourceOf = (database: string, place: Place, columns: readonly NamedColumn[]): string => {
  const table = statedTable(database, place);
  if (!isPooled(place)) return table;
  const list = columns.map((column) => `, ${readFrom(column, insideOf(place))} AS ${column.name}`).join('');
  return `(SELECT _seg, _row${list} FROM ${table})`;
};

export const namedColumn = (column: StoredColumn): NamedColumn => ({
  name: storageName(column),
  physical: column.physical,
});

/** Slot maps: which columns of a store are in which slots of a pool (slots.ts). No other file writes `slot_maps`. */
import { type NamedColumn, namedColumnOf } from '../model/column.js';
import { prepared, type Sql } from '../storage/postgres/sql.js';
import { extendSlots, type PoolClass, poolClassFor, type Slots } from './slots.js';

interface SlotMap {
  readonly id: number;
  readonly pool: PoolClass;
  readonly slots: Slots;
}

/** Query of the slot map `id` of the current version of a dataset; null: an own table. */
export const nearMapSql = (datasetId: string): string => `
  SELECT g.slot_map_id AS id FROM segment_ranges r JOIN segments g ON g.id = r.segment_id
  WHERE r.dataset_id = ${datasetId} AND r.until_version IS NULL LIMIT 1`;

/**
 * Condition that rows appended to a dataset go straight into its own table, where those of the current version are. False for datasets that
 * are everywhere. Arguments are expressions.
 */
export const joinsTableSql = (datasetId: string, storeId: string): string => `(
  EXISTS (SELECT 1 FROM (${nearMapSql(datasetId)}) AS n WHERE n.id IS NULL)
  AND EXISTS (SELECT 1 FROM stores s WHERE s.id = ${storeId} AND NOT s.everywhere))`;

const nearSql = prepared(nearMapSql('$1'));

/** Slot map of the current version of a dataset; undefined: none, or an own table. */
export const nearMap = async (sql: Sql, datasetId: number): Promise<number | undefined> => {
  const [row] = await sql.query<{ id: number | null }>(nearSql, [datasetId]);
  return row?.id ?? undefined;
};

/** Returns null if the segment is in an own table. */
export const mapOfSegment = async (sql: Sql, segmentId: number): Promise<number | null> => {
  const [row] = await sql.query<{ id: number | null }>(
    'SELECT slot_map_id AS id FROM segments WHERE id = $1',
    [segmentId],
  );
  return row?.id ?? null;
};

const lockMapSql = prepared(`
  SELECT id, pool, slots FROM slot_maps WHERE store_id = $1 AND ($2::bigint IS NULL OR id = $2)
  ORDER BY id DESC LIMIT 1 FOR NO KEY UPDATE`);

/** Locks a map until the end of the transaction, so that no other process takes its free slots. */
const lockMap = async (tx: Sql, storeId: number, id: number | undefined): Promise<SlotMap | undefined> => {
  const [map] = await tx.query<SlotMap>(lockMapSql, [storeId, id ?? null]);
  return map;
};

const extendMap = async (
  tx: Sql,
  map: SlotMap,
  columns: readonly NamedColumn[],
): Promise<number | undefined> => {
  const slots = extendSlots(map.pool, map.slots, columns);
  if (slots === undefined) return undefined;
  if (Object.keys(slots).length > Object.keys(map.slots).length)
    await tx.query('UPDATE slot_maps SET slots = $2 WHERE id = $1', [map.id, JSON.stringify(slots)]);
  return map.id;
};

const addMap = async (
  tx: Sql,
  storeId: number,
  pool: PoolClass,
  columns: readonly NamedColumn[],
): Promise<number> => {
  const [row] = await tx.query<{ id: number }>(
    'INSERT INTO slot_maps (store_id, pool, slots) VALUES ($1, $2, $3) RETURNING id',
    [storeId, pool, JSON.stringify(extendSlots(pool, {}, columns))],
  );
  if (row === undefined) throw new Error('a slot map was inserted but not returned');
  return row.id;
};

/**
 * Finds slots for the columns of a segment in an existing or a new map. Call it in a transaction.
 * @param near Map of rows that will be read with these. It is used if it has room; otherwise a new map has room for the columns of both.
 *   Undefined: the smallest class with room.
 * @returns The id of the map; null if no class has slots for the columns.
 */
export const findSlots = async (
  tx: Sql,
  storeId: number,
  columns: readonly NamedColumn[],
  near?: number,
): Promise<number | null> => {
  const smallest = poolClassFor(columns);
  if (smallest === undefined) return null;
  const latest = await lockMap(tx, storeId, near);
  if (latest !== undefined && (near !== undefined || latest.pool === smallest)) {
    const extended = await extendMap(tx, latest, columns);
    if (extended !== undefined) return extended;
  }
  const others = near === undefined ? [] : Object.keys(latest?.slots ?? {}).map(namedColumnOf);
  const pool = poolClassFor([...others, ...columns]) ?? smallest;
  return addMap(tx, storeId, pool, columns);
};

/**
 * Query of the `id` of the map that `findSlots` would return, if it already has all columns, so that no lock is needed. Returns no row if
 * slots must be taken. All arguments are expressions.
 * @param near As in `findSlots`; null: none.
 * @param names Array of the names of stored columns.
 * @param smallest Smallest class with slots for the columns.
 */
export const knownSlotsSql = ({
  storeId,
  near,
  names,
  smallest,
}: Readonly<Record<'storeId' | 'near' | 'names' | 'smallest', string>>): string => `
  SELECT m.id FROM (
    SELECT id, pool, slots FROM slot_maps WHERE store_id = ${storeId} AND id = coalesce(${near}, id)
    ORDER BY id DESC LIMIT 1
  ) AS m WHERE m.slots ?& ${names} AND (${near} IS NOT NULL OR m.pool = ${smallest})`;

/** Restores the maps of a saved dataset (saved-dataset.ts), with their new ids. */
export const restoreSlotMaps = async (tx: Sql, storeId: number): Promise<void> => {
  await tx.query(
    `INSERT INTO slot_maps (id, store_id, pool, slots) OVERRIDING SYSTEM VALUE
     SELECT n.id, $1, m.pool, m.slots FROM saved_slot_maps m JOIN new_slot_maps n ON n.old = m.id`,
    [storeId],
  );
};

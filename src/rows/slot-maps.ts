/** The slots of pools that columns of a store are stored in (slots.ts); the one place that writes `slot_maps`. */
import { type NamedColumn, namedColumnOf } from '../model/column.js';
import { prepared, type Sql } from '../storage/postgres/sql.js';
import { extendSlots, type PoolClass, poolClassFor, type Slots } from './slots.js';

interface SlotMap {
  readonly id: number;
  readonly pool: PoolClass;
  readonly slots: Slots;
}

/** Query of the `id` of the map of the current version of a dataset. */
export const nearMapSql = (datasetId: string): string => `
  SELECT g.slot_map_id AS id FROM segment_ranges r JOIN segments g ON g.id = r.segment_id
  WHERE r.dataset_id = ${datasetId} AND r.until_version IS NULL LIMIT 1`;

/**
 * Condition that rows which are appended to a dataset go into its own table, with those of the current version. What is
 * everywhere takes them from a pool. Both are expressions.
 */
export const joinsTableSql = (datasetId: string, storeId: string): string => `(
  EXISTS (SELECT 1 FROM (${nearMapSql(datasetId)}) AS n WHERE n.id IS NULL)
  AND EXISTS (SELECT 1 FROM stores s WHERE s.id = ${storeId} AND NOT s.everywhere))`;

const nearSql = prepared(nearMapSql('$1'));

/** The map of the current version of a dataset, for rows that are to be stored with its own; undefined: none. */
export const nearMap = async (sql: Sql, datasetId: number): Promise<number | undefined> => {
  const [row] = await sql.query<{ id: number | null }>(nearSql, [datasetId]);
  return row?.id ?? undefined;
};

/** Null: the segment is in an own table. */
export const mapOfSegment = async (sql: Sql, segmentId: number): Promise<number | null> => {
  const [row] = await sql.query<{ id: number | null }>(
    'SELECT slot_map_id AS id FROM segments WHERE id = $1',
    [segmentId],
  );
  return row?.id ?? null;
};

const holdMapSql = prepared(`
  SELECT id, pool, slots FROM slot_maps WHERE store_id = $1 AND ($2::bigint IS NULL OR id = $2)
  ORDER BY id DESC LIMIT 1 FOR NO KEY UPDATE`);

/** Held until the end of the transaction: nobody else takes its free slots. */
const holdMap = async (tx: Sql, storeId: number, id: number | undefined): Promise<SlotMap | undefined> => {
  const [map] = await tx.query<SlotMap>(holdMapSql, [storeId, id ?? null]);
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
 * Finds slots for the columns of a segment, in a map that exists or a new one. Call it in a transaction.
 * @param near The map of rows that these are to be read with, if its class has room for the columns, or of a larger
 *   class that has room for both. Without it the smallest class is taken.
 * @returns The id of the map; null when no class has slots for the columns.
 */
export const findSlots = async (
  tx: Sql,
  storeId: number,
  columns: readonly NamedColumn[],
  near?: number,
): Promise<number | null> => {
  const smallest = poolClassFor(columns);
  if (smallest === undefined) return null;
  const latest = await holdMap(tx, storeId, near);
  if (latest !== undefined && (near !== undefined || latest.pool === smallest)) {
    const extended = await extendMap(tx, latest, columns);
    if (extended !== undefined) return extended;
  }
  const others = near === undefined ? [] : Object.keys(latest?.slots ?? {}).map(namedColumnOf);
  const pool = poolClassFor([...others, ...columns]) ?? smallest;
  return addMap(tx, storeId, pool, columns);
};

/**
 * Query of the `id` of the map that `findSlots` would give, where it has all columns already: nothing has to be held. No row
 * where slots have to be taken. All are expressions.
 * @param near The map that `near` stands for there; null: none.
 * @param names Of the stored columns, an array.
 * @param smallest The smallest class that has slots for the columns.
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

/** Maps of a dataset of a backup (saved-dataset.ts), under the ids that were given to them. */
export const restoreSlotMaps = async (tx: Sql, storeId: number): Promise<void> => {
  await tx.query(
    `INSERT INTO slot_maps (id, store_id, pool, slots) OVERRIDING SYSTEM VALUE
     SELECT n.id, $1, m.pool, m.slots FROM saved_slot_maps m JOIN new_slot_maps n ON n.old = m.id`,
    [storeId],
  );
};

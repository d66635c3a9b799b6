/**
 * Registers segments: chooses where their rows are stored, before the first row is written. Short files share pools; everything else goes
 * to the own table of the dataset.
 */
import type { NamedColumn } from '../model/column.js';
import type { Place } from '../model/version.js';
import { prepared, type Sql } from '../storage/postgres/sql.js';
import { placeSql, slotMapOf } from './place.js';
import { addSegmentSql } from './segment-records.js';
import { findSlots, joinsTableSql, knownSlotsSql, mapOfSegment, nearMap, nearMapSql } from './slot-maps.js';
import { poolClassFor } from './slots.js';

export interface NewSegment {
  readonly id: number;
  readonly processId: number;
  readonly storeId: number;
}

/** Requested location of a new segment. Without columns and `near`: the own table of the dataset. */
export interface Wish {
  /** Columns of rows that are few enough for a pool; absent: the place of `near`, pool or own table. */
  readonly columns?: readonly NamedColumn[] | undefined;
  /**
   * Rows that will be read together with these: the current version of a dataset, a segment, or a place. Rows in one place need no copy to
   * be read together. An own table is chosen only for `segmentId`.
   */
  readonly near?: { readonly datasetId: number } | { readonly segmentId: number } | { readonly place: Place };
  /** Dataset to whose current version the rows are only appended, so that they may go to its own table. */
  readonly appendedTo?: number | undefined;
}

/** A wish as the `jsonb` parameter of a statement with `registerSql`. */
export type WishValue = string | null;

const ownTable: WishValue = null;

/** Converts a wish for a statement with `registerSql`, which does nothing if slots must be taken first (`takeSlots`). */
export const wishValue = ({ columns, near, appendedTo }: Wish): WishValue => {
  const smallest = columns && poolClassFor(columns);
  if (columns === undefined || smallest === undefined) return ownTable;
  return JSON.stringify({
    names: columns.map(({ name }) => name),
    smallest,
    near: near !== undefined,
    appended: appendedTo !== undefined,
  });
};

const joinsSql = prepared(`SELECT ${joinsTableSql('$1', '$2::bigint')} AS joins`);

const joinsTable = async (tx: Sql, storeId: number, datasetId: number | undefined): Promise<boolean> => {
  if (datasetId === undefined) return false;
  const [row] = await tx.query<{ joins: boolean }>(joinsSql, [datasetId, storeId]);
  return row?.joins === true;
};

/** Slot map for a wish; null: the own table. */
const chooseMap = async (
  tx: Sql,
  storeId: number,
  { columns, near, appendedTo }: Wish,
): Promise<number | null> => {
  const readNear = async (): Promise<number | null | undefined> => {
    if (near === undefined) return undefined;
    if ('place' in near) return slotMapOf(near.place);
    return 'segmentId' in near ? mapOfSegment(tx, near.segmentId) : nearMap(tx, near.datasetId);
  };
  if (await joinsTable(tx, storeId, appendedTo)) return null;
  const map = await readNear();
  if (columns === undefined) return map ?? null;
  return map === null ? null : findSlots(tx, storeId, columns, map);
};

/** Like `wishValue`, after taking the missing slots. Call it in a transaction. */
export const takeSlots = async (tx: Sql, storeId: number, wish: Wish): Promise<WishValue> => {
  const map = await chooseMap(tx, storeId, wish);
  return map === null ? ownTable : JSON.stringify({ map });
};

const addSql = prepared(
  `${addSegmentSql(
    {
      id: '$1::bigint',
      storeId: '$2::bigint',
      processId: 'p.id',
      uploadNumber: 'p.upload_number',
      slotMapId: '$4::bigint',
    },
    'FROM processes p WHERE p.id = $3',
    'g',
  )} RETURNING ${placeSql('g')} AS place`,
);

/** Registers a segment of a process and chooses its place. Call it in a transaction. */
export const register = async (
  tx: Sql,
  { id, processId, storeId }: NewSegment,
  wish: Wish,
): Promise<Place> => {
  const map = await chooseMap(tx, storeId, wish);
  const [added] = await tx.query<{ place: Place }>(addSql, [id, storeId, processId, map]);
  if (added === undefined) throw new Error('a segment was inserted but not returned');
  return added.place;
};

/**
 * Fragments that register a segment as part of one statement. All arguments are expressions.
 *
 *   places    common table expressions that choose the place
 *   isPlaced  condition that a place was chosen; false if slots must be taken first
 *   segment   statement that adds the segment
 */
export const registerSql = (
  { datasetId, storeId, wish }: Readonly<Record<'datasetId' | 'storeId' | 'wish', string>>,
  { id, processId, uploadNumber }: Readonly<Record<'id' | 'processId' | 'uploadNumber', string>>,
  source: string,
): Readonly<Record<'places' | 'isPlaced' | 'segment', string>> => ({
  places: `near AS (
    SELECT * FROM (${nearMapSql(datasetId)}) AS n WHERE (${wish} ->> 'near')::boolean
  ), joined AS (
    SELECT coalesce((${wish} ->> 'appended')::boolean AND ${joinsTableSql(datasetId, storeId)}, false) AS joins
  ), map AS (
    SELECT (${wish} ->> 'map')::bigint AS id WHERE ${wish} ? 'map'
    UNION ALL SELECT NULL FROM joined WHERE joins
    UNION ALL SELECT k.id FROM joined, LATERAL (${knownSlotsSql({
      storeId,
      near: '(SELECT id FROM near)',
      names: `ARRAY(SELECT jsonb_array_elements_text(${wish} -> 'names'))`,
      smallest: `(${wish} ->> 'smallest')`,
    })}) AS k WHERE ${wish} ? 'names' AND NOT joins
  )`,
  isPlaced: `(${wish} IS NULL OR EXISTS (SELECT 1 FROM map))`,
  segment: addSegmentSql({ id, processId, uploadNumber, storeId, slotMapId: '(SELECT id FROM map)' }, source),
});

/**
 * Condition that `appendTogether` may write the segment: it goes to a pool, or to the own table of the current version. All arguments are
 * expressions; `isJoined`: the rows are appended to that version, or merged with it.
 */
export const takenTogetherSql = ({
  id,
  datasetId,
  storeId,
  isJoined,
}: Readonly<Record<'id' | 'datasetId' | 'storeId' | 'isJoined', string>>): string =>
  `EXISTS (SELECT 1 FROM segments g WHERE g.id = ${id} AND (g.slot_map_id IS NOT NULL
    OR ${isJoined} AND ${joinsTableSql(datasetId, storeId)}))`;

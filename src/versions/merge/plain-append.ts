/**
 * Publishes an append without a merge if the segment of the file can follow those of the current version in the same place, so that nothing
 * must be copied or counted.
 */

import type { StoredColumn } from '../../model/column.js';
import { type Place, segmentId } from '../../model/version.js';
import { fitsPool, hasSlots, isPooled, isSamePlace, namedColumn, type PoolLimits } from '../../rows/index.js';
import { placeSql } from '../../rows/sql.js';
import { prepared, type Sql } from '../../storage/postgres/sql.js';
import { type BaseVersion, readBase } from '../../uploads/layout/base-version.js';
import { joinedColumns, storedColumns } from '../../uploads/layout/layout.js';
import type { MergeOutcome } from '../../uploads/lifecycle/merge-records.js';
import type { DueProcess } from '../../uploads/lifecycle/publication.js';
import type { JoinPlainly } from '../../uploads/lifecycle/publisher.js';
import { joinFacts } from './joined-facts.js';
import { boundTo, conflictingNames, isBoundTo, isKeptIn, isStale } from './layout-rebase.js';

interface Room {
  readonly place: Place;
  /** Rows that the plan allows; null: any. */
  readonly maxRows: number | null;
}

const roomSql = prepared(`
  SELECT ${placeSql('g')} AS place, plans.max_dataset_rows AS "maxRows"
  FROM segments g, datasets d JOIN repositories r ON r.id = d.repository_id
    JOIN accounts a ON a.id = r.created_by JOIN plans ON plans.name = a.plan
  WHERE g.id = $1 AND d.id = $2`);

const readRoom = async (sql: Sql, { id, attempt, datasetId }: DueProcess): Promise<Room | undefined> => {
  const [room] = await sql.query<Room>(roomSql, [segmentId(id, attempt), datasetId]);
  return room;
};

/** True if both are in one place with all columns and room for both. Without segments, the place of the base may lack its columns. */
const hasRoom = (
  { place, maxRows }: Room,
  base: BaseVersion,
  columns: readonly StoredColumn[],
  { facts }: DueProcess,
  limits: PoolLimits,
): boolean => {
  const rows = base.rowCount + facts.rows;
  return (
    base.place !== null &&
    isSamePlace(base.place, place) &&
    hasSlots(place, columns.map(namedColumn)) &&
    (!isPooled(place) || fitsPool(limits, { rows, bytes: base.byteSize + facts.bytes })) &&
    (maxRows === null || rows <= maxRows)
  );
};

export const createPlainAppend =
  (limits: PoolLimits): JoinPlainly =>
  async (tx, due): Promise<MergeOutcome | undefined> => {
    const { mode, datasetId, facts, dryRun } = due;
    if (mode !== 'append' || dryRun) return undefined;
    const base = await readBase(tx, datasetId);
    if (base === undefined) return undefined;
    const layout = boundTo(due.layout, base, mode);
    const columns = joinedColumns(base.columns, layout);
    if (!isKeptIn(columns, base.columns) || conflictingNames(layout).length > 0) return undefined;
    if (!isBoundTo(due.layout, layout)) return undefined;
    if (await isStale(tx, due)) return undefined;
    const room = await readRoom(tx, due);
    if (room === undefined || !hasRoom(room, base, columns, due, limits)) return undefined;
    const joined = await joinFacts(tx, datasetId, base, columns, { columns: storedColumns(layout), facts });
    return (
      joined && {
        baseVersionId: base.versionId,
        segmentId: null,
        keepsBase: true,
        columns,
        facts: joined,
        changes: { inserted: facts.rows, replaced: 0, unchanged: 0, removed: 0 },
      }
    );
  };

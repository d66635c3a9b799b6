import { type AppError, conflict, notFound } from '../lib/errors.js';
import type { Instant } from '../lib/instant.js';
import { requireQuota } from '../model/plan.js';
import type { ColumnChanges } from '../model/version.js';
import { addVersion, markVersion, removeVersions, reopenSegments, shareContent } from '../rows/index.js';
import { likeVersionSql } from '../rows/sql.js';
import { recordAudit } from '../storage/postgres/audit.js';
import { keepList, type ListPair, shownChanges, wholeChanges } from '../storage/postgres/column-lists.js';
import { holdDataset } from '../storage/postgres/datasets.js';
import type { Sql } from '../storage/postgres/sql.js';
import { validFrom, versionAt } from '../storage/postgres/version-at.js';
import { removeDue } from './version-removal.js';

/** A version as the API lists it. */
interface VersionView {
  readonly versionId: string;
  /** ISO 8601 in UTC, without zone offset. */
  readonly createdAt: string;
  /** Start of its validity for `asOf`: `createdAt`, or the date of a vintage that was loaded afterwards. */
  readonly validFrom: string;
  readonly mode: string;
  readonly processId: number | null;
  readonly rows: number;
  readonly bytes: number;
  /** Differences from the previous version. */
  readonly columns: ColumnChanges;
  readonly minDate: string | null;
  readonly maxDate: string | null;
  readonly label: string | null;
  readonly pinned: boolean;
  readonly current: boolean;
}

export interface VersionRecords {
  /** Newest first. Long lists of changed columns are truncated. */
  list(datasetId: number, page: { top: number; before: number | undefined }): Promise<VersionView[]>;
  /** The version that was current at an instant. @throws AppError 404 */
  at(datasetId: number, instant: Instant): Promise<VersionView>;
  /** With every changed column. @throws AppError 404. */
  read(datasetId: number, versionId: number): Promise<VersionView>;
  /** @throws AppError 404. */
  mark(
    datasetId: number,
    versionId: number,
    marks: { label: string | null; pinned: boolean },
  ): Promise<VersionView>;
  /**
   * Publishes a new version with the same rows, without copying them. Removes versions that retention no longer keeps.
   * @throws AppError 404; 402 for more rows or columns than the plan allows
   */
  restore(datasetId: number, versionId: number): Promise<VersionView>;
  /** @throws AppError 404; 409 for the current version. */
  remove(datasetId: number, versionId: number): Promise<void>;
}

interface VersionRow extends Omit<VersionView, 'versionId' | 'columns'> {
  id: number;
  list: number;
  /** Column list of the previous version; 0 for the first one. */
  listBefore: number;
}

const rowColumns = `v.id, v.mode, coalesce(
    (SELECT p.public_id FROM processes p WHERE p.id = v.process_id), v.process_id) AS "processId", v.row_count AS rows, v.byte_size AS bytes,
  v.min_date AS "minDate", v.max_date AS "maxDate", v.label, v.pinned, v.id = d.current_version_id AS current,
  v.column_list_id AS list, coalesce((SELECT b.column_list_id FROM versions b
    WHERE b.dataset_id = v.dataset_id AND b.id < v.id ORDER BY b.id DESC LIMIT 1), 0) AS "listBefore",
  to_char(v.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') AS "createdAt",
  to_char(${validFrom('v')} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') AS "validFrom"`;

const pairOf = ({ list, listBefore }: VersionRow): ListPair => ({ from: listBefore, to: list });

const viewOf = (
  { id, list: _list, listBefore: _before, ...row }: VersionRow,
  columns: ColumnChanges,
): VersionView => ({ versionId: String(id), ...row, columns });

interface Room {
  readonly rows: number;
  readonly columns: number;
  readonly maxRows: number | null;
  readonly maxColumns: number | null;
}

const roomSql = `
  SELECT v.row_count AS rows, jsonb_array_length(l.columns) AS columns, p.max_dataset_rows AS "maxRows",
    p.max_columns AS "maxColumns"
  FROM versions v JOIN column_lists l ON l.id = v.column_list_id JOIN datasets d ON d.id = v.dataset_id
    JOIN repositories r ON r.id = d.repository_id JOIN accounts a ON a.id = r.created_by JOIN plans p ON p.name = a.plan
  WHERE v.dataset_id = $1 AND v.id = $2`;

/** The columns of the version `:like` with their current names and roles, which the current version must always have. */
const presentListSql = `
  SELECT (SELECT coalesce(jsonb_agg(s.item || jsonb_build_object('name', coalesce(c.name, s.item ->> 'name'),
        'isEntity', coalesce(c.is_entity, (s.item ->> 'isEntity')::boolean)) ORDER BY s.position), '[]')
      FROM jsonb_array_elements(l.columns) WITH ORDINALITY AS s (item, position)
        LEFT JOIN columns c ON c.id = (s.item ->> 'id')::bigint) AS columns
  FROM versions v JOIN column_lists l ON l.id = v.column_list_id WHERE v.dataset_id = :datasetId AND v.id = :like`;

const restored = {
  list: keepList(':datasetId', presentListSql),
  row: likeVersionSql('restore'),
};

const unknown = (versionId: number): AppError =>
  notFound('unknown_version', `The dataset has no version ${versionId}.`);

export const createVersionRecords = (sql: Sql): VersionRecords => {
  const row = async (tx: Sql, datasetId: number, versionId: number): Promise<VersionRow> => {
    const [found] = await tx.query<VersionRow>(
      `SELECT ${rowColumns} FROM versions v JOIN datasets d ON d.id = v.dataset_id
       WHERE v.dataset_id = $1 AND v.id = $2`,
      [datasetId, versionId],
    );
    if (found === undefined) throw unknown(versionId);
    return found;
  };

  /** The version as `list` returns it. */
  const shown = async (tx: Sql, datasetId: number, versionId: number): Promise<VersionView> => {
    const found = await row(tx, datasetId, versionId);
    const changes = await shownChanges(tx, [pairOf(found)]);
    return viewOf(found, changes(pairOf(found)));
  };

  /** Locks the dataset, as publishing does. Returns its current version. */
  const hold = async (tx: Sql, datasetId: number): Promise<number | null> => {
    const dataset = await holdDataset(tx, datasetId);
    return dataset?.current ?? null;
  };

  /** Checks the limits of the plan, which may have changed since the version was published. */
  const requireRoom = async (tx: Sql, datasetId: number, versionId: number): Promise<void> => {
    const [room] = await tx.query<Room>(roomSql, [datasetId, versionId]);
    if (room === undefined) throw unknown(versionId);
    requireQuota('datasetRows', room.maxRows, room.rows);
    requireQuota('columns', room.maxColumns, room.columns);
  };

  return {
    async list(datasetId, { top, before }) {
      const rows = await sql.query<VersionRow>(
        `SELECT ${rowColumns} FROM versions v JOIN datasets d ON d.id = v.dataset_id
         WHERE v.dataset_id = $1 AND ($2::bigint IS NULL OR v.id < $2) ORDER BY v.id DESC LIMIT $3`,
        [datasetId, before ?? null, top],
      );
      const changes = await shownChanges(sql, rows.map(pairOf));
      return rows.map((found) => viewOf(found, changes(pairOf(found))));
    },

    at: async (datasetId, instant) => shown(sql, datasetId, await versionAt(sql, datasetId, instant)),

    async read(datasetId, versionId) {
      const found = await row(sql, datasetId, versionId);
      return viewOf(found, await wholeChanges(sql, pairOf(found)));
    },

    mark: (datasetId, versionId, marks) =>
      sql.tx(async (tx) => {
        // Retention reads pins under this lock.
        await hold(tx, datasetId);
        await markVersion(tx, datasetId, versionId, marks);
        return shown(tx, datasetId, versionId);
      }),

    restore: (datasetId, versionId) =>
      sql.tx(async (tx) => {
        await hold(tx, datasetId);
        await requireRoom(tx, datasetId, versionId);
        const version = await addVersion(tx, restored, { datasetId, like: versionId });
        if (version === undefined) throw unknown(versionId);
        await shareContent(tx, version.id, versionId);
        await reopenSegments(tx, datasetId, version.id, versionId);
        await removeDue(tx, datasetId);
        return shown(tx, datasetId, version.id);
      }),

    remove: (datasetId, versionId) =>
      sql.tx(async (tx) => {
        if ((await hold(tx, datasetId)) === versionId)
          throw conflict(
            'current_version',
            'The current version cannot be deleted; restore another one first.',
          );
        await row(tx, datasetId, versionId);
        await removeVersions(tx, datasetId, [versionId]);
        await recordAudit(tx, {
          action: 'version.delete',
          target: { kind: 'version', id: versionId },
          details: { datasetId },
        });
      }),
  };
};

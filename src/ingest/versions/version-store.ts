import { type AppError, conflict, notFound } from '../../lib/errors.js';
import type { ColumnChanges } from '../../model/version.js';
import { type ListPair, shownChanges, wholeChanges } from '../../storage/postgres/column-lists.js';
import { reopenSegments } from '../../storage/postgres/segment-ranges.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { removeVersions } from './version-removal.js';

/** A version as the API lists it. */
export interface VersionView {
  readonly versionId: string;
  /** ISO 8601 in UTC, without zone offset. */
  readonly createdAt: string;
  readonly mode: string;
  readonly processId: number | null;
  readonly rows: number;
  readonly bytes: number;
  /** Compared with the version before it. */
  readonly columns: ColumnChanges;
  readonly minDate: string | null;
  readonly maxDate: string | null;
  readonly label: string | null;
  readonly pinned: boolean;
  readonly current: boolean;
}

export interface VersionStore {
  /** Newest first; long lists of changed columns are cut. */
  list(datasetId: number, page: { top: number; before: number | undefined }): Promise<VersionView[]>;
  /** With every changed column. @throws AppError 404. */
  read(datasetId: number, versionId: number): Promise<VersionView>;
  /** @throws AppError 404. */
  mark(
    datasetId: number,
    versionId: number,
    marks: { label: string | null; pinned: boolean },
  ): Promise<VersionView>;
  /** Makes a version of the same rows the current one; no row is copied. @throws AppError 404. */
  restore(datasetId: number, versionId: number): Promise<VersionView>;
  /** @throws AppError 404; 409 for the current version. */
  remove(datasetId: number, versionId: number): Promise<void>;
}

interface VersionRow extends Omit<VersionView, 'versionId' | 'columns'> {
  id: number;
  list: number;
  /** Of the version before; 0 for the first one. */
  listBefore: number;
}

const rowColumns = `v.id, v.mode, v.process_id AS "processId", v.row_count AS rows, v.byte_size AS bytes,
  v.min_date AS "minDate", v.max_date AS "maxDate", v.label, v.pinned, v.id = d.current_version_id AS current,
  v.column_list_id AS list, coalesce((SELECT b.column_list_id FROM versions b
    WHERE b.dataset_id = v.dataset_id AND b.id < v.id ORDER BY b.id DESC LIMIT 1), 0) AS "listBefore",
  to_char(v.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') AS "createdAt"`;

const pairOf = ({ list, listBefore }: VersionRow): ListPair => ({ from: listBefore, to: list });

const viewOf = (
  { id, list: _list, listBefore: _before, ...row }: VersionRow,
  columns: ColumnChanges,
): VersionView => ({ versionId: String(id), ...row, columns });

const unknown = (versionId: number): AppError =>
  notFound('unknown_version', `The dataset has no version ${versionId}.`);

export const createVersionStore = (sql: Sql): VersionStore => {
  const row = async (tx: Sql, datasetId: number, versionId: number): Promise<VersionRow> => {
    const [found] = await tx.query<VersionRow>(
      `SELECT ${rowColumns} FROM versions v JOIN datasets d ON d.id = v.dataset_id
       WHERE v.dataset_id = $1 AND v.id = $2`,
      [datasetId, versionId],
    );
    if (found === undefined) throw unknown(versionId);
    return found;
  };

  /** As lists show it. */
  const shown = async (tx: Sql, datasetId: number, versionId: number): Promise<VersionView> => {
    const found = await row(tx, datasetId, versionId);
    const changes = await shownChanges(tx, [pairOf(found)]);
    return viewOf(found, changes(pairOf(found)));
  };

  /** The order of locks is that of publishing: the dataset first. */
  const hold = async (tx: Sql, datasetId: number): Promise<number | null> => {
    const [dataset] = await tx.query<{ current: number | null }>(
      'SELECT current_version_id AS current FROM datasets WHERE id = $1 FOR NO KEY UPDATE',
      [datasetId],
    );
    return dataset?.current ?? null;
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

    async read(datasetId, versionId) {
      const found = await row(sql, datasetId, versionId);
      return viewOf(found, await wholeChanges(sql, pairOf(found)));
    },

    mark: (datasetId, versionId, { label, pinned }) =>
      sql.tx(async (tx) => {
        // Retention looks at pins under this lock.
        await hold(tx, datasetId);
        await tx.query('UPDATE versions SET label = $3, pinned = $4 WHERE dataset_id = $1 AND id = $2', [
          datasetId,
          versionId,
          label,
          pinned,
        ]);
        return shown(tx, datasetId, versionId);
      }),

    restore: (datasetId, versionId) =>
      sql.tx(async (tx) => {
        await hold(tx, datasetId);
        const [version] = await tx.query<{ id: number }>(
          `INSERT INTO versions
             (dataset_id, mode, column_list_id, row_count, byte_size, min_date, max_date, frequency)
           SELECT dataset_id, 'restore', column_list_id, row_count, byte_size, min_date, max_date, frequency
           FROM versions WHERE dataset_id = $1 AND id = $2 RETURNING id`,
          [datasetId, versionId],
        );
        if (version === undefined) throw unknown(versionId);
        await reopenSegments(tx, datasetId, version.id, versionId);
        await tx.query('UPDATE datasets SET current_version_id = $2, updated_at = now() WHERE id = $1', [
          datasetId,
          version.id,
        ]);
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
      }),
  };
};

import { conflict, notFound } from '../lib/errors.js';
import type { StoredColumn } from '../model/column.js';
import type { ClickHouse } from '../storage/clickhouse/client.js';
import {
  type ComparedVersion,
  compareVersions,
  type RowChanges,
} from '../storage/clickhouse/version-comparison.js';
import type { Sql } from '../storage/postgres/sql.js';

export interface VersionDiffCounts extends RowChanges {
  readonly from: string;
  readonly to: string;
  /** Names of the columns by which rows are matched. */
  readonly keys: string[];
}

export interface VersionDiff {
  /** @throws AppError 404; 409 when a version was deleted meanwhile. */
  count(datasetId: number, from: number, to: number): Promise<VersionDiffCounts>;
}

interface VersionRow extends ComparedVersion {
  readonly storeId: number;
}

const rowsOf = (segmentIds: readonly number[]): string => segmentIds.join(',');

export const createVersionDiff = ({ sql, clickhouse }: { sql: Sql; clickhouse: ClickHouse }): VersionDiff => {
  const read = async (datasetId: number, versionId: number): Promise<VersionRow> => {
    const [row] = await sql.query<VersionRow>(
      `SELECT d.store_id AS "storeId", v.columns, v.row_count AS "rowCount",
         (SELECT coalesce(json_agg(s.segment_id ORDER BY s.segment_id), '[]')
          FROM version_segments s WHERE s.version_id = v.id) AS "segmentIds"
       FROM versions v JOIN datasets d ON d.id = v.dataset_id WHERE v.dataset_id = $1 AND v.id = $2`,
      [datasetId, versionId],
    );
    if (row === undefined) throw notFound('unknown_version', `The dataset has no version ${versionId}.`);
    return row;
  };

  const keysOf = (from: VersionRow, to: VersionRow): StoredColumn[] => {
    const before = new Map(from.columns.map((column) => [column.id, column]));
    return to.columns.filter(({ id, isEntity }) => isEntity && before.get(id)?.isEntity === true);
  };

  return {
    async count(datasetId, fromId, toId) {
      const [from, to] = await Promise.all([read(datasetId, fromId), read(datasetId, toId)]);
      const keys = keysOf(from, to);
      const changes = await compareVersions(
        clickhouse,
        to.storeId,
        { from, to },
        keys.map(({ id }) => id),
      );
      // Segments are dropped or joined only after no version names them: the same list means the same rows.
      const [fromNow, toNow] = await Promise.all([read(datasetId, fromId), read(datasetId, toId)]);
      if (
        rowsOf(fromNow.segmentIds) !== rowsOf(from.segmentIds) ||
        rowsOf(toNow.segmentIds) !== rowsOf(to.segmentIds)
      )
        throw conflict('version_changed', 'A version was rearranged meanwhile; ask again.');
      return { from: String(fromId), to: String(toId), keys: keys.map(({ name }) => name), ...changes };
    },
  };
};

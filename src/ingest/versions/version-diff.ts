import { conflict, notFound } from '../../lib/errors.js';
import type { ClickHouse } from '../../storage/clickhouse/client.js';
import {
  type ComparedVersion,
  commonKeys,
  compareVersions,
  type RowChanges,
} from '../../storage/clickhouse/version-comparison.js';
import { columnsOfVersion } from '../../storage/postgres/column-lists.js';
import { versionPlacementColumn } from '../../storage/postgres/placements.js';
import { segmentListColumns } from '../../storage/postgres/segment-ranges.js';
import type { Sql } from '../../storage/postgres/sql.js';

export interface VersionDiffCounts extends RowChanges {
  readonly from: string;
  readonly to: string;
  /** Names of the columns by which rows are matched. */
  readonly keys: string[];
}

export interface VersionDiff {
  /**
   * @param signal ends the query with the client.
   * @throws AppError 404; 409 when a version was deleted meanwhile; 503 when the data store has no room.
   */
  count(datasetId: number, from: number, to: number, signal: AbortSignal): Promise<VersionDiffCounts>;
}

/** Comparisons that compaction may disturb before the caller is told. */
const maxAttempts = 3;

const rowsOf = ({ segmentIds, cuts }: ComparedVersion): string => JSON.stringify([segmentIds, cuts]);

export const createVersionDiff = ({ sql, clickhouse }: { sql: Sql; clickhouse: ClickHouse }): VersionDiff => {
  const read = async (datasetId: number, versionId: number): Promise<ComparedVersion> => {
    const [row] = await sql.query<ComparedVersion>(
      `SELECT ${columnsOfVersion('v')} AS columns, v.row_count AS "rowCount",
         ${segmentListColumns('v')}, ${versionPlacementColumn('v')}
       FROM versions v WHERE v.dataset_id = $1 AND v.id = $2`,
      [datasetId, versionId],
    );
    if (row === undefined) throw notFound('unknown_version', `The dataset has no version ${versionId}.`);
    return row;
  };

  /** One after the other: of two versions that are missing, the first is named. */
  const both = async (datasetId: number, fromId: number, toId: number) =>
    [await read(datasetId, fromId), await read(datasetId, toId)] as const;

  return {
    async count(datasetId, fromId, toId, signal) {
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const [from, to] = await both(datasetId, fromId, toId);
        const keys = commonKeys(from.columns, to.columns);
        const changes = await compareVersions(
          clickhouse,
          { from, to },
          keys.map(({ id }) => id),
          signal,
        );
        // Segments are dropped or joined only after no version names them: the same lists mean the same rows.
        const [fromNow, toNow] = await both(datasetId, fromId, toId);
        if (rowsOf(fromNow) === rowsOf(from) && rowsOf(toNow) === rowsOf(to))
          return { from: String(fromId), to: String(toId), keys: keys.map(({ name }) => name), ...changes };
      }
      throw conflict('version_changed', 'A version was rearranged in the meantime; try again.');
    },
  };
};

import type { StoredColumn } from '../../model/column.js';
import type { Placement } from '../../model/placement.js';
import type { SegmentCut } from '../../model/version.js';
import { columnsOfVersion } from '../../storage/postgres/column-lists.js';
import { readRegistry } from '../../storage/postgres/columns.js';
import { versionPlacementColumn } from '../../storage/postgres/placements.js';
import { segmentListColumns } from '../../storage/postgres/segment-ranges.js';
import type { Sql } from '../../storage/postgres/sql.js';

/** The version that an upload changes or is compared with. */
export interface BaseVersion {
  readonly versionId: number;
  /** Under the names and roles that they have now. */
  readonly columns: readonly StoredColumn[];
  readonly rowCount: number;
  readonly byteSize: number;
  /** In reading order. */
  readonly segmentIds: readonly number[];
  readonly cuts: readonly SegmentCut[];
  /** Null without segments. */
  readonly placement: Placement | null;
}

/** The current version of a dataset; undefined before its first upload. */
export const readBase = async (sql: Sql, datasetId: number): Promise<BaseVersion | undefined> => {
  const [row] = await sql.query<BaseVersion>(
    `SELECT v.id AS "versionId", ${columnsOfVersion('v')} AS columns, v.row_count AS "rowCount", v.byte_size AS "byteSize",
       ${segmentListColumns('v')}, ${versionPlacementColumn('v')}
     FROM datasets d JOIN versions v ON v.id = d.current_version_id WHERE d.id = $1`,
    [datasetId],
  );
  if (row === undefined) return undefined;
  const today = new Map((await readRegistry(sql, datasetId)).map((column) => [column.id, column]));
  const columns = row.columns.map((column) => {
    const now = today.get(column.id);
    return now === undefined
      ? column
      : { ...column, name: now.name, isEntity: now.isEntity ?? column.isEntity };
  });
  return { ...row, columns };
};

/**
 * Checks that ClickHouse can read each version: its tables must have every column of the version. Versions in one place with the same column
 * list need the same table columns, so only one row of the newest of them is read.
 */

import type { NamedColumn, StoredColumn } from '../../model/column.js';
import type { Place } from '../../model/version.js';
import {
  hasSlots,
  isPooled,
  namedColumn,
  readOneRow,
  type SegmentListRow,
  type Write,
} from '../../rows/index.js';
import { segmentListColumns, segmentsOf, versionPlaceColumn } from '../../rows/sql.js';
import type { ClickHouseServers } from '../../storage/clickhouse/client.js';
import { isUnknownTable, isUnreadable, lacksColumn } from '../../storage/clickhouse/errors.js';
import { versionColumns } from '../../storage/postgres/column-lists.js';
import type { Sql } from '../../storage/postgres/sql.js';

/** Versions of a dataset that cannot be read. */
export interface UnreadableVersions {
  readonly dataset: number;
  readonly name: string;
  /** The newest of them. */
  readonly version: number;
  readonly fault: 'columns_missing';
  readonly expected: number;
  readonly found: null;
  /** `repaired`, or null: not tried. */
  readonly repair: 'repaired' | null;
}

interface VersionReadsOptions {
  readonly sql: Sql;
  readonly clickhouse: ClickHouseServers;
  readonly write: Pick<Write, 'prepare' | 'prepareAgain'>;
}

export interface VersionReads {
  /**
   * Reads one row of each version with rows.
   * @param repair True: adds missing columns to own tables.
   */
  check(datasets: readonly number[], repair: boolean): Promise<UnreadableVersions[]>;
  /** Adds missing columns of versions to own tables, after rows were restored from a backup. */
  repairAll(): Promise<void>;
}

interface VersionGroup {
  readonly dataset: number;
  readonly name: string;
  readonly version: number;
}

const groupsSql = `
  SELECT v.dataset_id AS dataset, d.name, max(v.id) AS version
  FROM versions v JOIN datasets d ON d.id = v.dataset_id,
    LATERAL (SELECT s.segment_id FROM (${segmentsOf('v.dataset_id', 'v.id')}) AS s LIMIT 1) AS s
    JOIN segments g ON g.id = s.segment_id
  WHERE v.dataset_id = ANY ($1) AND v.row_count > 0 AND ($2 OR g.slot_map_id IS NULL)
  GROUP BY v.dataset_id, d.name, v.column_list_id, g.store_id, g.slot_map_id ORDER BY 1, 3`;

interface VersionRow extends SegmentListRow {
  readonly columns: readonly StoredColumn[];
  readonly rows: number;
  readonly place: Place | null;
}

const versionSql = `
  SELECT ${versionColumns} AS columns, v.row_count AS rows, ${segmentListColumns}, ${versionPlaceColumn}
  FROM versions v WHERE v.dataset_id = $1 AND v.id = $2`;

const pageSize = 200;

export const createVersionReads = ({ sql, clickhouse, write }: VersionReadsOptions): VersionReads => {
  /** Undefined for a version that was deleted meanwhile. */
  const read = async ({ dataset, version }: VersionGroup): Promise<VersionRow | undefined> =>
    (await sql.query<VersionRow>(versionSql, [dataset, version]))[0];

  const isReadable = async (
    { place, ...list }: VersionRow,
    columns: readonly NamedColumn[],
  ): Promise<boolean> => {
    if (place === null) return true;
    if (!hasSlots(place, columns)) return false;
    try {
      await readOneRow(clickhouse, place, list, columns);
      return true;
    } catch (error) {
      if (lacksColumn(error)) return false;
      // Missing tables and damaged rows are faults of segments, which are checked and repaired separately.
      if (isUnknownTable(error) || isUnreadable(error)) return true;
      throw error;
    }
  };

  const checkGroup = async (
    group: VersionGroup,
    repair: boolean,
  ): Promise<UnreadableVersions | undefined> => {
    const version = await read(group);
    const columns = version?.columns.map(namedColumn) ?? [];
    if (version === undefined || (await isReadable(version, columns))) return undefined;
    // Its rows may have moved since the version was read.
    const now = await read(group);
    if (now === undefined || now.place === null || (await isReadable(now, columns))) return undefined;
    const { place } = now;
    const isRepaired = repair && !isPooled(place);
    if (isRepaired) await write.prepareAgain(place, columns);
    return {
      ...group,
      fault: 'columns_missing',
      expected: now.rows,
      found: null,
      repair: isRepaired ? 'repaired' : null,
    };
  };

  return {
    async check(datasets, repair) {
      const found: UnreadableVersions[] = [];
      for (const group of await sql.query<VersionGroup>(groupsSql, [datasets, true])) {
        const fault = await checkGroup(group, repair);
        if (fault !== undefined) found.push(fault);
      }
      return found;
    },

    async repairAll() {
      for (let after = 0; ; ) {
        const page = await sql.query<{ id: number }>(
          'SELECT id FROM datasets WHERE id > $1 ORDER BY id LIMIT $2',
          [after, pageSize],
        );
        const ids = page.map(({ id }) => id);
        for (const group of await sql.query<VersionGroup>(groupsSql, [ids, false])) {
          const version = await read(group);
          if (version?.place != null && !isPooled(version.place))
            await write.prepare(version.place, version.columns.map(namedColumn));
        }
        if (page.length < pageSize) return;
        after = ids.at(-1) ?? after;
      }
    },
  };
};

import { conflict, notFound } from '../../lib/errors.js';
import type { StoredColumn } from '../../model/column.js';
import {
  type ComparedVersion,
  commonKeys,
  compareVersions,
  type RowChanges,
  readDryRun,
} from '../../rows/index.js';
import { segmentListColumns, versionPlaceColumn } from '../../rows/sql.js';
import type { ClickHouseServers } from '../../storage/clickhouse/client.js';
import { columnsOfVersion } from '../../storage/postgres/column-lists.js';
import type { Sql } from '../../storage/postgres/sql.js';

export interface VersionDiffCounts extends RowChanges {
  readonly from: string;
  readonly to: string;
  /** Names of the columns by which rows are matched; none: whole rows are compared. */
  readonly keys: string[];
  /** Names of the columns that would be the key if they were unique in both versions; absent: the key is. */
  readonly ambiguousKeys?: string[];
}

export interface DryRunDiffCounts extends Omit<VersionDiffCounts, 'from' | 'to'> {
  /** The version that it would have followed; null: none. */
  readonly from: string | null;
}

export interface VersionDiff {
  /**
   * @param signal ends the query with the client.
   * @throws AppError 404; 409 when a version was deleted meanwhile; 503 when the data store has no room.
   */
  count(datasetId: number, from: number, to: number, signal: AbortSignal): Promise<VersionDiffCounts>;
  /** The same of a dry run and the version before it. @throws AppError 404, 409 when its rows are not kept any more. */
  countDryRun(datasetId: number, processId: number, signal: AbortSignal): Promise<DryRunDiffCounts>;
}

/** Comparisons that compaction may disturb before the caller is told. */
const maxAttempts = 3;

const rowsOf = ({ segmentIds, cuts }: ComparedVersion): string => JSON.stringify([segmentIds, cuts]);

/** What an answer says about the columns by which rows are, or are not, matched. */
const keysShown = (
  keys: readonly StoredColumn[],
  isUnique: boolean,
): Pick<VersionDiffCounts, 'keys' | 'ambiguousKeys'> => {
  const names = keys.map(({ name }) => name);
  if (isUnique || names.length === 0) return { keys: names };
  return { keys: [], ambiguousKeys: names };
};

/** Two versions, and the columns that tell their rows apart; none: the entity columns of both. */
interface Pair {
  readonly from: ComparedVersion;
  readonly to: ComparedVersion;
  readonly keyIds?: readonly number[];
}

const nothing: ComparedVersion = { segmentIds: [], placement: null, columns: [], rowCount: 0 };

export const createVersionDiff = ({
  sql,
  clickhouse,
}: {
  sql: Sql;
  clickhouse: ClickHouseServers;
}): VersionDiff => {
  const read = async (datasetId: number, versionId: number): Promise<ComparedVersion> => {
    const [row] = await sql.query<ComparedVersion>(
      `SELECT ${columnsOfVersion('v')} AS columns, v.row_count AS "rowCount",
         ${segmentListColumns('v')}, ${versionPlaceColumn('v')}
       FROM versions v WHERE v.dataset_id = $1 AND v.id = $2`,
      [datasetId, versionId],
    );
    if (row === undefined) throw notFound('unknown_version', `The dataset has no version ${versionId}.`);
    return row;
  };

  const compare = async (
    readPair: () => Promise<Pair>,
    signal: AbortSignal,
  ): Promise<RowChanges & Pick<VersionDiffCounts, 'keys' | 'ambiguousKeys'>> => {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const { from, to, keyIds } = await readPair();
      const keys = commonKeys(from.columns, to.columns, keyIds);
      const { byKey, ...changes } = await compareVersions(
        clickhouse,
        { from, to },
        keys.map(({ id }) => id),
        signal,
      );
      // Segments are dropped or joined only after no version names them: the same lists mean the same rows.
      const now = await readPair();
      if (rowsOf(now.from) === rowsOf(from) && rowsOf(now.to) === rowsOf(to))
        return { ...keysShown(keys, byKey), ...changes };
    }
    throw conflict('version_changed', 'A version was rearranged meanwhile; ask again.');
  };

  return {
    async count(datasetId, from, to, signal) {
      // One after the other: of two versions that are missing, the first is named.
      const pair = async () => ({ from: await read(datasetId, from), to: await read(datasetId, to) });
      return { from: String(from), to: String(to), ...(await compare(pair, signal)) };
    },

    async countDryRun(datasetId, processId, signal) {
      let from: string | null = null;
      const pair = async () => {
        const { baseVersionId, version, keyIds } = await readDryRun(sql, datasetId, processId);
        from = baseVersionId === null ? null : String(baseVersionId);
        return {
          from: baseVersionId === null ? nothing : await read(datasetId, baseVersionId),
          to: version,
          keyIds,
        };
      };
      const counted = await compare(pair, signal);
      return { from, ...counted };
    },
  };
};

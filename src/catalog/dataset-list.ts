import { createSharedLookups } from '../lib/shared-lookups.js';
import { isoUtc } from '../lib/time.js';
import type { DescribedSeries } from '../model/described-series.js';
import { type Caller, includesLevel, type Level, levelOn, type Privacy } from '../model/permission.js';
import { prepared, type Sql } from '../storage/postgres/sql.js';
import {
  callerValues,
  type DatasetTargetRow,
  datasetTarget,
  datasetTargetColumns,
  seenRepositories,
} from './access-target.js';
import { inBatches, searchedText, searchPatterns } from './batches.js';
import {
  type ColumnPages,
  type ColumnsJson,
  type ColumnView,
  columnPages,
  currentColumnsJson,
  firstColumns,
  publishedColumnsJson,
} from './columns.js';
import {
  type RefreshRow,
  type RefreshView,
  refreshColumns,
  refreshJoin,
  refreshView,
  seriesColumn,
} from './refresh-view.js';
import { type RetentionBounds, retentionInForce } from './retention-settings.js';

/** A dataset in a list. */
export interface DatasetSummary {
  readonly id: number;
  readonly name: string;
  readonly repositoryId: number;
  readonly description: string | null;
  readonly sourceName: string | null;
  readonly sourceUrl: string | null;
  /** The caller's level. */
  readonly permission: Level;
  readonly frequency: string | null;
  readonly minDate: string | null;
  readonly maxDate: string | null;
  readonly privacy: Privacy;
  readonly rowCount: number;
  /** Uncompressed bytes of the current version, as uploaded. */
  readonly byteSize: number;
  /** Null before the first upload. */
  readonly currentVersionId: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Series of the dataset; absent without a provider. */
  readonly series?: readonly DescribedSeries[];
}

/** A single dataset, with columns and settings. */
export interface Dataset extends DatasetSummary, ColumnPages {
  /** Effective limits: the stricter ones of dataset and plan. */
  readonly retention: RetentionBounds;
  /** Present for a dataset made of series of a provider. */
  readonly refresh?: RefreshView;
}

export interface DatasetFilter {
  readonly repositoryId?: number | undefined;
  /** Words that all occur in name, description or source. */
  readonly q?: string | undefined;
  /** Changed at or after this time. */
  readonly updatedSince?: Date | undefined;
}

/** Fields of a dataset that are the same for all callers. */
interface ShownRow
  extends Omit<
    DatasetSummary,
    'permission' | 'rowCount' | 'byteSize' | 'currentVersionId' | 'createdAt' | 'updatedAt' | 'series'
  > {
  rowCount: number | null;
  byteSize: number | null;
  currentVersionId: number | null;
  createdAt: Date;
  updatedAt: Date;
  series: DescribedSeries[] | null;
}

export type DatasetRow = ShownRow & DatasetTargetRow;

/** Row of a single dataset. */
interface RecordRow extends ShownRow, RefreshRow {
  columns: ColumnView[];
  retention: RetentionBounds;
  shownVersionId: number | null;
}

/** Columns of a `DatasetRow`, without those about access; needs `datasetFrom`. */
export const datasetColumns = `d.id, d.name, d.description, d.source_name AS "sourceName", d.source_url AS "sourceUrl",
  v.frequency, v.min_date AS "minDate", v.max_date AS "maxDate", v.row_count AS "rowCount",
  v.byte_size AS "byteSize", d.current_version_id AS "currentVersionId", d.created_at AS "createdAt",
  d.updated_at AS "updatedAt", ${seriesColumn}`;

const fromWith = (version: string): string => `datasets d JOIN repositories r ON r.id = d.repository_id
  LEFT JOIN versions v ON v.id = ${version} ${refreshJoin}`;

export const datasetFrom = fromWith('d.current_version_id');

const shownAs = (permission: Level, row: ShownRow): DatasetSummary => ({
  id: row.id,
  name: row.name,
  repositoryId: row.repositoryId,
  description: row.description,
  sourceName: row.sourceName,
  sourceUrl: row.sourceUrl,
  permission,
  frequency: row.frequency,
  minDate: row.minDate,
  maxDate: row.maxDate,
  privacy: row.privacy,
  rowCount: row.rowCount ?? 0,
  byteSize: row.byteSize ?? 0,
  currentVersionId: row.currentVersionId === null ? null : String(row.currentVersionId),
  createdAt: isoUtc(row.createdAt),
  updatedAt: isoUtc(row.updatedAt),
  ...(row.series === null ? {} : { series: row.series }),
});

/** The dataset as the caller sees it; an empty list if the caller must not see it. */
export const shownDataset = (caller: Caller | undefined, row: DatasetRow): DatasetSummary[] => {
  const permission = levelOn(caller, datasetTarget(row));
  return permission === null ? [] : [shownAs(permission, row)];
};

const recordColumns = (columnsJson: ColumnsJson): string =>
  `${datasetColumns}, ${columnsJson(firstColumns)} AS columns, ${retentionInForce}, v.id AS "shownVersionId", ${refreshColumns}`;

const recordOf = (sql: Sql, permission: Level, row: RecordRow, columnsJson: ColumnsJson): Dataset => {
  const summary = shownAs(permission, row);
  const mayReadErrors = summary.privacy === 'Private' || includesLevel(permission, 'Write');
  const refresh = refreshView(row, mayReadErrors);
  const { columns, retention, shownVersionId } = row;
  const pages = columnPages(sql, shownVersionId, columns, columnsJson);
  return { ...summary, ...pages, retention, ...(refresh === undefined ? {} : { refresh }) };
};

/** A dataset as the caller sees it; undefined if it does not exist for the caller. */
export const readDataset = async (
  sql: Sql,
  caller: Caller | undefined,
  id: number,
  /** Metadata and columns as of this version. */
  versionId?: number,
): Promise<Dataset | undefined> => {
  const columnsJson = versionId === undefined ? currentColumnsJson : publishedColumnsJson;
  const [row] = await sql.query<RecordRow & DatasetTargetRow>(
    `SELECT ${recordColumns(columnsJson)}, ${datasetTargetColumns('$2', '$3')}
     FROM ${fromWith('coalesce($4::bigint, d.current_version_id)')} WHERE d.id = $1`,
    [id, ...callerValues(caller), versionId ?? null],
  );
  const permission = row === undefined ? null : levelOn(caller, datasetTarget(row));
  if (row === undefined || permission === null) return undefined;
  return recordOf(sql, permission, row, columnsJson);
};

const recordSql = prepared(
  `SELECT ${recordColumns(currentColumnsJson)}, r.id AS "repositoryId", r.privacy FROM ${datasetFrom} WHERE d.id = $1`,
);

/** Maximum concurrent statements. */
const maxReads = 8;

/**
 * Reads current datasets; simultaneous requests for one share a statement. Undefined if it was deleted after the level of the caller was
 * decided.
 */
export const createReadRecord = (sql: Sql) => {
  const find = createSharedLookups<number, RecordRow | undefined>({
    maxCalls: maxReads,
    idOf: String,
    async find(id) {
      const [row] = await sql.query<RecordRow>(recordSql, [id]);
      return row;
    },
  });
  return async (id: number, permission: Level): Promise<Dataset | undefined> => {
    const row = await find(id);
    return row && recordOf(sql, permission, row, currentColumnsJson);
  };
};

/** Common table expressions for `isSeenDataset`; `$1` and `$2` are the caller, `$3` the repositories of the key. */
export const seenDatasets = `${seenRepositories}, granted AS (
    SELECT dataset_id AS id FROM dataset_grants WHERE account_id = $1
    UNION SELECT dataset_id FROM dataset_grants WHERE team_id = ANY ($2)
  )`;

/** Condition on `d`: the caller may be able to see it. `decide` still judges each row. */
export const isSeenDataset = `(d.repository_id IN (SELECT id FROM seen) OR (d.id IN (SELECT id FROM granted)
      AND ($3::bigint[] IS NULL OR d.repository_id = ANY ($3))))`;

/** Text of `d` that is searched. */
export const datasetText = searchedText(`concat_ws(' ', d.name, d.description, d.source_name, d.source_url)`);

/**
 * Ids of the datasets that the caller may see, found through the repositories and grants of the caller, which are few in a large catalog.
 * Callers must turn it into an array, since PostgreSQL would scan all datasets for a join.
 * @param condition On `o`, a dataset.
 */
export const seenIdsWhere = (condition: string): string =>
  `SELECT o.id FROM seen JOIN datasets o ON o.repository_id = seen.id WHERE ${condition}
    UNION
    SELECT o.id FROM granted JOIN datasets o ON o.id = granted.id
    WHERE ${condition} AND ($3::bigint[] IS NULL OR o.repository_id = ANY ($3))`;

/** Ids of a batch. Limited only without filters, since filters remove some of the rows. */
const seenIds = `ARRAY(
    SELECT id FROM (${seenIdsWhere('o.id > $4')}) AS ids ORDER BY id
    LIMIT CASE WHEN $5::bigint IS NULL AND $6::timestamptz IS NULL AND cardinality($7::text[]) = 0 THEN $8::bigint END)`;

const listSql = `
  WITH ${seenDatasets}
  SELECT ${datasetColumns}, ${datasetTargetColumns('$1', '$2')}
  FROM ${datasetFrom}
  WHERE d.id = ANY (${seenIds})
    AND ($5::bigint IS NULL OR d.repository_id = $5) AND ($6::timestamptz IS NULL OR d.updated_at >= $6)
    AND ${datasetText} ILIKE ALL ($7::text[])
  ORDER BY d.id LIMIT $8`;

/** Every dataset that the caller may see and that passes the filter, in batches. */
export const listDatasets = (
  sql: Sql,
  caller: Caller,
  { repositoryId = undefined, q, updatedSince = undefined }: DatasetFilter,
): AsyncIterable<readonly DatasetSummary[]> => {
  const patterns = searchPatterns(q);
  return inBatches(
    (after, limit) =>
      sql.query<DatasetRow>(listSql, [
        ...callerValues(caller),
        caller.key.repositoryIds,
        after,
        repositoryId ?? null,
        updatedSince ?? null,
        patterns,
        limit,
      ]),
    (row) => shownDataset(caller, row),
  );
};

import { conflict, notFound } from '../lib/errors.js';
import type { Instant } from '../lib/instant.js';
import type { Column } from '../model/column.js';
import type { Caller } from '../model/permission.js';
import { versionColumns } from '../storage/postgres/column-lists.js';
import { type ColumnText, changeColumn } from '../storage/postgres/columns.js';
import { holdDataset } from '../storage/postgres/datasets.js';
import type { Sql } from '../storage/postgres/sql.js';
import { versionAt } from '../storage/postgres/version-at.js';
import type { Access } from './access.js';
import { requireName } from './names.js';
import { brokenUnique } from './sql-state.js';

/** A column of the current version, with later changes of its name, role and description. */
export interface ColumnView extends Column {
  readonly description: string | null;
}

export interface Columns {
  /**
   * Columns of the current version (none before the first upload), or of the version that was current at a time, unchanged.
   * @throws AppError 401, 403, 404.
   */
  list(caller: Caller | undefined, datasetId: number, asOf?: Instant): Promise<ColumnPages>;
  /** @throws AppError 400, 403, 404; 409 for a name that another column of the dataset has or had. */
  update(caller: Caller, datasetId: number, columnId: number, change: ColumnText): Promise<ColumnView>;
}

/** Columns of a dataset. Only the first page is in memory, since 10,000 long names per reader would be too many. */
export interface ColumnPages {
  readonly columns: readonly ColumnView[];
  /** The columns after the first page; undefined: none. Fails if the version is deleted meanwhile. */
  readonly moreColumns?: AsyncIterable<readonly ColumnView[]> | undefined;
}

/** Columns per page. */
const pageSize = 1_000;

/** JSON path of a page in the list of a version. */
const pagePath = (page: number): string => `$[${page * pageSize} to ${(page + 1) * pageSize - 1}]`;

export const firstColumns = pagePath(0);

/** SQL of the columns of the version `v` that a JSON path selects, as JSON in order. */
export type ColumnsJson = (path: string) => string;

/** A JSON path extracts only the items it selects from a list of megabytes; a condition on rows would expand every item first. */
const storedColumns = (path: string): string =>
  `jsonb_array_elements(jsonb_path_query_array(${versionColumns}, '${path}')) WITH ORDINALITY AS stored (item, position)`;

/**
 * The version's own list is never changed; the registry holds
 * today's names, roles and descriptions under the same ids.
 */
export const currentColumnsJson: ColumnsJson = (path) => `
  (SELECT coalesce(json_agg(json_build_object(
      'id', (stored.item ->> 'id')::bigint,
      'name', coalesce(c.name, stored.item ->> 'name'),
      'dataType', stored.item ->> 'dataType',
      'isEntity', coalesce(c.is_entity, (stored.item ->> 'isEntity')::boolean),
      'description', c.description) ORDER BY stored.position), '[]')
   FROM ${storedColumns(path)} LEFT JOIN columns c ON c.id = (stored.item ->> 'id')::bigint)`;

/** The same with the names and roles of the publication. */
export const publishedColumnsJson: ColumnsJson = (path) => `
  (SELECT coalesce(json_agg(json_build_object(
      'id', (stored.item ->> 'id')::bigint, 'name', stored.item ->> 'name',
      'dataType', stored.item ->> 'dataType', 'isEntity', (stored.item ->> 'isEntity')::boolean,
      'description', stored.item ->> 'description') ORDER BY stored.position), '[]')
   FROM ${storedColumns(path)})`;

/** @throws AppError 404 for a deleted version. */
const readColumns = async (sql: Sql, versionId: number, columnsJson: string): Promise<ColumnView[]> => {
  const [row] = await sql.query<{ columns: ColumnView[] }>(
    `SELECT ${columnsJson} AS columns FROM versions v WHERE v.id = $1`,
    [versionId],
  );
  if (row === undefined) throw notFound('version_not_found', 'The version was deleted meanwhile.');
  return row.columns;
};

async function* pagesBehindFirst(
  sql: Sql,
  versionId: number,
  columnsJson: ColumnsJson,
): AsyncGenerator<readonly ColumnView[]> {
  for (let page = 1; ; page += 1) {
    const columns = await readColumns(sql, versionId, columnsJson(pagePath(page)));
    yield columns;
    if (columns.length < pageSize) return;
  }
}

/** All columns; the first page was already read. */
export const columnPages = (
  sql: Sql,
  versionId: number | null,
  columns: readonly ColumnView[],
  columnsJson: ColumnsJson,
): ColumnPages =>
  versionId === null || columns.length < pageSize
    ? { columns }
    : { columns, moreColumns: pagesBehindFirst(sql, versionId, columnsJson) };

const openPages = async (
  sql: Sql,
  versionId: number | null,
  columnsJson: ColumnsJson,
): Promise<ColumnPages> =>
  versionId === null
    ? { columns: [] }
    : columnPages(sql, versionId, await readColumns(sql, versionId, columnsJson(firstColumns)), columnsJson);

const change = async (tx: Sql, datasetId: number, columnId: number, wanted: ColumnText): Promise<void> => {
  try {
    await changeColumn(tx, datasetId, columnId, wanted);
  } catch (error) {
    if (brokenUnique(error) !== 'columns_name') throw error;
    throw conflict(
      'name_taken',
      `The dataset has, or had, another column ${wanted.name}. With "merge": true this column is merged into it.`,
    );
  }
};

export const createColumns = ({ sql, access }: { sql: Sql; access: Access }): Columns => ({
  async list(caller, datasetId, asOf) {
    const { currentVersionId } = await access.dataset(caller, datasetId, 'Read', 'read');
    if (asOf !== undefined)
      return openPages(sql, await versionAt(sql, datasetId, asOf), publishedColumnsJson);
    return openPages(sql, currentVersionId, currentColumnsJson);
  },

  async update(caller, datasetId, columnId, wanted) {
    await access.dataset(caller, datasetId, 'Write', 'write');
    if (wanted.name !== undefined) requireName(wanted.name);
    return sql.tx(async (tx) => {
      const dataset = await holdDataset(tx, datasetId);
      if (dataset === undefined) throw notFound('dataset_not_found', `There is no dataset ${datasetId}.`);
      const { current } = dataset;
      const read = async (): Promise<ColumnView> => {
        const own = currentColumnsJson(`$[*] ? (@.id == ${columnId})`);
        const [column] = current === null ? [] : await readColumns(tx, current, own);
        if (column === undefined)
          throw notFound('column_not_found', `The dataset has no column ${columnId}.`);
        return column;
      };
      const present = await read();
      if (wanted.name === undefined && wanted.isEntity === undefined && wanted.description === undefined)
        return present;
      await change(tx, datasetId, columnId, wanted);
      return read();
    });
  },
});

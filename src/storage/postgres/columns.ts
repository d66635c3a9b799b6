/**
 * Rows of `columns`, the registry of all columns that a dataset has or had, with their current names, roles and descriptions. Only this
 * file writes them. Changes need the lock of the dataset (`holdDataset`).
 */
import { keepList } from './column-lists.js';
import { columnsChanged } from './datasets.js';
import { prepared, type Sql } from './sql.js';

/** Changes to a column; absent fields are not changed. */
export interface ColumnText {
  readonly name?: string | undefined;
  readonly isEntity?: boolean | undefined;
  readonly description?: string | null | undefined;
}

/** A registered column of a dataset, whether a version has it or not. */
export interface RegisteredColumn {
  readonly id: number;
  readonly storageId: number;
  readonly name: string;
  readonly description: string | null;
  /** Set by a user; null: according to the type. */
  readonly isEntity: boolean | null;
}

/** The registered columns of the dataset `d` as JSON, for a select list. */
export const registryColumn = `
  (SELECT coalesce(json_agg(json_build_object('id', c.id, 'storageId', coalesce(c.storage_id, c.id), 'name', c.name,
     'description', c.description, 'isEntity', c.is_entity)), '[]') FROM columns c WHERE c.dataset_id = d.id)`;

const registrySql = prepared(`
  SELECT id, coalesce(storage_id, id) AS "storageId", name, description, is_entity AS "isEntity"
  FROM columns WHERE dataset_id = $1`);

export const readRegistry = (sql: Sql, datasetId: number): Promise<RegisteredColumn[]> =>
  sql.query<RegisteredColumn>(registrySql, [datasetId]);

const registerSql = prepared(`
  INSERT INTO columns (dataset_id, name) SELECT $1, wanted.name
  FROM unnest($2::text[]) WITH ORDINALITY AS wanted (name, position)
  WHERE NOT EXISTS (SELECT 1 FROM columns c WHERE c.dataset_id = $1 AND c.name = wanted.name)
  ORDER BY wanted.position ON CONFLICT ON CONSTRAINT columns_name DO NOTHING`);

/** Creates the columns with these names that the dataset does not have. */
export const registerColumns = async (
  sql: Sql,
  datasetId: number,
  names: readonly string[],
): Promise<void> => {
  await sql.query(registerSql, [datasetId, names]);
};

/**
 * Common table expressions that register the columns of a version for a clone; the last of them is `list (id)`, the clone's list: new ids,
 * values stored where those of the source are, current names and roles.
 * Parameters: `:datasetId` is the clone, `:like` the version of its source.
 */
export const cloneColumnsSql = `
  stored AS MATERIALIZED (
    SELECT c.item, c.position, (c.item ->> 'id')::bigint AS id
    FROM versions v JOIN column_lists l ON l.id = v.column_list_id,
      jsonb_array_elements(l.columns) WITH ORDINALITY AS c (item, position)
    WHERE v.id = :like
  ), wanted AS MATERIALIZED (
    SELECT s.item, s.position, coalesce(c.name, s.item ->> 'name') AS name, c.description, c.is_entity
    FROM stored s LEFT JOIN columns c ON c.id = s.id
  ), inserted AS (
    INSERT INTO columns (dataset_id, name, description, is_entity, storage_id)
    SELECT :datasetId, name, description, is_entity, (item ->> 'storageId')::bigint FROM wanted ORDER BY position
    RETURNING id, name
  ), ${keepList(
    ':datasetId',
    `SELECT coalesce(jsonb_agg(w.item || jsonb_build_object('id', i.id, 'name', w.name, 'description', w.description,
         'isEntity', coalesce(w.is_entity, (w.item ->> 'isEntity')::boolean)) ORDER BY w.position), '[]') AS columns
     FROM wanted w JOIN inserted i ON i.name = w.name`,
  )}`;

/** @throws the error of PostgreSQL with the constraint `columns_name` if another column has the name. */
export const changeColumn = async (
  tx: Sql,
  datasetId: number,
  columnId: number,
  { name, isEntity, description }: ColumnText,
): Promise<void> => {
  await tx.query(
    `UPDATE columns SET name = coalesce($3, name), is_entity = coalesce($4, is_entity),
       description = CASE WHEN $5 THEN $6 ELSE description END
     WHERE id = $2 AND dataset_id = $1`,
    [datasetId, columnId, name ?? null, isEntity ?? null, description !== undefined, description ?? null],
  );
  await columnsChanged(tx, datasetId);
};

/** Changes several columns. A name that another column of the dataset has is ignored; the column keeps its own. */
export const changeColumns = async (
  tx: Sql,
  datasetId: number,
  changes: readonly (ColumnText & { readonly id: number })[],
): Promise<void> => {
  if (changes.length === 0) return;
  const wanted = changes.map((change) => ({ ...change, described: change.description !== undefined }));
  await tx.query(
    `UPDATE columns c SET
       name = CASE WHEN w.name IS NULL OR EXISTS (
           SELECT 1 FROM columns o WHERE o.dataset_id = $1 AND o.name = w.name AND o.id <> c.id)
         THEN c.name ELSE w.name END,
       is_entity = coalesce(w."isEntity", c.is_entity),
       description = CASE WHEN w.described THEN w.description ELSE c.description END
     FROM json_to_recordset($2::json)
       AS w (id bigint, name text, "isEntity" boolean, description text, described boolean)
     WHERE c.id = w.id AND c.dataset_id = $1`,
    [datasetId, JSON.stringify(wanted)],
  );
  await columnsChanged(tx, datasetId);
};

/** From now on stores values of the column under another id, so that it does not get older values. */
export const storeElsewhere = async (tx: Sql, datasetId: number, columnId: number): Promise<void> => {
  await tx.query(
    `UPDATE columns SET storage_id = nextval(pg_get_serial_sequence('columns', 'id'))
     WHERE dataset_id = $1 AND id = $2`,
    [datasetId, columnId],
  );
};

/** Columns of a dataset in a backup (rows/saved-dataset.ts) with new ids. Their values stay where they are stored. */
export const restoreColumns = async (tx: Sql, datasetId: number): Promise<void> => {
  await tx.query(
    `INSERT INTO columns (id, dataset_id, name, description, is_entity, storage_id) OVERRIDING SYSTEM VALUE
     SELECT n.id, $1, c.name, c.description, c.is_entity, coalesce(c.storage_id, c.id)
     FROM saved_columns c JOIN new_columns n ON n.old = c.id`,
    [datasetId],
  );
};

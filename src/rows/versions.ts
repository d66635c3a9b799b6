/**
 * Rows of `versions`. No other file writes them. One statement inserts a version and makes it current, since round trips dominate the time of
 * short uploads.
 */
import { dropUnusedLists, keepChanges } from '../storage/postgres/column-lists.js';
import { firstVersionSql, showVersionSql } from '../storage/postgres/datasets.js';
import { named, type Sql } from '../storage/postgres/sql.js';
import { forgetVersions } from './segment-ranges.js';

/**
 * Parts of a statement that inserts versions, at most one per dataset. The caller holds the locks of the datasets. Parameters are named; the
 * text must be the same at each call.
 */
export interface VersionStatement {
  /** Common table expressions, the last of which is `list (id)`: the columns of the version (column-lists.ts). */
  readonly list: string;
  /**
   * Query of one row per version, which may read `list`: dataset, process, mode, list, number of rows and bytes, first and last date,
   * frequency.
   */
  readonly row: string;
  /** Further common table expressions, which may read `version (id, dataset_id, process_id)`. */
  readonly also?: readonly string[];
  /** Name of one of them with a row per version and `version_id`; the result includes its columns. */
  readonly answer?: string;
}

interface VersionIds {
  readonly id: number;
  readonly list: number;
  /** Column list of the previous version; 0 for the first one. */
  readonly listBefore: number;
}

const rowColumns =
  'dataset_id, process_id, mode, column_list_id, row_count, byte_size, min_date, max_date, frequency';

type Values = Readonly<Record<string, unknown>>;

/** Adds the versions that `row` returns. The result is unordered. */
export const addVersions = async <Answer = unknown>(
  tx: Sql,
  { list, row, also = [], answer }: VersionStatement,
  values: Values,
): Promise<({ readonly id: number } & Answer)[]> => {
  const added = named(`WITH ${[
    list,
    `version AS (INSERT INTO versions (${rowColumns}) ${row} RETURNING id, dataset_id, process_id, column_list_id)`,
    `shown AS (${showVersionSql})`,
    ...also,
  ].join(', ')}
     SELECT version.id, version.column_list_id AS list, coalesce((SELECT b.column_list_id FROM versions b
         WHERE b.dataset_id = version.dataset_id ORDER BY b.id DESC LIMIT 1), 0) AS "listBefore"
       ${
         answer === undefined
           ? 'FROM version'
           : `, ${answer}.* FROM version JOIN ${answer} ON ${answer}.version_id = version.id`
       }`);
  const versions = await tx.query<VersionIds & Answer>(added, added.values(values));
  for (const { list: to, listBefore: from } of versions) if (to !== from) await keepChanges(tx, { from, to });
  return versions;
};

/** Adds one version; undefined if `row` returns none. */
export const addVersion = async (
  tx: Sql,
  statement: VersionStatement,
  values: Values,
): Promise<{ readonly id: number } | undefined> => (await addVersions(tx, statement, values))[0];

/**
 * Adds a version before all others of the dataset `:datasetId`.
 * @param statement Its `row` has two more columns, the id and the start of validity, and may read `oldest (id)`, the next version.
 * @param validFrom Start of validity, as an expression.
 */
export const addOlderVersion = async <Answer = unknown>(
  tx: Sql,
  { list, row, also = [], answer }: Required<VersionStatement>,
  validFrom: string,
  values: Values,
): Promise<({ readonly id: number } & Answer) | undefined> => {
  const added = named(`WITH ${[
    list,
    `oldest AS (SELECT v.id, v.column_list_id AS list FROM versions v WHERE v.dataset_id = :datasetId ORDER BY v.id LIMIT 1)`,
    `version AS (
         INSERT INTO versions (${rowColumns}, id, valid_from, replaced_at) OVERRIDING SYSTEM VALUE
         SELECT r.*, d.first_version_at FROM (${row}) AS r, datasets d WHERE d.id = :datasetId
         RETURNING id, column_list_id)`,
    `dated AS (${firstVersionSql(':datasetId', validFrom)})`,
    ...also,
  ].join(', ')}
     SELECT version.id, version.column_list_id AS list, oldest.list AS "listBehind", ${answer}.*
     FROM version, oldest, ${answer}`);
  const [version] = await tx.query<{ id: number; list: number; listBehind: number } & Answer>(
    added,
    added.values(values),
  );
  if (version === undefined) return undefined;
  await keepChanges(tx, { from: 0, to: version.list });
  if (version.list !== version.listBehind)
    await keepChanges(tx, { from: version.list, to: version.listBehind });
  return version;
};

/** The `row` of a version of `:datasetId` with the content of the version `:like`. */
export const likeVersionSql = (mode: 'clone' | 'restore'): string => `
  SELECT :datasetId::bigint, NULL::bigint, '${mode}', list.id, v.row_count, v.byte_size, v.min_date, v.max_date, v.frequency
  FROM versions v, list WHERE v.id = :like`;

/** Records that a version has the rows of another one, so that they share export files. Repairs count for both from then on. */
export const shareContent = async (tx: Sql, versionId: number, likeId: number): Promise<void> => {
  await tx.query(
    `UPDATE versions v SET content_id = coalesce(o.content_id, o.id), repairs = o.repairs FROM versions o
     WHERE v.id = $1 AND o.id = $2`,
    [versionId, likeId],
  );
};

/**
 * Counts a repair of the rows of some versions of a dataset, so that nothing that was made from the rows before is served for them. Returns
 * their ids.
 */
export const countRepair = async (
  tx: Sql,
  datasetId: number,
  spans: readonly { readonly from: number; readonly until: number | null }[],
): Promise<number[]> =>
  (
    await tx.query<{ id: number }>(
      `UPDATE versions v SET repairs = repairs + 1 FROM unnest($2::bigint[], $3::bigint[]) AS s (first, until)
       WHERE v.dataset_id = $1 AND v.id >= s.first AND (s.until IS NULL OR v.id < s.until) RETURNING v.id`,
      [datasetId, spans.map(({ from }) => from), spans.map(({ until }) => until)],
    )
  ).map(({ id }) => id);

/** Repairs so far of some versions; without those that were removed. */
export const countedRepairs = async (
  tx: Sql,
  versionIds: readonly number[],
): Promise<ReadonlyMap<number, number>> => {
  if (versionIds.length === 0) return new Map();
  const rows = await tx.query<{ id: number; repairs: number }>(
    'SELECT id, repairs FROM versions WHERE id = ANY ($1)',
    [versionIds],
  );
  return new Map(rows.map(({ id, repairs }) => [id, repairs]));
};

const restoreVersionsSql = `
  INSERT INTO versions (id, ${rowColumns}, label, pinned, created_at, valid_from, content_id) OVERRIDING SYSTEM VALUE
  SELECT n.id, $1, NULL, v.mode, l.id, v.row_count, v.byte_size, v.min_date, v.max_date, v.frequency, v.label, v.pinned,
    v.created_at, v.valid_from, c.id
  FROM saved_versions v JOIN new_versions n ON n.old = v.id JOIN new_column_lists l ON l.old = v.column_list_id
    LEFT JOIN new_versions c ON c.old = v.content_id ORDER BY n.id RETURNING 1`;

/** Restores the versions of a saved dataset (saved-dataset.ts), with their new ids. */
export const restoreVersions = async (tx: Sql, datasetId: number): Promise<void> => {
  const made = await tx.query(restoreVersionsSql, [datasetId]);
  const [saved] = await tx.query<{ versions: number }>('SELECT count(*) AS versions FROM saved_versions');
  if (made.length !== saved?.versions) throw new RangeError('a version refers to a missing column list');
  // Overrides what the trigger has set, which does not know versions that retention removed.
  await tx.query(
    `UPDATE versions v SET replaced_at = s.replaced_at FROM saved_versions s JOIN new_versions n ON n.old = s.id
     WHERE v.id = n.id AND v.replaced_at IS DISTINCT FROM s.replaced_at`,
  );
};

export const markVersion = async (
  tx: Sql,
  datasetId: number,
  versionId: number,
  { label, pinned }: { readonly label: string | null; readonly pinned: boolean },
): Promise<void> => {
  await tx.query('UPDATE versions SET label = $3, pinned = $4 WHERE dataset_id = $1 AND id = $2', [
    datasetId,
    versionId,
    label,
    pinned,
  ]);
};

/**
 * Removes versions of a dataset, with column lists that no other version has. The caller holds the lock of the dataset. The sweep drops their
 * rows when no version of the dataset or of a clone has them.
 */
export const removeVersions = async (tx: Sql, datasetId: number, ids: readonly number[]): Promise<void> => {
  if (ids.length === 0) return;
  await tx.query('DELETE FROM versions WHERE dataset_id = $1 AND id = ANY ($2)', [datasetId, ids]);
  await forgetVersions(tx, datasetId, ids);
  await dropUnusedLists(tx, datasetId);
};

/**
 * The columns of versions. A dataset stores each list once for all versions that have it. Lists are created and deleted under the lock of
 * their dataset.
 */
import { type ColumnChanges, changesShown } from '../../model/version.js';
import type { Sql } from './sql.js';

/** The columns of the version `v` as JSON, for a select list. */
export const versionColumns = '(SELECT l.columns FROM column_lists l WHERE l.id = v.column_list_id)';

/**
 * Common table expressions that find or create the lists of columns of some datasets; the last of them is `list (id, dataset_id)`.
 * @param given Query of `dataset_id`, each once, and `columns`, as jsonb.
 */
export const keepLists = (given: string): string => `
  given AS (
    SELECT g.dataset_id, g.columns, sha256(convert_to(g.columns::text, 'UTF8')) AS hash FROM (${given}) AS g
  ),
  known AS (SELECT l.id, l.dataset_id FROM column_lists l JOIN given USING (dataset_id, hash)),
  made AS (
    INSERT INTO column_lists (dataset_id, hash, columns)
    SELECT dataset_id, hash, columns FROM given
    WHERE NOT EXISTS (SELECT 1 FROM known WHERE known.dataset_id = given.dataset_id) RETURNING id, dataset_id
  ),
  list AS (SELECT id, dataset_id FROM known UNION ALL SELECT id, dataset_id FROM made)`;

/**
 * The same for one dataset.
 * @param dataset Expression for the dataset's id.
 * @param columns Query of one row and the column `columns`, as jsonb.
 */
export const keepList = (dataset: string, columns: string): string =>
  keepLists(`SELECT (${dataset})::bigint AS dataset_id, c.columns FROM (${columns}) AS c`);

/** Deletes the lists of a dataset that no version has any more. */
export const dropUnusedLists = async (tx: Sql, datasetId: number): Promise<void> => {
  await tx.query(
    `WITH gone AS (
       DELETE FROM column_lists l WHERE l.dataset_id = $1
         AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.column_list_id = l.id) RETURNING id
     )
     DELETE FROM column_list_changes c USING gone WHERE c.from_list = gone.id`,
    [datasetId],
  );
};

/** Two lists of columns; `from` is 0 if there was no previous version. */
export interface ListPair {
  readonly from: number;
  readonly to: number;
}

const noChanges: ColumnChanges = { added: [], removed: [], retyped: [] };

const sideSql = (list: string): string => `
  SELECT (c.item ->> 'id')::bigint AS id, c.item ->> 'name' AS name, c.item ->> 'dataType' AS type, c.position
  FROM column_lists l, jsonb_array_elements(l.columns) WITH ORDINALITY AS c (item, position) WHERE l.id = ${list}`;

/** One row with `changes` as JSON and the counts of all changes; `$1` and `$2` are the lists. */
const changesSql = ({ whole }: { whole: boolean }): string => {
  const shown = whole
    ? ''
    : `FILTER (WHERE place <= ${changesShown.names} AND characters <= ${changesShown.characters})`;
  const names = (kind: string, item: string): string =>
    `(SELECT coalesce(json_agg(${item} ORDER BY position) ${shown}, '[]') FROM ${kind})`;
  const hidden = (kind: string): string => `(SELECT count(*) - count(*) ${shown} FROM ${kind})`;
  const counted = (query: string): string => `
    SELECT c.*, row_number() OVER w AS place, sum(length(c.name)) OVER w AS characters
    FROM (${query}) AS c WINDOW w AS (ORDER BY c.position)`;
  return `
    WITH before AS MATERIALIZED (${sideSql('$1')}), now AS MATERIALIZED (${sideSql('$2')}),
    added AS (${counted('SELECT n.* FROM now n LEFT JOIN before b USING (id) WHERE b.id IS NULL')}),
    removed AS (${counted('SELECT b.* FROM before b LEFT JOIN now n USING (id) WHERE n.id IS NULL')}),
    retyped AS (${counted(
      'SELECT n.*, b.type AS old FROM now n JOIN before b USING (id) WHERE b.type <> n.type',
    )})
    SELECT json_build_object('added', ${names('added', 'name')}, 'removed', ${names('removed', 'name')},
        'retyped', ${names('retyped', `json_build_object('name', name, 'from', old, 'to', type)`)}) AS changes,
      ${hidden('added')} AS added, ${hidden('removed')} AS removed, ${hidden('retyped')} AS retyped`;
};

interface ChangesRow {
  changes: ColumnChanges;
  added: number;
  removed: number;
  retyped: number;
}

const compare = async (sql: Sql, { from, to }: ListPair, whole: boolean): Promise<ColumnChanges> => {
  const [row] = await sql.query<ChangesRow>(changesSql({ whole }), [from, to]);
  if (row === undefined) return noChanges;
  const { changes, ...omitted } = row;
  const isCut = Object.values(omitted).some((count) => count > 0);
  return isCut ? { ...changes, omitted } : changes;
};

/** All changes, with every name. */
export const wholeChanges = async (sql: Sql, pair: ListPair): Promise<ColumnChanges> =>
  pair.from === pair.to ? noChanges : compare(sql, pair, true);

/**
 * Compares two lists and stores the part of the result that a list of versions shows. The lists themselves stay in PostgreSQL. If a list
 * was deleted meanwhile, the result is not stored.
 */
export const keepChanges = (sql: Sql, pair: ListPair): Promise<ColumnChanges> =>
  sql.tx(async (tx) => {
    const lists = await tx.query('SELECT 1 FROM column_lists WHERE id IN ($1, $2) FOR KEY SHARE', [
      pair.from,
      pair.to,
    ]);
    const changes = await compare(tx, pair, false);
    if (lists.length === (pair.from === 0 ? 1 : 2))
      await tx.query(
        `INSERT INTO column_list_changes (to_list, from_list, changes) VALUES ($1, $2, $3)
         ON CONFLICT (to_list, from_list) DO NOTHING`,
        [pair.to, pair.from, JSON.stringify(changes)],
      );
    return changes;
  });

const keyOf = ({ from, to }: ListPair): string => `${from}/${to}`;

/** Changes of each pair, as a list of versions shows them. Pairs that were never compared are compared now. */
export const shownChanges = async (
  sql: Sql,
  pairs: readonly ListPair[],
): Promise<(pair: ListPair) => ColumnChanges> => {
  const wanted = new Map(pairs.filter(({ from, to }) => from !== to).map((pair) => [keyOf(pair), pair]));
  const found = new Map<string, ColumnChanges>();
  if (wanted.size > 0) {
    const kept = await sql.query<ListPair & { changes: ColumnChanges }>(
      `SELECT c.from_list AS "from", c.to_list AS "to", c.changes
       FROM unnest($1::bigint[], $2::bigint[]) AS w (f, t)
         JOIN column_list_changes c ON c.from_list = w.f AND c.to_list = w.t`,
      [[...wanted.values()].map(({ from }) => from), [...wanted.values()].map(({ to }) => to)],
    );
    for (const { changes, ...pair } of kept) found.set(keyOf(pair), changes);
  }
  for (const [key, pair] of wanted) if (!found.has(key)) found.set(key, await keepChanges(sql, pair));
  return (pair) => found.get(keyOf(pair)) ?? noChanges;
};

const restoreListsSql = `
  INSERT INTO column_lists (id, dataset_id, hash, columns) OVERRIDING SYSTEM VALUE
  SELECT n.id, $1, sha256(convert_to(c.columns::text, 'UTF8')), c.columns
  FROM saved_column_lists l JOIN new_column_lists n ON n.old = l.id, LATERAL (
    SELECT coalesce(jsonb_agg(i.item || jsonb_build_object('id', k.id) ORDER BY i.position), '[]') AS columns
    FROM jsonb_array_elements(l.columns) WITH ORDINALITY AS i (item, position)
      JOIN new_columns k ON k.old = (i.item ->> 'id')::bigint) AS c`;

/** Lists of columns of a dataset in a backup (rows/saved-dataset.ts), whose columns have new ids. */
export const restoreLists = async (tx: Sql, datasetId: number): Promise<void> => {
  await tx.query(restoreListsSql, [datasetId]);
};

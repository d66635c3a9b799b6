/** Changes of merges by a key, compared with the previous version. */
import type { RowChanges } from '../../model/process.js';
import { prepared, type Sql } from './sql.js';

interface MergeChanges extends RowChanges {
  /** Ids of the key columns. */
  readonly keyIds: readonly number[];
}

const changesSql = prepared(
  `SELECT (p.merge -> 'changes') || jsonb_build_object('keyIds', p.merge -> 'keyIds') AS changes
   FROM versions v JOIN processes p ON p.id = v.process_id AND p.version_id = v.id
   WHERE v.id = $2 AND p.merge ->> 'baseVersionId' = $1::bigint::text AND p.merge ? 'changes' AND p.merge ? 'keyIds'
     AND (SELECT repairs FROM versions WHERE id = $1) = coalesce((p.merge ->> 'baseRepairs')::int, 0)`,
);

/** Undefined if the second version was not made from the first one by a key, the counts were not recorded, or the first was repaired since. */
export const readMergeChanges = async (
  sql: Sql,
  from: number,
  to: number,
): Promise<MergeChanges | undefined> => {
  const [row] = await sql.query<{ changes: MergeChanges }>(changesSql, [from, to]);
  return row?.changes;
};

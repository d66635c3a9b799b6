/** Checks names and types of columns in a catalog from outside, before they become part of statements of ClickHouse. */
import type { Sql } from './sql.js';

/** Codes of types, like `isPhysicalType` without the limit of the scale, which ClickHouse checks. */
const physical = '([dtfs]|n(38|76)_[0-9]{1,2})';

const listsSql = (
  prefix: string,
): string => `SELECT l.id FROM ${prefix}column_lists l WHERE jsonb_typeof(l.columns) <> 'array'
  OR EXISTS (SELECT 1 FROM jsonb_array_elements(CASE jsonb_typeof(l.columns) WHEN 'array' THEN l.columns ELSE '[]' END) AS c (item)
    WHERE coalesce(c.item ->> 'physical', '') !~ '^${physical}$' OR coalesce(c.item ->> 'storageId', '') !~ '^[1-9][0-9]{0,15}$')
  LIMIT 1`;

const mapsSql = (
  prefix: string,
): string => `SELECT m.id FROM ${prefix}slot_maps m WHERE jsonb_typeof(m.slots) <> 'object'
  OR EXISTS (SELECT 1 FROM jsonb_each_text(CASE jsonb_typeof(m.slots) WHEN 'object' THEN m.slots ELSE '{}' END) AS s (name, slot)
    WHERE s.name !~ '^c[1-9][0-9]{0,15}_${physical}$' OR coalesce(s.slot, '') !~ '^[dsfih][0-9]{1,3}$')
  LIMIT 1`;

/**
 * The first record with a column name or a type that the product cannot have created; undefined: none.
 * @param prefix Prefix of the names of the checked tables.
 */
export const strangeName = async (tx: Sql, prefix = ''): Promise<string | undefined> => {
  const [list] = await tx.query<{ id: number }>(listsSql(prefix));
  if (list !== undefined) return `list of columns ${list.id}`;
  const [map] = await tx.query<{ id: number }>(mapsSql(prefix));
  return map === undefined ? undefined : `slot map ${map.id}`;
};

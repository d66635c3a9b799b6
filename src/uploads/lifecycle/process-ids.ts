/**
 * The two ids of an upload. `id` orders the uploads of a dataset, names their segments and their chunks. A process that
 * was reserved keeps, as `public_id`, the id that was given out, which may be smaller than those of uploads that were
 * accepted before its own. Callers see that one.
 */

/** The id that callers see. */
export const publicIdSql = (alias: string): string => `coalesce(${alias}.public_id, ${alias}.id)`;

/**
 * Condition that one of both ids is the given one: no two processes share any.
 * @param id SQL: a parameter, or `ANY` of one.
 */
export const isProcess = (id: string, alias: string): string =>
  `(${alias}.id = ${id} OR ${alias}.public_id = ${id})`;

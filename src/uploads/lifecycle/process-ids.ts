/**
 * The two ids of an upload. `id` orders the uploads of a dataset and identifies their segments and chunks. A process that was
 * reserved gets its `id` when it is accepted, and keeps the reserved id as `public_id`, which may be lower than the ids of uploads
 * accepted before it. Callers see `public_id`.
 */

/** The id that callers see. */
export const publicIdSql = (alias: string): string => `coalesce(${alias}.public_id, ${alias}.id)`;

/**
 * Condition that either id of a process is the given one. No two processes share an id.
 * @param id SQL: a parameter, or `ANY` of a parameter.
 */
export const isProcess = (id: string, alias: string): string =>
  `(${alias}.id = ${id} OR ${alias}.public_id = ${id})`;

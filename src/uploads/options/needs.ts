/**
 * Options of a layout that a worker must know. During an upgrade, an older worker may receive an upload with an option that it does
 * not know. It then leaves the upload to newer workers instead of storing it without the option.
 */
import { recordsOf, uploadOptions } from './table.js';

/** Entry of `needs`: the name of an option, and its value if the option has a fixed set of values. */
export const needOf = (name: string, { enum: choices }: Readonly<Record<string, unknown>>, value: unknown) =>
  Array.isArray(choices) ? `${name}=${value}` : name;

const known = recordsOf(uploadOptions).flatMap(([name, { stored, openapi }]) => {
  if (stored === undefined) return [];
  return Array.isArray(openapi.enum) ? openapi.enum.map((value) => needOf(name, openapi, value)) : [name];
});

const knownJson = JSON.stringify(known).replaceAll("'", "''");

/** SQL condition that this release knows everything in the column `needs` of a process. */
export const isUnderstoodSql = (alias: string): string =>
  `coalesce(${alias}.needs <@ '${knownJson}'::jsonb, true)`;

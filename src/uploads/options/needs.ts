/**
 * Options of a layout that a worker must know. During an upgrade, an upload that was received by a newer process may reach a worker that lacks one of
 * its options. Such a worker leaves the upload to others, instead of storing it as if the option had not been given.
 */
import { recordsOf, uploadOptions } from './table.js';

/** Name of an option, with its value where it has a few. */
export const needOf = (name: string, { enum: choices }: Readonly<Record<string, unknown>>, value: unknown) =>
  Array.isArray(choices) ? `${name}=${value}` : name;

const known = recordsOf(uploadOptions).flatMap(([name, { stored, openapi }]) => {
  if (stored === undefined) return [];
  return Array.isArray(openapi.enum) ? openapi.enum.map((value) => needOf(name, openapi, value)) : [name];
});

const knownJson = JSON.stringify(known).replaceAll("'", "''");

/** Condition that this release knows everything that the layout of a row of `processes` needs. */
export const isUnderstoodSql = (alias: string): string =>
  `coalesce(${alias}.needs <@ '${knownJson}'::jsonb, true)`;

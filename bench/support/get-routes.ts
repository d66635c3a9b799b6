/** GET routes of a product, with URLs for a catalog filled by metadata.ts. */
import type { RunningProduct } from './product.js';

/** Routes that query an upstream, stream stored data, wait for events, or need a token from an upload or a link. */
const skipped: readonly RegExp[] = [
  /^\/(providers|feed|links|user-keys|session|metrics|docs|openapi)/,
  /^\/account\/export$/,
  /\/(events|rejects)$/,
  /^\/datasets\/\{[^}]*\}\/processes\/\{[^}]*\}\/diff/,
  /^\/ops\/dead-letters\/\{/,
  /\/chunks$/,
];

/** Lists without a limit: their time grows with the catalog and has no goal. */
export const listsEverything = (path: string): boolean => path === '/datasets' || path === '/repositories';

/** Routes that read rows from ClickHouse: their time depends on the rows, not on the size of the catalog. */
export const readsRows = (path: string): boolean =>
  /\/(data|revisions|summary|values|diff\/\{[^}]*\}|diff\/\{[^}]*\}\/rows)$/.test(path);

export interface FilledIds {
  readonly dataset: number;
  readonly version: number;
  readonly repository: number;
  readonly key: number;
}

const parameterOf = (path: string, parameter: string, ids: FilledIds): string => {
  const at: Readonly<Record<string, number | string>> = {
    dataset_id: ids.dataset,
    id: path.startsWith('/repositories')
      ? ids.repository
      : path.startsWith('/account/keys')
        ? ids.key
        : ids.dataset,
    versionId: ids.version,
    from: ids.version - 1,
    to: ids.version,
    processId: ids.version,
    process_id: ids.version,
    column: 'region',
    name: 'team 0',
  };
  const value = at[parameter];
  if (value === undefined) throw new Error(`no value for {${parameter}} of ${path}`);
  return encodeURIComponent(value);
};

const queries: Readonly<Record<string, string>> = { '/search': '?q=prices%20region' };

/** Paths of the GET routes in the product's OpenAPI document. */
export const getRoutes = async ({ baseUrl }: RunningProduct): Promise<string[]> => {
  const answer = await fetch(new URL('/openapi.json', baseUrl));
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, unknown>> };
  return Object.keys(paths)
    .filter((path) => paths[path]?.get !== undefined && !skipped.some((route) => route.test(path)))
    .sort();
};

/** URL path and query of a route for one dataset. */
export const addressOf = (path: string, ids: FilledIds): string =>
  path.replace(/\{([^}]+)\}/g, (_, parameter: string) => parameterOf(path, parameter, ids)) +
  (queries[path] ?? '');

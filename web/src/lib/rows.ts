import { request } from './api.js';
import { type Query, queryText } from './query.js';

/** Longest address that proxies let through; a filter or a list of columns may be longer. */
const longestQuery = 4_000;

/**
 * Asks for rows of a dataset with the options of a download.
 * @throws ApiError, or AbortError when `signal` was aborted.
 */
export const askRows = (
  datasetId: number,
  query: Query,
  options: { readonly accept: string; readonly signal?: AbortSignal | undefined },
): Promise<Response> => {
  // Errors are JSON in every format.
  const headers = { Accept: `${options.accept}, application/json;q=0.5` };
  const { signal } = options;
  return queryText(query).length > longestQuery
    ? request('POST', `/datasets/${datasetId}/query`, { body: query, headers, signal })
    : request('GET', `/datasets/${datasetId}/data`, { query, headers, signal });
};

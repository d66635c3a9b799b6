import { request } from './api.js';
import { type Query, queryText } from './query.js';

/** Proxies reject longer URLs, so longer queries are sent as POST. */
const longestQuery = 4_000;

/**
 * Requests rows of a dataset with download options.
 * @throws ApiError, or AbortError if `signal` is aborted
 */
export const askRows = (
  datasetId: number,
  query: Query,
  options: { readonly accept: string; readonly signal?: AbortSignal | undefined },
): Promise<Response> => {
  // Errors are JSON, whatever the format.
  const headers = { Accept: `${options.accept}, application/json;q=0.5` };
  const { signal } = options;
  return queryText(query).length > longestQuery
    ? request('POST', `/datasets/${datasetId}/query`, { body: query, headers, signal })
    : request('GET', `/datasets/${datasetId}/data`, { query, headers, signal });
};

import type { Meters } from './meters.js';

/** Metrics of the result cache. */
export const createResultCacheMetrics = ({ counter, gauge }: Meters) => ({
  lookups: counter(
    'tabulary_result_cache_lookups_total',
    'Reads whose result was in the cache (hit) or not (miss).',
    ['outcome'],
  ),
  bytes: gauge('tabulary_result_cache_bytes', 'Memory of the result cache; at most RESULT_CACHE_BYTES.'),
});

export type ResultCacheMetrics = ReturnType<typeof createResultCacheMetrics>;

import { Counter, Gauge, type Registry } from 'prom-client';

/** Metrics of the result cache. */
export const createResultCacheMetrics = (registers: Registry[]) => ({
  /** Outcome: hit or miss. */
  lookups: new Counter({
    name: 'tabulary_result_cache_lookups_total',
    help: 'Reads whose result was in the cache (hit) or not (miss).',
    labelNames: ['outcome'] as const,
    registers,
  }),
  bytes: new Gauge({
    name: 'tabulary_result_cache_bytes',
    help: 'Memory of the result cache; at most RESULT_CACHE_BYTES.',
    registers,
  }),
});

export type ResultCacheMetrics = ReturnType<typeof createResultCacheMetrics>;

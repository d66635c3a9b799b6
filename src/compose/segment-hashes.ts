import { startPeriodic } from '../lib/periodic.js';
import type { Scope } from '../lib/scope.js';
import { createHashes } from '../rows/index.js';
import type { Core } from './core.js';

/** Writes hashes of new segments down in the background. */
export const keepSegmentHashes = async (
  { config, sql, clickhouse, log }: Pick<Core, 'config' | 'sql' | 'clickhouse' | 'log'>,
  scope: Scope,
): Promise<void> => {
  const hashes = createHashes({ sql, clickhouse, log });
  const periodic = startPeriodic({
    name: 'segment hashes',
    intervalMs: config.segmentHashIntervalMs,
    run: async (stop) => {
      await hashes.record(stop);
    },
    log,
  });
  await scope.defer('segment hashes', periodic.stop);
};

import { startPeriodic } from '../lib/periodic.js';
import type { Scope } from '../lib/scope.js';
import { createHashRecorder } from '../rows/hash-recorder.js';
import { createSegmentHashes } from '../rows/segment-hashes.js';
import type { Core } from './core.js';

/** Writes hashes of new segments down in the background. */
export const keepSegmentHashes = async (
  { config, sql, clickhouse, log }: Pick<Core, 'config' | 'sql' | 'clickhouse' | 'log'>,
  scope: Scope,
): Promise<void> => {
  const recorder = createHashRecorder({ sql, hashes: createSegmentHashes(clickhouse), log });
  const periodic = startPeriodic({
    name: 'segment hashes',
    intervalMs: config.segmentHashIntervalMs,
    run: async (stop) => {
      await recorder.record(stop);
    },
    log,
  });
  await scope.defer('segment hashes', periodic.stop);
};

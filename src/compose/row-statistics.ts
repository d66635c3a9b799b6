import type { Scope } from '../lib/scope.js';
import { createHashes, createKeys } from '../rows/index.js';
import { createKeyCheck } from '../versions/merge/key-check.js';
import type { Core } from './core.js';

/** Records statistics of new rows: hashes of segments, and whether the key of a version is unique. */
export const startRowStatistics = async (core: Core, scope: Scope): Promise<void> => {
  const { config, jobs, sql, clickhouse, log } = core;
  const everyMs = config.segmentHashIntervalMs;
  const keyCheck = createKeyCheck({ sql, keys: createKeys(clickhouse, false), log });
  await jobs.start('key-checks', { everyMs, run: keyCheck.check, scope });
  await jobs.start('segment-hashes', { everyMs, run: createHashes(core).record, scope });
};

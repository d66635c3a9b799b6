import { startPeriodic } from '../lib/periodic.js';
import type { Scope } from '../lib/scope.js';
import { createHashes, createKeys } from '../rows/index.js';
import { createKeyCheck } from '../versions/merge/key-check.js';
import type { Core } from './core.js';

/** Writes facts about new rows down in the background: hashes of segments, and whether versions are unique by their key. */
export const keepRowFacts = async (
  { config, sql, clickhouse, log }: Pick<Core, 'config' | 'sql' | 'clickhouse' | 'log'>,
  scope: Scope,
): Promise<void> => {
  const hashes = createHashes({ sql, clickhouse, log });
  const keyCheck = createKeyCheck({ sql, keys: createKeys(clickhouse, false), log });
  const periodic = startPeriodic({
    name: 'facts about rows',
    intervalMs: config.segmentHashIntervalMs,
    run: async (stop) => {
      await keyCheck.check(stop);
      await hashes.record(stop);
    },
    log,
  });
  await scope.defer('facts about rows', periodic.stop);
};

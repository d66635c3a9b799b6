import type { UploadReplay } from '../ingest/repair/upload-replay.js';
import { createVerification, type RepairUpload, type Verification } from '../ingest/repair/verification.js';
import { createSegmentHashes } from '../storage/clickhouse/segment-hashes.js';
import { openServers } from './clickhouse-servers.js';
import { type OperatorParts, openUploadReplay } from './operator.js';

/** The comparison of both databases, beside workers that run. */
export const openVerification = async (
  parts: OperatorParts,
): Promise<{ verification: Verification; repair: RepairUpload }> => {
  const { config, scope, sql } = parts;
  const clickhouse = await openServers(config, sql, scope);
  let replay: Promise<UploadReplay> | undefined;
  return {
    verification: createVerification({ sql, hashes: createSegmentHashes(clickhouse) }),
    repair: async (processId) => {
      replay ??= openUploadReplay(parts);
      const report = await (await replay).replay(processId, { takeOver: false, waitMs: 0 });
      return report.kind === 'rewritten' ? report.outcome : 'not_completed';
    },
  };
};

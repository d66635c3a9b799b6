import type { UploadReplay } from '../ingest/repair/upload-replay.js';
import { createVerification, type RepairUpload, type Verification } from '../ingest/repair/verification.js';
import { createClickHouse } from '../storage/clickhouse/client.js';
import { createSegmentHashes } from '../storage/clickhouse/segment-hashes.js';
import { required } from './core.js';
import { bindInstallation } from './installation.js';
import { type OperatorParts, openUploadReplay } from './operator.js';

/** The comparison of both databases, beside workers that run. */
export const openVerification = async (
  parts: OperatorParts,
): Promise<{ verification: Verification; repair: RepairUpload }> => {
  const { config, scope, sql } = parts;
  const clickhouse = createClickHouse({
    url: required(config.clickhouseUrl, 'CLICKHOUSE_URL'),
    database: config.clickhouseDatabase,
  });
  await scope.defer('ClickHouse connections', clickhouse.close);
  await bindInstallation(sql, clickhouse);
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

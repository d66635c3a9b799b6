import { createSavedSegments } from '../backup/saved-segments.js';
import { isAppError } from '../lib/errors.js';
import { processOfSegment } from '../model/version.js';
import { createCompactions, createHashes, createWrite } from '../rows/index.js';
import { readSetting } from '../storage/postgres/settings.js';
import type { UploadReplay } from '../uploads/repair/upload-replay.js';
import { createSegmentRestore, type RestoreSegment } from '../versions/verify/segment-restore.js';
import {
  createVerification,
  type RepairSegment,
  type Verification,
} from '../versions/verify/verification.js';
import { createVersionReads } from '../versions/verify/version-reads.js';
import { openRows } from './backup.js';
import { openServers } from './clickhouse-servers.js';
import { type OperatorParts, openUploadReplay } from './operator.js';

/** From Kafka. */
const createReplayRepair = (parts: OperatorParts): RepairSegment => {
  let replay: Promise<UploadReplay> | undefined;
  return async ({ id }) => {
    replay ??= openUploadReplay(parts);
    const report = await (await replay).replay(processOfSegment(id), { takeOver: false, waitMs: 0 });
    return report.kind === 'rewritten' ? report.outcome : 'not_completed';
  };
};

/** @param place Folder or `s3://bucket/prefix` of backups. */
const openBackupRepair = async (parts: OperatorParts, place: string): Promise<RestoreSegment> => {
  const { config, log, sql } = parts;
  const { folder, archive } = await openRows({ ...parts, place });
  const saved = createSavedSegments({
    folder,
    archive,
    installation: () => readSetting(sql, 'installation'),
  });
  const compactions = createCompactions({ sql, leaseMs: config.replayLeaseMs, log });
  return createSegmentRestore({ sql, compactions, find: saved.find });
};

/** Kafka first, which has the file itself; then the backup. */
const oneAfterTheOther =
  (replay: RepairSegment, restore: RestoreSegment | undefined): RepairSegment =>
  async (segment) => {
    if (restore === undefined) return replay(segment);
    try {
      const outcome = await replay(segment);
      if (outcome !== 'not_completed') return outcome;
    } catch (error) {
      if (!isAppError(error) || error.kind === 'unavailable') throw error;
    }
    return restore(segment);
  };

/**
 * The comparison of both databases, while workers run.
 * @param backups Where rows are taken from that Kafka does not give.
 */
export const openVerification = async (
  parts: OperatorParts,
  backups?: string,
): Promise<{ verification: Verification; repair: RepairSegment }> => {
  const { config, log, scope, sql } = parts;
  const clickhouse = await openServers(config, sql, scope, { log });
  const restore = backups === undefined ? undefined : await openBackupRepair(parts, backups);
  return {
    verification: createVerification({
      sql,
      hashes: createHashes({ sql, clickhouse, log }),
      reads: createVersionReads({ sql, clickhouse, write: createWrite(clickhouse) }),
    }),
    repair: oneAfterTheOther(createReplayRepair(parts), restore),
  };
};

import { createSavedSegments } from '../backup/saved-segments.js';
import { createCompactions, createHashes, createWrite } from '../rows/index.js';
import { readSetting } from '../storage/postgres/settings.js';
import { createSegmentRepair } from '../versions/verify/segment-repair.js';
import { createSegmentRestore, type RestoreSegment } from '../versions/verify/segment-restore.js';
import {
  createVerification,
  type RepairSegment,
  type Verification,
} from '../versions/verify/verification.js';
import { createVersionReads } from '../versions/verify/version-reads.js';
import { openRows } from './backup.js';
import { openServers } from './clickhouse-servers.js';
import { openLeases } from './jobs.js';
import { openUploadReplay } from './operator.js';
import type { CommandParts } from './parts.js';

/** @param place Folder or `s3://bucket/prefix` of backups. */
const openBackupRepair = async (parts: CommandParts, place: string): Promise<RestoreSegment> => {
  const { sql } = parts;
  const { folder, archive } = await openRows({ ...parts, place });
  const saved = createSavedSegments({
    folder,
    archive,
    installation: () => readSetting(sql, 'installation'),
  });
  const compactions = createCompactions({ sql, leases: openLeases(parts) });
  return createSegmentRestore({ sql, compactions, find: saved.find });
};

/**
 * Compares both databases while workers run.
 * @param backups Folder or bucket of backups, for rows that Kafka no longer has.
 */
export const openVerification = async (
  parts: CommandParts,
  backups?: string,
): Promise<{ verification: Verification; repair: RepairSegment }> => {
  const { log, sql } = parts;
  const clickhouse = await openServers(parts);
  const restore = backups === undefined ? undefined : await openBackupRepair(parts, backups);
  return {
    verification: createVerification({
      sql,
      hashes: createHashes({ sql, clickhouse, log }),
      reads: createVersionReads({ sql, clickhouse, write: createWrite(clickhouse) }),
    }),
    repair: createSegmentRepair({ openReplay: () => openUploadReplay(parts), restore }),
  };
};

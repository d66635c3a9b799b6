import { isAppError } from '../../lib/errors.js';
import { processOfSegment } from '../../model/version.js';
import type { UploadReplay } from '../../uploads/repair/upload-replay.js';
import type { RestoreSegment } from './segment-restore.js';
import type { RepairSegment } from './verification.js';

interface SegmentRepairOptions {
  /** Called for the first segment. */
  readonly openReplay: () => Promise<UploadReplay>;
  /** Source of rows that Kafka does not have; undefined without a backup. */
  readonly restore: RestoreSegment | undefined;
}

/** Repairs segments from Kafka, which has the uploaded file itself, and otherwise from a backup. */
export const createSegmentRepair = ({ openReplay, restore }: SegmentRepairOptions): RepairSegment => {
  let opened: Promise<UploadReplay> | undefined;
  const replay: RepairSegment = async ({ id }) => {
    opened ??= openReplay();
    const report = await (await opened).replay(processOfSegment(id), { takeOver: false, waitMs: 0 });
    return report.kind === 'rewritten' ? report.outcome : 'not_completed';
  };
  if (restore === undefined) return replay;
  return async (segment) => {
    try {
      const outcome = await replay(segment);
      if (outcome !== 'not_completed') return outcome;
    } catch (error) {
      if (!isAppError(error) || error.kind === 'unavailable') throw error;
    }
    return restore(segment);
  };
};

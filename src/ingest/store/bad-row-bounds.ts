import type { ProcessError } from '../../model/process.js';
import type { Layout } from '../layout/layout.js';
import type { ProcessStore, UploadState } from '../processes/process-store.js';
import { maxRejects } from '../processes/rejects.js';
import type { VersionPublisher } from '../versions/version-publisher.js';

/** Ends uploads that have more bad rows than they may. */
export interface BadRowBounds {
  /** Looks at the count; true when the process was failed for it. */
  refuse(state: UploadState, layout: Layout): Promise<boolean>;
  /** Looks at the share, once every record was read; true when the process was failed for it. */
  refuseShare(state: UploadState, layout: Layout): Promise<boolean>;
}

const tooMany = (state: UploadState, limit: string): ProcessError => ({
  code: 'too_many_bad_rows',
  message: `The file has ${state.rejectedRows} bad rows so far; ${limit}.`,
});

export const createBadRowBounds = ({
  processes,
  publisher,
}: {
  processes: ProcessStore;
  publisher: VersionPublisher;
}): BadRowBounds => {
  const fail = async (state: UploadState, limit: string): Promise<true> => {
    await processes.fail(state.processId, tooMany(state, limit));
    await publisher.publishDue(state.datasetId);
    return true;
  };
  return {
    async refuse(state, { maxBadRows }) {
      const limit = maxBadRows !== undefined && 'count' in maxBadRows ? maxBadRows.count : maxRejects;
      if (state.rejectedRows <= Math.min(limit, maxRejects)) return false;
      return fail(state, `at most ${Math.min(limit, maxRejects)} are set aside`);
    },
    async refuseShare(state, { maxBadRows }) {
      if (maxBadRows === undefined || !('percent' in maxBadRows)) return false;
      const records = state.insertedRows + state.rejectedRows;
      if (state.rejectedRows * 100 <= maxBadRows.percent * records) return false;
      return fail(state, `at most ${maxBadRows.percent}% of ${records} records are set aside`);
    },
  };
};

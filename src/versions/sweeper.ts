/**
 * Looks after uploads and what is stored, every so often. Every step is idempotent, so that any number of workers may
 * sweep at the same time.
 */
import type { Log } from '../lib/log.js';
import { startPeriodic } from '../lib/periodic.js';
import type { SharedTurn } from '../storage/postgres/settings.js';
import type { UploadSweep, UploadSweepReport } from '../uploads/lifecycle/upload-sweep.js';
import type { RetentionReport, StorageSweep } from './retention.js';

export type SweepReport = UploadSweepReport & Partial<RetentionReport>;

export interface Sweeper {
  /** One look at uploads and at what they left; the first, and then every so often, at everything that is stored. */
  sweep(): Promise<SweepReport>;
  /** Ends the regular looks; resolves when none runs. */
  close(): Promise<void>;
}

export interface SweeperOptions {
  readonly uploads: UploadSweep;
  readonly storage: StorageSweep;
  readonly intervalMs: number;
  /** Between two looks at everything that is stored, in milliseconds. */
  readonly storageIntervalMs: number;
  /** Shared with other workers: one of them looks at everything that is stored. Absent: there are no others. */
  readonly turn?: SharedTurn;
  readonly log: Log;
}

/** Turn of a worker that is the only one. */
const createOwnTurn = (): SharedTurn => {
  let takenAt = 0;
  return {
    async take(intervalMs) {
      if (Date.now() < takenAt + intervalMs) return false;
      takenAt = Date.now();
      return true;
    },
    async giveBack() {
      takenAt = 0;
    },
  };
};

export const createSweeper = (options: SweeperOptions): Sweeper => {
  const { uploads, storage, intervalMs, storageIntervalMs, turn = createOwnTurn(), log } = options;
  let hasLooked = false;

  /** Whoever starts looks, whenever others did: it may have been started for that. */
  const isDue = (): Promise<boolean> => turn.take(hasLooked ? storageIntervalMs : 0);

  const sweepStorage = async (stop?: AbortSignal): Promise<Partial<RetentionReport>> => {
    if (!(await isDue())) return storage.release(stop);
    try {
      const report = await storage.sweep(stop);
      hasLooked = true;
      return report;
    } catch (error) {
      await turn.giveBack();
      throw error;
    }
  };

  const told = (look: (stop: AbortSignal) => Promise<Partial<SweepReport>>) => async (stop: AbortSignal) => {
    const report = await look(stop);
    if (Object.values(report).some((count) => count > 0)) log.info({ ...report }, 'swept');
  };

  // Apart: uploads wait for the end of those before them, and to drop hundreds of segments may take minutes.
  const tasks = [
    startPeriodic({ name: 'sweep of uploads', intervalMs, run: told(uploads), log }),
    startPeriodic({ name: 'sweep of the storage', intervalMs, run: told(sweepStorage), log }),
  ];

  return {
    sweep: async () => ({ ...(await uploads()), ...(await sweepStorage()) }),
    async close() {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
};

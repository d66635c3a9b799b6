import type { Metrics } from '../lib/metrics/metrics.js';
import type { DispatcherOptions } from '../uploads/lifecycle/dispatcher.js';
import type { UploadAdmissionOptions } from '../uploads/receive/upload-admission.js';

/** Counts the uploads that this process ends. */
export const countsOfUploads = ({
  versionsPublished,
  pipeline,
}: Metrics): Pick<DispatcherOptions, 'onPublished' | 'onFailed'> => ({
  onPublished: ({ topic, seconds }) => {
    versionsPublished.inc();
    pipeline.ended.inc({ outcome: 'completed', reason: 'none' });
    pipeline.visibleSeconds.observe({ topic }, seconds);
  },
  onFailed: ({ code }) =>
    pipeline.ended.inc({ outcome: code === 'cancelled' ? 'cancelled' : 'failed', reason: code }),
});

/** Counts what a worker inserts, retries included. */
export const countInserted =
  ({ ingestRows, ingestBytes, insertSeconds }: Metrics) =>
  (rows: number, bytes: number, seconds: number): void => {
    ingestRows.inc(rows);
    ingestBytes.inc(bytes);
    insertSeconds.observe(seconds);
  };

export const showBacklog =
  ({ backlogBytes, backlogRatio, backlogSeconds }: Metrics): UploadAdmissionOptions['onProbe'] =>
  (uses) => {
    for (const { topic, backlogBytes: bytes, retentionBytes, seconds } of uses) {
      backlogBytes.set({ topic }, bytes);
      backlogRatio.set({ topic }, retentionBytes === null ? 0 : bytes / Math.max(1, retentionBytes));
      backlogSeconds.set({ topic }, seconds);
    }
  };

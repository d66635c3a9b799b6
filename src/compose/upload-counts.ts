import type { Metrics } from '../lib/metrics/metrics.js';
import type { DispatcherOptions } from '../uploads/lifecycle/dispatcher.js';

/** Counts the uploads that this process ends. */
export const countsOfUploads = ({
  versionsPublished,
  pipeline,
}: Metrics): Pick<DispatcherOptions, 'onPublished' | 'onFailed'> => ({
  onPublished: ({ lane, seconds }) => {
    versionsPublished.inc();
    pipeline.ended.inc({ outcome: 'completed', reason: 'none' });
    pipeline.visibleSeconds.observe({ lane }, seconds);
  },
  onFailed: ({ code }) =>
    pipeline.ended.inc({ outcome: code === 'cancelled' ? 'cancelled' : 'failed', reason: code }),
});

/**
 * No timer of kafkajs' request queue while no request is pending (tulios/kafkajs#1704, #1751).
 *
 * kafkajs schedules the next check of its queue after each check, also of an empty queue, with a delay that is negative
 * unless the broker throttles. Each connection then wakes the process every millisecond, and Node 24 prints a
 * `TimeoutNegativeWarning`. An enqueued request schedules a check itself, so an empty queue needs none.
 */

/** Members of kafkajs' RequestQueue that the patch uses. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

/** Methods that replace those of `RequestQueue`. */
export const queueMethods = ({
  scheduleCheckPendingRequests,
}: Pick<RequestQueue, 'scheduleCheckPendingRequests'>) => ({
  scheduleCheckPendingRequests(this: RequestQueue): void {
    if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
  },
});

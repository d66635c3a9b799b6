/** An export in progress. Exactly one of `finish` and `cancel` must be called, once. */
export interface ExportTicket {
  /** True for ranges of a file that belong to an export that was already counted. */
  readonly isPart?: boolean;
  /**
   * Counts bytes before the first of them is sent, so that answers that start at the same time are all counted.
   * @throws AppError 402 (the promise) if the quota was reached meanwhile: nothing may be sent.
   */
  ahead?(bytes: number): Promise<void> | undefined;
  /**
   * Reports the bytes sent so far. If it returns a promise, no more may be sent before that resolves.
   * @throws AppError 402 (the promise) if another export has reached the quota: this one must be aborted. Other errors mean that the bytes
   *   are not counted yet; the next call adds them.
   */
  spend(bytesSent: number): Promise<void> | undefined;
  /** The answer has ended, complete or not: the sent bytes are counted. */
  finish(bytesSent: number): Promise<void>;
  /** Nothing was sent (304, refused, failed): nothing is counted. */
  cancel(): Promise<void>;
}

/** Ticket of an answer that is not counted. */
export const freeTicket: ExportTicket = {
  spend: () => undefined,
  finish: () => Promise.resolve(),
  cancel: () => Promise.resolve(),
};

const both = (...counts: readonly (Promise<void> | undefined)[]): Promise<void> | undefined => {
  const counted = counts.filter((one) => one !== undefined);
  return counted.length === 0 ? undefined : Promise.all(counted).then(() => undefined);
};

/** Combines two tickets. */
export const bothTickets = (a: ExportTicket, b: ExportTicket): ExportTicket => ({
  ahead: (bytes) => both(a.ahead?.(bytes), b.ahead?.(bytes)),
  spend: (bytesSent) => both(a.spend(bytesSent), b.spend(bytesSent)),
  finish: async (bytesSent) => void (await Promise.all([a.finish(bytesSent), b.finish(bytesSent)])),
  cancel: async () => void (await Promise.all([a.cancel(), b.cancel()])),
});

/** Bytes between two updates of the count: 1/`stepShare` of the remaining quota, within limits. */
const stepShare = 16;
const minStep = 64 * 1024;
const maxStep = 8 * 1024 * 1024;

/** @param left Bytes until the quota is reached; null: no quota. */
export const stepOf = (left: number | null): number =>
  left === null ? Number.POSITIVE_INFINITY : Math.min(Math.max(left / stepShare, minStep), maxStep);

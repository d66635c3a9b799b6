/** One export that is under way. Exactly one of `finish` and `cancel` is called, once. */
export interface ExportTicket {
  /** True for ranges of a file that belong to an export which was counted before. */
  readonly isPart?: boolean;
  /**
   * Counts bytes before the first of them is sent, so that answers which begin at the same time see each other.
   * @throws AppError 402 (the promise) when the quota was reached meanwhile: nothing may be sent.
   */
  ahead?(bytes: number): Promise<void> | undefined;
  /**
   * Reports how much has been sent so far. If it returns a promise, nothing more may be sent before that resolves.
   * @throws AppError 402 (the promise) when the quota was reached by another export: this one is to be broken off. Other
   *   errors mean that the bytes are not counted yet; the next call adds them.
   */
  spend(bytesSent: number): Promise<void> | undefined;
  /** The answer ended, whole or cut off: it costs what was sent. */
  finish(bytesSent: number): Promise<void>;
  /** Nothing was sent (304, refused, failed): it costs nothing. */
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

/** Settles two counts together. */
export const bothTickets = (a: ExportTicket, b: ExportTicket): ExportTicket => ({
  ahead: (bytes) => both(a.ahead?.(bytes), b.ahead?.(bytes)),
  spend: (bytesSent) => both(a.spend(bytesSent), b.spend(bytesSent)),
  finish: async (bytesSent) => void (await Promise.all([a.finish(bytesSent), b.finish(bytesSent)])),
  cancel: async () => void (await Promise.all([a.cancel(), b.cancel()])),
});

/** Bytes between two additions to the count: the share of what is left, within bounds. */
const stepShare = 16;
const leastStep = 64 * 1024;
const mostStep = 8 * 1024 * 1024;

/** @param left Bytes until the quota is reached; null: it has none. */
export const stepOf = (left: number | null): number =>
  left === null ? Number.POSITIVE_INFINITY : Math.min(Math.max(left / stepShare, leastStep), mostStep);

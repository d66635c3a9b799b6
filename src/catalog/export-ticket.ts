/** One export that is under way. Exactly one of `finish` and `cancel` is called, once. */
export interface ExportTicket {
  /**
   * Tells how much has been sent so far. A promise: nothing more may be sent before it resolves.
   * @throws AppError 402 (the promise) when the quota was reached by another export: this one is to be broken off. Other
   *   errors mean that the bytes are not counted yet; the next call adds them.
   */
  spend(bytesSent: number): Promise<void> | undefined;
  /** The answer ended, whole or cut off: it costs what was sent. */
  finish(bytesSent: number): Promise<void>;
  /** Nothing was sent (304, refused, failed): it costs nothing. */
  cancel(): Promise<void>;
}

/** For what is not counted. */
export const freeTicket: ExportTicket = {
  spend: () => undefined,
  finish: () => Promise.resolve(),
  cancel: () => Promise.resolve(),
};

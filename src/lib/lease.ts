export interface LeaseOptions {
  /** Milliseconds for which the lease is held without being renewed. */
  readonly leaseMs: number;
  /** Milliseconds between two renewals. @default a third of `leaseMs` */
  readonly renewMs?: number | undefined;
  /** Renews it; false when somebody else has it, or may have it, by now. */
  readonly renew: () => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

/**
 * Does the work while a lease that was taken is renewed, more often than it must be and never twice at a time.
 * @param work Gets a signal that is aborted when the lease is lost: somebody else may be at the same work then, and what
 *   it has come to must not be published.
 */
export const whileLeased = async <T>(
  { leaseMs, renewMs = leaseMs / 3, renew, onError }: LeaseOptions,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> => {
  const lost = new AbortController();
  const lose = (): void => lost.abort(new Error('the lease was lost'));
  let heldAt = Date.now();
  let isRenewing = false;

  /** Whoever was too late for too long without an answer must take it for lost; with one, the answer tells. */
  const loseWhenOver = (): void => {
    if (Date.now() - heldAt >= leaseMs) lose();
  };

  const renewOnce = async (): Promise<void> => {
    const askedAt = Date.now();
    try {
      if (await renew()) heldAt = askedAt;
      else lose();
    } catch (error) {
      onError(error);
      loseWhenOver();
    }
  };

  const timer = setInterval(() => {
    if (isRenewing) return loseWhenOver();
    if (lost.signal.aborted) return;
    isRenewing = true;
    void renewOnce().finally(() => {
      isRenewing = false;
    });
  }, renewMs);
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(timer);
  }
};

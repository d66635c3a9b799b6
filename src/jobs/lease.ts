interface LeaseOptions {
  /** Milliseconds after which the lease expires unless it is renewed. */
  readonly leaseMs: number;
  /** Returns false if the lease is lost. */
  readonly renew: () => Promise<boolean>;
  readonly onError: (error: unknown) => void;
  /** Aborted when the lease is lost. The caller may abort it to end the renewals before it releases the lease. */
  readonly lost?: AbortController;
}

/**
 * Renews a lease while the work runs, one renewal at a time.
 * @param work Gets a signal that is aborted when the lease is lost. Another process may then do the same work, so the result must not be
 *   published.
 */
export const whileLeased = async <T>(
  { leaseMs, renew, onError, lost = new AbortController() }: LeaseOptions,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> => {
  const lose = (): void => lost.abort(new Error('the lease was lost'));
  let heldAt = Date.now();
  let isRenewing = false;

  const loseIfExpired = (): void => {
    if (Date.now() - heldAt >= leaseMs) lose();
  };

  const renewOnce = async (): Promise<void> => {
    const sentAt = Date.now();
    try {
      if (await renew()) heldAt = sentAt;
      else lose();
    } catch (error) {
      onError(error);
      loseIfExpired();
    }
  };

  const timer = setInterval(() => {
    if (isRenewing) return loseIfExpired();
    if (lost.signal.aborted) return;
    isRenewing = true;
    void renewOnce().finally(() => {
      isRenewing = false;
    });
  }, leaseMs / 3);
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(timer);
  }
};

interface LeaseOptions {
  /** Milliseconds for which the lease is held without being renewed. */
  readonly leaseMs: number;
  /** False: another process has it, or may have it, by now. */
  readonly renew: () => Promise<boolean>;
  readonly onError: (error: unknown) => void;
  /** Aborted when the lease is lost. The caller may abort it to release the lease, which is then not renewed. */
  readonly lost?: AbortController;
}

/**
 * Renews a lease while the work runs, one renewal at a time.
 * @param work Gets a signal that is aborted when the lease is lost: another process may do the same work by then, and the result
 *   must not be published.
 */
export const whileLeased = async <T>(
  { leaseMs, renew, onError, lost = new AbortController() }: LeaseOptions,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> => {
  const lose = (): void => lost.abort(new Error('the lease was lost'));
  let heldAt = Date.now();
  let isRenewing = false;

  /** Without an answer for as long as the lease lasts, it counts as lost. */
  const loseWhenOver = (): void => {
    if (Date.now() - heldAt >= leaseMs) lose();
  };

  const renewOnce = async (): Promise<void> => {
    const sentAt = Date.now();
    try {
      if (await renew()) heldAt = sentAt;
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
  }, leaseMs / 3);
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(timer);
  }
};

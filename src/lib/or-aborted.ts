/** Returns the result of the work, or throws the reason of the signal if it is aborted first. The work itself continues. */
export const orAborted = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted();
  const settled = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: settled.signal });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    settled.abort();
  }
};

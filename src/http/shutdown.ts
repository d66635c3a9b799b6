/** Shutdown state of a server, for the server itself, the readiness check and requests that wait. */
export interface Shutdown {
  /** True: not ready, and connections end with their answer. Requests are still served. */
  readonly draining: boolean;
  /** True from the close of the server on: waiting requests are answered now. */
  readonly stopping: boolean;
  /** Has no effect once the server is closing. */
  setDraining(on: boolean): void;
  stop(): void;
}

export const createShutdown = (): Shutdown => {
  let draining = false;
  let stopping = false;
  return {
    get draining() {
      return draining;
    },
    get stopping() {
      return stopping;
    },
    setDraining(on) {
      draining = on || stopping;
    },
    stop() {
      draining = true;
      stopping = true;
    },
  };
};

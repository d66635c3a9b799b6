/** Shutdown state of a server, for the server itself, the readiness check and waiting requests. */
export interface Shutdown {
  /** True: not ready, and connections close after their answer. Requests are still served. */
  readonly draining: boolean;
  /** True once the server is closing: waiting requests are answered now. */
  readonly stopping: boolean;
  /** Has no effect while the server is closing. */
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

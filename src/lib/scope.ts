import type { Log } from './log.js';

/**
 * Parts that are started in order and stopped in reverse. A part is registered as soon as it runs, so that a failure during the start stops
 * exactly the parts that were started. `close` is idempotent.
 */
export interface Scope {
  /** Registers how to stop a running part. After `close` has started, the part is stopped at once. */
  defer(name: string, stop: () => Promise<void> | void): Promise<void>;
  /** Stops all parts in reverse order. A failure is logged and does not prevent the others from being stopped. */
  close(): Promise<void>;
  readonly closing: boolean;
  /** Name of the part that is being stopped. */
  readonly stopping: string | undefined;
}

export const createScope = (log: Log): Scope => {
  const parts: { name: string; stop: () => Promise<void> | void }[] = [];
  let done: Promise<void> | undefined;
  let stopping: string | undefined;

  const stopOne = async (name: string, stop: () => Promise<void> | void): Promise<void> => {
    const startedAt = Date.now();
    stopping = name;
    try {
      await stop();
      log.debug({ part: name, ms: Date.now() - startedAt }, 'part stopped');
    } catch (error) {
      log.error({ part: name, err: error }, 'part failed to stop');
    }
  };

  const closeAll = async (): Promise<void> => {
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) await stopOne(part.name, part.stop);
  };

  return {
    async defer(name, stop) {
      if (done !== undefined) await stopOne(name, stop);
      else parts.push({ name, stop });
    },
    close() {
      done ??= closeAll();
      return done;
    },
    get closing() {
      return done !== undefined;
    },
    get stopping() {
      return stopping;
    },
  };
};

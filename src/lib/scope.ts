import type { Log } from './log.js';

/**
 * Parts that are started in order and stopped in reverse. A part is registered as soon as it runs, so that a
 * failure halfway through the start stops exactly what was started. `close` is safe to call more than once.
 */
export interface Scope {
  /** Registers how to stop a part that runs; after `close` has begun the part is stopped at once. */
  defer(name: string, stop: () => Promise<void> | void): Promise<void>;
  /** Stops everything in reverse order. Failures are logged and do not keep the others from being stopped. */
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

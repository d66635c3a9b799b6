/**
 * Watchdog for a server: distinguishes a server that hangs (suspended, or behind a dead network) from a long-running request. While
 * requests are pending, it pings the server on separate connections. Any reply counts as alive, even a refused connection, since pending
 * requests to a server that is down fail by themselves. Bytes of an answer that is being read count as well.
 *
 * Time is counted in rounds, not by the clock, so a process whose own event loop was blocked does not declare the server dead.
 */
import type { Readable } from 'node:stream';

interface WatchdogOptions {
  /** Settles, either way, when the server responds. Closes its connection when the signal is aborted. */
  readonly ping: (signal: AbortSignal) => Promise<unknown>;
  /** Milliseconds without a reply after which pending requests fail. */
  readonly silenceMs: number;
  /** Error of pending requests. */
  readonly silent: () => Error;
}

export interface Watchdog {
  /**
   * Runs a request. While the server does not respond, requests fail at once.
   * @param work Its signal is aborted when the request has failed because the server does not respond.
   * @throws the error of `work`, or `silent`.
   */
  run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Destroys an answer that is being read if the server stops responding. */
  watch(answer: Readable): void;
  close(): void;
}

/** Rounds without a reply after which a server counts as not responding. */
const rounds = 5;

/** Bytes received on the connection of an answer, read or not. */
const bytesOf = (answer: Readable): number => {
  const socket: unknown = Reflect.get(answer, 'socket');
  return socket instanceof Object ? Number(Reflect.get(socket, 'bytesRead') ?? 0) : 0;
};

interface Pending {
  readonly fail: () => void;
  /** Bytes received for it. */
  readonly bytes: () => number;
  seen: number;
}

export const createWatchdog = ({ ping, silenceMs, silent }: WatchdogOptions): Watchdog => {
  const pending = new Set<Pending>();
  /** Pings in flight, oldest first. */
  const pings: AbortController[] = [];
  let timer: NodeJS.Timeout | undefined;
  let quietRounds = 0;

  const isSilent = (): boolean => quietRounds >= rounds;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    quietRounds = 0;
    for (const sent of pings.splice(0)) sent.abort();
  };
  const sendPing = (): void => {
    // The oldest ping may hang on a dead connection.
    if (pings.length >= rounds) pings.shift()?.abort();
    const sent = new AbortController();
    pings.push(sent);
    const answered = (): void => {
      if (sent.signal.aborted) return;
      pings.splice(pings.indexOf(sent), 1);
      quietRounds = 0;
      if (pending.size === 0) stop();
    };
    ping(sent.signal).then(answered, answered);
  };
  const round = (): void => {
    quietRounds += 1;
    for (const request of pending) {
      const bytes = request.bytes();
      if (bytes !== request.seen) quietRounds = 0;
      request.seen = bytes;
    }
    if (isSilent()) for (const { fail } of [...pending]) fail();
    sendPing();
  };
  /** Returns a function that ends the watch. */
  const begin = (fail: Pending['fail'], bytes: Pending['bytes']): (() => void) => {
    const request: Pending = { fail, bytes, seen: bytes() };
    pending.add(request);
    timer ??= setInterval(round, silenceMs / rounds).unref();
    return () => {
      pending.delete(request);
      if (pending.size === 0 && !isSilent()) stop();
    };
  };

  return {
    async run(work) {
      if (isSilent()) throw silent();
      const abandoned = new AbortController();
      let end: (() => void) | undefined;
      const failed = new Promise<never>((_resolve, reject) => {
        const fail = (): void => {
          reject(silent());
          abandoned.abort();
        };
        end = begin(fail, () => 0);
      });
      try {
        return await Promise.race([work(abandoned.signal), failed]);
      } finally {
        end?.();
      }
    },
    watch(answer) {
      if (answer.destroyed) return;
      const end = begin(
        () => answer.destroy(silent()),
        () => bytesOf(answer),
      );
      answer.once('close', end);
    },
    close: stop,
  };
};

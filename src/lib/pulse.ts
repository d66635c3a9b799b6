/**
 * Tells a server that stands still (stopped, hung, behind a dead network) from one that takes long over an answer: while
 * something waits for it, it is pinged on connections of its own. Any answer to that is a sign of life, a refusal too: a
 * server that is gone ends what waits for it by itself. So are bytes of an answer that is being read.
 *
 * Time is counted in rounds and not by the clock: a process that could not run itself takes nobody for silent.
 */
import type { Readable } from 'node:stream';

export interface PulseOptions {
  /** Settles, in whatever way, when the server answers; ends its connection when the signal comes. */
  readonly ping: (signal: AbortSignal) => Promise<unknown>;
  /** Milliseconds without a sign of life after which nothing waits any longer. */
  readonly silenceMs: number;
  /** Error for those who wait. */
  readonly silent: () => Error;
}

export interface Pulse {
  /**
   * Waits for work that the server does. A server that is silent is asked nothing until it answers a ping.
   * @param work Gets a signal that is aborted when nobody waits for it any longer.
   * @throws What `work` throws, or the error of a silent server.
   */
  during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Destroys an answer that is being read when the server goes silent. */
  watch(answer: Readable): void;
  close(): void;
}

/** Pings until a server is taken for silent. */
const rounds = 5;

/** Bytes that came in on the connection of an answer, read or not. */
const bytesOf = (answer: Readable): number => {
  const socket: unknown = Reflect.get(answer, 'socket');
  return socket instanceof Object ? Number(Reflect.get(socket, 'bytesRead') ?? 0) : 0;
};

interface Wait {
  readonly giveUp: () => void;
  /** Bytes that have come in for it. */
  readonly bytes: () => number;
  seen: number;
}

export const createPulse = ({ ping, silenceMs, silent }: PulseOptions): Pulse => {
  const waits = new Set<Wait>();
  /** Under way, the oldest first. */
  const pings: AbortController[] = [];
  let timer: NodeJS.Timeout | undefined;
  let quietRounds = 0;

  const isSilent = (): boolean => quietRounds >= rounds;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    quietRounds = 0;
    for (const asked of pings.splice(0)) asked.abort();
  };
  const ask = (): void => {
    // The oldest may hang on a connection that leads nowhere.
    if (pings.length >= rounds) pings.shift()?.abort();
    const asked = new AbortController();
    pings.push(asked);
    const answered = (): void => {
      if (asked.signal.aborted) return;
      pings.splice(pings.indexOf(asked), 1);
      quietRounds = 0;
      if (waits.size === 0) stop();
    };
    ping(asked.signal).then(answered, answered);
  };
  const round = (): void => {
    quietRounds += 1;
    for (const wait of waits) {
      const bytes = wait.bytes();
      if (bytes !== wait.seen) quietRounds = 0;
      wait.seen = bytes;
    }
    if (isSilent()) for (const { giveUp } of [...waits]) giveUp();
    ask();
  };
  /** The result ends the wait. */
  const begin = (giveUp: Wait['giveUp'], bytes: Wait['bytes']): (() => void) => {
    const wait: Wait = { giveUp, bytes, seen: bytes() };
    waits.add(wait);
    timer ??= setInterval(round, silenceMs / rounds).unref();
    return () => {
      waits.delete(wait);
      if (waits.size === 0 && !isSilent()) stop();
    };
  };

  return {
    async during(work) {
      if (isSilent()) throw silent();
      const given = new AbortController();
      let end: (() => void) | undefined;
      const gaveUp = new Promise<never>((_resolve, reject) => {
        const giveUp = (): void => {
          reject(silent());
          given.abort();
        };
        end = begin(giveUp, () => 0);
      });
      try {
        return await Promise.race([work(given.signal), gaveUp]);
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

import type { Readable } from 'node:stream';
import type { FindEndedRights, StandingRight } from '../catalog/standing-rights.js';
import { isAppError } from '../lib/errors.js';
import type { Log } from '../lib/log.js';

/** Checks the rights of callers while their answers are sent. */
export interface RightsWatch {
  /** Destroys the stream, with the refusal as its error, once the right has ended. */
  watch(body: Readable, right: StandingRight): void;
}

/** Milliseconds between two checks. */
const intervalMs = 1_000;

interface RightsWatchOptions {
  readonly findEnded: FindEndedRights;
  readonly log: Log;
}

/** True for the error of an ended right or quota; false for a fault. */
export const isRefusal = (error: unknown): boolean =>
  isAppError(error) && ['unauthenticated', 'forbidden', 'not_found', 'quota'].includes(error.kind);

/** Checks all streams of the process together. A failed check, for example while PostgreSQL is down, aborts no stream. */
export const createRightsWatch = ({ findEnded, log }: RightsWatchOptions): RightsWatch => {
  const watched = new Map<Readable, StandingRight>();
  let timer: NodeJS.Timeout | undefined;

  const checkAll = async (): Promise<void> => {
    const streams = [...watched];
    const ended = await findEnded(streams.map(([, right]) => right));
    for (const [index, [body]] of streams.entries())
      if (ended[index] !== undefined) body.destroy(ended[index]);
  };
  const schedule = (): void => {
    if (timer !== undefined || watched.size === 0) return;
    timer = setTimeout(async () => {
      try {
        await checkAll();
      } catch (error) {
        log.warn({ err: error, answers: watched.size }, 'rights of running answers could not be checked');
      }
      timer = undefined;
      schedule();
    }, intervalMs).unref();
  };

  return {
    watch(body, right) {
      if (body.destroyed) return;
      watched.set(body, right);
      body.once('close', () => watched.delete(body));
      schedule();
    },
  };
};

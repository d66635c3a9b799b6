import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Leases } from '../../jobs/leases.js';
import { createCache as createLru } from '../../lib/cache.js';
import { isAppError } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { Telemetry } from '../telemetry.js';
import type { CacheRecords, Kept } from './cache-records.js';

export interface CacheQuestion {
  readonly provider: string;
  /** Audience of the answer: `shared`, or one account. It is served to no other audience. */
  readonly audience: string;
  /** Operation and arguments: everything that the answer depends on. */
  readonly parts: readonly unknown[];
  readonly validSeconds: number;
}

export interface Answer {
  readonly body: string;
  readonly ageSeconds: number;
  /** The upstream is down; this is its last answer. */
  readonly stale: boolean;
}

/** Outcome of a request. */
export interface Fetched {
  readonly body: string;
  /** Replaces the validity of the question. */
  readonly validSeconds?: number;
  /** Age of the oldest cached data that it was made of; it is stored as of then. */
  readonly ageSeconds?: number;
  /** Age of the expired answers that it was made of, if it has no other source. It is not stored then. */
  readonly staleSeconds?: number;
}

export interface Cache {
  /**
   * Returns a fresh answer, otherwise a new one from `load`, which gets the body of the last one. Concurrent equal questions share one
   * `load`, across processes, unless it fails for a reason of its caller. If the upstream is down, returns the last answer as stale.
   */
  answer(question: CacheQuestion, load: (last: string | undefined) => Promise<Fetched>): Promise<Answer>;
  /** Returns a fresh answer if one is cached. */
  peek(question: CacheQuestion): Promise<Answer | undefined>;
  /**
   * Expires an answer that could not be parsed five minutes after it arrived, so that it is requested again. Does not throw: while the
   * database is down, the answer keeps its validity.
   */
  expireSoon(question: CacheQuestion): Promise<void>;
  trim(): Promise<void>;
}

export interface CacheOptions {
  readonly records: CacheRecords;
  /** Size limit of the answers in memory. */
  readonly memoryBytes: number;
  readonly leases: Leases;
  /** Longest wait for the answer to another process, in milliseconds. */
  readonly maxLeaseWaitMs: number;
  readonly telemetry: Telemetry;
  readonly log: Log;
  readonly now: () => number;
  /** Milliseconds beyond its validity for which an answer may still be served while the upstream is down. */
  readonly staleMs: number;
}

/** Format version of cache entries. After a change, answers of an earlier build are requested again instead of misread. */
const form = 3;

/** Encoded as JSON, so that separators inside the parts cannot cause collisions. */
export const cacheKey = ({ provider, audience, parts }: CacheQuestion): string =>
  createHash('sha256')
    .update(JSON.stringify([form, provider, audience, parts]))
    .digest('hex');

/**
 * Errors that mean "the upstream is down", for which an old answer is better than none. A limit, a refused key, a missing series and a
 * reply of an unexpected form are passed on.
 */
const downCodes: ReadonlySet<string> = new Set([
  'upstream_unreachable',
  'upstream_timeout',
  'operation_timeout',
  'upstream_failed',
  'upstream_circuit_open',
]);

const isDown = (error: unknown): boolean => isAppError(error) && downCodes.has(error.code);

/** Errors of the key, or the share of a quota, of the caller who asked first: another caller has to ask with its own. */
const callerCodes: ReadonlySet<string> = new Set([
  'upstream_key_refused',
  'upstream_key_required',
  'upstream_rate_limited',
]);

const isAboutCaller = (error: unknown): boolean => isAppError(error) && callerCodes.has(error.code);

/** Other callers whose failed requests a caller waits for before it gets their error. */
const maxJoined = 3;

/** Lifetime of a negative entry and of a reply of an unexpected form: repeated requests would use up the quota of others. */
const absentMs = 300_000;
const maxAbsentEntries = 5_000;

const createAbsences = (now: () => number) => {
  const absences = createLru<{ readonly error: Error; readonly untilMs: number }>({
    limit: maxAbsentEntries,
    weigh: () => 1,
  });
  return {
    check(key: string): void {
      const absence = absences.get(key);
      if (absence !== undefined && absence.untilMs > now()) throw absence.error;
    },
    remember(key: string, error: unknown): void {
      if (!isAppError(error) || error.kind !== 'not_found') return;
      absences.set(key, { error, untilMs: now() + absentMs });
    },
  };
};

/** At most two bytes per character, and 400 for the key and the overhead of an entry. */
const bytesOf = ({ body }: Kept): number => 2 * body.length + 400;

/** Interval of polls for the answer of another process. */
const leasePollMs = 50;

export const createCache = (options: CacheOptions): Cache => {
  const { records, memoryBytes, leases, maxLeaseWaitMs, telemetry, log, now, staleMs } = options;
  const memory = createLru<Kept>({ limit: memoryBytes, weigh: bytesOf });
  const inFlight = new Map<string, Promise<Answer>>();
  const absences = createAbsences(now);

  /** Keeps entries up to a maximum size in memory, since one huge answer would evict everything else. */
  const remember = (key: string, kept: Kept): void => {
    if (bytesOf(kept) <= memoryBytes / 4) memory.set(key, kept);
    else memory.delete(key);
  };

  const toAnswer = ({ body, storedAtMs }: Kept, stale: boolean): Answer => ({
    body,
    ageSeconds: Math.max(0, Math.floor((now() - storedAtMs) / 1000)),
    stale,
  });

  const isFresh = (kept: Kept | undefined): kept is Kept => kept !== undefined && kept.freshUntilMs > now();

  const lookUp = async (
    key: string,
    provider: string,
  ): Promise<{ kept: Kept | undefined; fresh: boolean }> => {
    const inMemory = memory.get(key);
    if (isFresh(inMemory)) {
      telemetry.answered(provider, 'memory');
      return { kept: inMemory, fresh: true };
    }
    const kept = await records.get(key);
    if (!isFresh(kept)) return { kept: kept ?? inMemory, fresh: false };
    remember(key, kept);
    telemetry.answered(provider, 'database');
    return { kept, fresh: true };
  };

  const readKept = async (key: string, provider: string): Promise<Kept | undefined> => {
    try {
      return await records.get(key);
    } catch (error) {
      log.warn({ err: error, provider }, 'answer not read');
      return undefined;
    }
  };

  const store = async (key: string, provider: string, kept: Kept): Promise<void> => {
    remember(key, kept);
    try {
      await records.set(key, provider, kept);
    } catch (error) {
      // The answer is valid even if it cannot be cached.
      log.warn({ err: error, provider }, 'answer not kept');
    }
  };

  const storeFetched = async (key: string, question: CacheQuestion, fetched: Fetched): Promise<Kept> => {
    const { body, ageSeconds = 0 } = fetched;
    const rest = Math.max(0, question.validSeconds - ageSeconds);
    const validSeconds = Math.min(fetched.validSeconds ?? rest, question.validSeconds);
    const kept = { body, storedAtMs: now() - ageSeconds * 1000, freshUntilMs: now() + validSeconds * 1000 };
    await store(key, question.provider, kept);
    return kept;
  };

  /** Runs `load` in one process at a time, unless another process has stored the answer by then. */
  const underLease = async (key: string, provider: string, load: () => Promise<Answer>): Promise<Answer> => {
    const work = async (): Promise<Answer> => {
      const { kept, fresh } = await lookUp(key, provider);
      return fresh && kept !== undefined ? toAnswer(kept, false) : load();
    };
    const giveUpMs = Date.now() + maxLeaseWaitMs;
    while (Date.now() < giveUpMs) {
      const answer = await leases.whileHeld('fetch', key, work);
      if (answer !== undefined) return answer;
      await sleep(leasePollMs);
    }
    // A duplicate request is better than no answer.
    return work();
  };

  const loadAndKeep = async (
    key: string,
    question: CacheQuestion,
    load: (last: string | undefined) => Promise<Fetched>,
    kept: Kept | undefined,
  ): Promise<Answer> => {
    try {
      const fetched = await load(kept?.body);
      const { body, staleSeconds } = fetched;
      telemetry.answered(question.provider, staleSeconds === undefined ? 'upstream' : 'stale');
      if (staleSeconds !== undefined) return { body, ageSeconds: staleSeconds, stale: true };
      return toAnswer(await storeFetched(key, question, fetched), false);
    } catch (error) {
      absences.remember(key, error);
      if (kept === undefined || kept.freshUntilMs + staleMs <= now() || !isDown(error)) throw error;
      log.warn({ provider: question.provider, err: error }, 'upstream is down, serving its last answer');
      telemetry.answered(question.provider, 'stale');
      return toAnswer(kept, true);
    }
  };

  const loadOnce = async (
    key: string,
    question: CacheQuestion,
    load: (last: string | undefined) => Promise<Fetched>,
  ): Promise<Answer> => {
    const { kept, fresh } = await lookUp(key, question.provider);
    if (fresh && kept !== undefined) return toAnswer(kept, false);
    absences.check(key);
    return underLease(key, question.provider, () => loadAndKeep(key, question, load, kept));
  };

  return {
    async answer(question, load) {
      const key = cacheKey(question);
      for (let joined = 1; ; joined += 1) {
        const inMemory = memory.get(key);
        if (isFresh(inMemory)) {
          telemetry.answered(question.provider, 'memory');
          return toAnswer(inMemory, false);
        }
        const known = inFlight.get(key);
        if (known === undefined) break;
        try {
          return await known;
        } catch (error) {
          if (!isAboutCaller(error) || joined === maxJoined) throw error;
        }
      }
      const answer = loadOnce(key, question, load).finally(() => inFlight.delete(key));
      inFlight.set(key, answer);
      return answer;
    },
    async peek(question) {
      const { kept, fresh } = await lookUp(cacheKey(question), question.provider);
      return fresh && kept !== undefined ? toAnswer(kept, false) : undefined;
    },
    async expireSoon(question) {
      const key = cacheKey(question);
      const kept = memory.get(key) ?? (await readKept(key, question.provider));
      const untilMs = (kept?.storedAtMs ?? 0) + absentMs;
      if (kept === undefined || kept.freshUntilMs <= untilMs) return;
      await store(key, question.provider, { ...kept, freshUntilMs: untilMs });
    },
    trim: () => records.trim(),
  };
};

import { versionText } from '../../lib/build.js';
import { type AppError, isAppError } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { errorOf, isDailyLimit } from '../../providers/errors.js';
import type { Context, Provider, UpstreamReply, UpstreamRequest } from '../../providers/provider.js';
import type { Cache, CacheQuestion } from '../cache/cache.js';
import { type ChosenKey, keylessAudience } from '../keys/choice.js';
import { type HoldLength, type Limiter, type QuotaOwner, scopeOf } from '../limits/limiter.js';
import type { Telemetry } from '../telemetry.js';
import type { BaseUrls } from './address.js';
import type { Breaker } from './breaker.js';
import { createSendRequest, createUpstreamHttp, type Outcome } from './client.js';
import { copyOf, mayRetry } from './error-mapping.js';
import { messageRedaction, shortestKeyInData } from './redaction.js';
import { carriesKey } from './request.js';
import { AttemptError, type RetryBudget, repeat } from './retry.js';
import type { Transport } from './transport.js';
import { ifChanged, type Validators, validatorsOf } from './validators.js';

/** Parts that all operations share. */
export interface UpstreamAccess {
  readonly baseUrls: BaseUrls;
  readonly transport: Transport;
  readonly limiter: Limiter;
  readonly breaker: Breaker;
  readonly budget: RetryBudget;
  readonly cache: Cache;
  readonly telemetry: Telemetry;
  readonly log: Log;
  readonly now: () => number;
  /** Retries after the first attempt. */
  readonly retries: number;
  readonly firstRetryWaitMs: number;
  /** Longest wait of a caller for one operation. Replies that are cached are still read to their end. */
  readonly operationTimeoutMs: number;
  /** Longest hold that an upstream may request. A daily limit is held until its midnight regardless. */
  readonly maxHoldMs: number;
}

/** The only reply that an answer was made of, apart from cached ones. */
export interface Basis {
  readonly request: string;
  readonly validators: Validators;
  /** Version of the code that parsed the reply; another one may parse it differently. */
  readonly readBy: string;
}

/** What happened in an operation so far. */
export interface Seen {
  /** Age of the oldest stale reply that was used since the upstream is down; undefined: none was used. */
  staleSeconds: number | undefined;
  /** Valid replies, cached ones included. */
  freshReplies: number;
  /** True: the upstream reports that the reply to the only request of the operation is unchanged. */
  isUnchanged: boolean;
  /** True: an optional part of the answer, such as the names of codes, failed. */
  lacksPart: boolean;
}

/** One operation of a connector. */
interface Session {
  readonly ctx: Context;
  readonly seen: Readonly<Seen>;
  /** Undefined if the operation sent several requests, a part failed, or the reply has no validators. */
  readonly basis: Basis | undefined;
  /** Start of the last reply, without the key, for the log when a connector cannot parse it. */
  sample(): string;
  /** Shortens the lifetime of the last reply if it is cached. */
  expireLastSoon(): Promise<void>;
}

const sampleLength = 300;

const deadlinePassed = (provider: Provider): AppError => {
  const text = `${provider.name} took too long; narrow the date range or try again later.`;
  return errorOf(provider, 'timeout', 'operation_timeout', text);
};

/** Upstreams with a handful of requests per day get no retries. */
const retriesFor = ({ limits }: Provider, owner: QuotaOwner, retries: number): number => {
  const perDay = (owner.keyScope === 'none' ? limits.anonymous : limits.keyed)?.perDay;
  return perDay !== undefined && perDay <= 100 ? Math.min(1, retries) : retries;
};

const breakerOutcome = ({ error, status }: Outcome): 'ok' | 'down' | 'refused' => {
  if (error === undefined) return 'ok';
  return mayRetry(status, error) ? 'down' : 'refused';
};

export interface SessionOptions {
  readonly access: UpstreamAccess;
  readonly provider: Provider;
  readonly key: ChosenKey;
  readonly owner: QuotaOwner;
  /** A listing for the index: each request has a deadline, the whole has none. */
  readonly unhurried?: boolean;
  /** Basis of the last answer, with which the request is made conditional. */
  readonly lastBasis?: Basis | undefined;
}

interface KeptReply {
  readonly status: number;
  readonly text: string;
  readonly validators?: Validators;
}

/** Parts of a request that affect the reply. */
const partsOf = ({ base = '', path, query = {}, headers = {}, body }: UpstreamRequest) => [
  'reply',
  base,
  path,
  query,
  headers,
  body ?? null,
];

export const createSession = (options: SessionOptions): Session => {
  const { access, provider, key, owner, unhurried, lastBasis } = options;
  const { limiter, breaker, budget, telemetry, cache, now } = access;
  const deadlineMs = unhurried === true ? Number.POSITIVE_INFINITY : now() + access.operationTimeoutMs;
  const sendRequest = createSendRequest({
    provider,
    baseUrls: access.baseUrls,
    key: key.value,
    transport: access.transport,
    now,
  });
  const redact = messageRedaction(key.value);
  const scope = scopeOf(owner);
  let last = '';
  const seen: Seen = { staleSeconds: undefined, freshReplies: 0, isUnchanged: false, lacksPart: false };
  let requests = 0;
  let basis: Basis | undefined;
  let lastKept: CacheQuestion | undefined;

  const timeLeft = (untilMs: number): number => {
    const left = untilMs - now();
    if (left <= 0) throw deadlinePassed(provider);
    return left;
  };

  /** Rejects at the deadline of the caller. The work continues, and its result is cached for the next caller. */
  const whileCallerWaits = async <T>(work: Promise<T>): Promise<T> => {
    const left = timeLeft(deadlineMs);
    if (left === Number.POSITIVE_INFINITY) return work;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(deadlinePassed(provider)), left);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  };

  /** How long the upstream is not called after this refusal. */
  const holdLengthOf = (error: AppError): HoldLength => {
    const retryAfterMs = error.retryAfterSeconds === undefined ? undefined : error.retryAfterSeconds * 1000;
    const exact = retryAfterMs !== undefined && retryAfterMs <= access.maxHoldMs;
    return isDailyLimit(error) && !exact ? 'untilMidnight' : retryAfterMs;
  };

  /** Holds the upstream. The error then gives the real length of the hold, which can differ from the upstream's Retry-After. */
  const hold = async (error: AppError): Promise<AppError> => {
    const heldMs = await limiter.hold(owner, holdLengthOf(error));
    const retryAfterSeconds = Math.max(1, Math.ceil(heldMs / 1000));
    return copyOf(error, { cause: error.cause, retryAfterSeconds });
  };

  const sendOnce = async (request: UpstreamRequest, untilMs: number, careful: boolean): Promise<Outcome> => {
    const timeoutMs = Math.min(request.timeoutMs ?? provider.timeoutMs, timeLeft(untilMs));
    breaker.pass(provider, scope, request.base);
    const startedAt = now();
    const outcome = await sendRequest({ ...request, timeoutMs });
    telemetry.upstreamCall(provider.slug, outcome.error?.kind ?? 'ok', (now() - startedAt) / 1000);
    breaker.record(provider, scope, breakerOutcome(outcome), request.base);
    if (outcome.error?.kind === 'rate_limited') return { ...outcome, error: await hold(outcome.error) };
    if (careful) await limiter.release(owner);
    return outcome;
  };

  const attempt = async (request: UpstreamRequest, untilMs: number): Promise<UpstreamReply> => {
    timeLeft(untilMs);
    breaker.check(provider, scope, request.base);
    const { reply, status, error } = await limiter.run(
      owner,
      { counted: request.counted ?? true },
      (careful) => sendOnce(request, untilMs, careful),
    );
    if (reply !== undefined) return reply;
    if (now() >= untilMs) throw new AttemptError(deadlinePassed(provider), false);
    throw new AttemptError(error ?? deadlinePassed(provider), error !== undefined && mayRetry(status, error));
  };

  const send = async (request: UpstreamRequest, untilMs: number): Promise<UpstreamReply> => {
    budget.earn(provider.slug);
    const reply = await repeat(() => attempt(request, untilMs), {
      retries: retriesFor(provider, owner, access.retries),
      firstWaitMs: access.firstRetryWaitMs,
      allowed: () => untilMs > now() && budget.spend(provider.slug),
    });
    last = reply.text.slice(0, sampleLength);
    return reply;
  };

  const expireLastSoon = async (): Promise<void> => {
    if (lastKept !== undefined) await cache.expireSoon(lastKept);
  };

  const skipPart = (part: string, error: unknown): boolean => {
    if (!isAppError(error)) return false;
    seen.lacksPart = true;
    if (error.code === 'unexpected_reply') void expireLastSoon();
    access.log.warn({ provider: provider.slug, part, reason: redact(error.message) }, 'part passed over');
    return true;
  };

  const validatorsFor = (request: UpstreamRequest, reply: UpstreamReply): Validators | undefined =>
    request.body === undefined ? validatorsOf(reply, now()) : undefined;

  const sendUnkept = async (request: UpstreamRequest): Promise<UpstreamReply> => {
    requests += 1;
    lastKept = undefined;
    const name = JSON.stringify(partsOf(request));
    const isLast = lastBasis?.request === name && lastBasis.readBy === versionText;
    const reply = await send(isLast ? ifChanged(request, lastBasis.validators, now()) : request, deadlineMs);
    seen.freshReplies += 1;
    seen.isUnchanged = reply.status === 304;
    // Stops the connector: its last answer is still valid.
    if (seen.isUnchanged) throw new Error('unchanged');
    const validators = validatorsFor(request, reply);
    basis = validators && { request: name, validators, readBy: versionText };
    return reply;
  };

  // Headers of a reply are not cached, so connectors that need one do not request caching.
  const keepable = key.value === undefined || key.value.length >= shortestKeyInData;
  const sendOrReuse = async (request: UpstreamRequest): Promise<UpstreamReply> => {
    const { keep } = request;
    const keyed = carriesKey(provider, request, key.value);
    if (keep === undefined || (keyed && !keepable)) return sendUnkept(request);
    timeLeft(deadlineMs);
    // A structure of a hundred megabytes may take longer than a caller waits, so only the deadline of its request applies.
    const question = {
      provider: provider.slug,
      audience: keyed ? key.audience : keylessAudience,
      parts: partsOf(request),
      validSeconds: provider.validity[keep],
    };
    const kept = cache.answer(question, async (lastBody) => {
      const { validators } = JSON.parse(lastBody ?? '{}') as Partial<KeptReply>;
      const wanted = validators === undefined ? request : ifChanged(request, validators, now());
      const reply = await send(wanted, Number.POSITIVE_INFINITY);
      if (reply.status === 304 && lastBody !== undefined) return { body: lastBody };
      const { status, text } = reply;
      return { body: JSON.stringify({ status, text, validators: validatorsFor(request, reply) }) };
    });
    const { body, stale, ageSeconds } = await whileCallerWaits(kept);
    lastKept = question;
    if (stale) seen.staleSeconds = Math.max(seen.staleSeconds ?? 0, ageSeconds);
    else seen.freshReplies += 1;
    const { status, text } = JSON.parse(body) as KeptReply;
    last = text.slice(0, sampleLength);
    return { status, text, header: () => undefined };
  };

  return {
    ctx: {
      http: createUpstreamHttp(provider, sendOrReuse),
      key: key.kind,
      today: new Date(now()).toISOString().slice(0, 10),
      skipPart,
    },
    seen,
    sample: () => redact(last),
    expireLastSoon,
    get basis() {
      return requests === 1 && !seen.lacksPart ? basis : undefined;
    },
  };
};

import { versionText } from '../../lib/build.js';
import { isAppError } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { Context, Provider, UpstreamReply, UpstreamRequest } from '../../providers/provider.js';
import type { Cache, CacheQuestion } from '../cache/cache.js';
import { type ChosenKey, keylessAudience } from '../keys/choice.js';
import type { QuotaOwner } from '../limits/limiter.js';
import type { BaseUrls } from './address.js';
import { type AttemptsAccess, createAttempts, deadlinePassed, timeLeft } from './attempts.js';
import { createPrepareRequest, createUpstreamHttp } from './client.js';
import { messageRedaction, shortestKeyInData } from './redaction.js';
import { carriesKey } from './request.js';
import type { Transport } from './transport.js';
import { ifChanged, type Validators, validatorsOf } from './validators.js';

/** Parts that all operations share. */
export interface UpstreamAccess extends AttemptsAccess {
  readonly baseUrls: BaseUrls;
  readonly transport: Transport;
  readonly cache: Cache;
  readonly log: Log;
  /** Longest wait of a caller for one operation. Replies that are cached are still read to their end. */
  readonly operationTimeoutMs: number;
}

/** The only reply that an answer was made of, apart from cached ones. */
export interface Basis {
  readonly request: string;
  readonly validators: Validators;
  /** Version of the code that parsed the reply; another one may parse it differently. */
  readonly readBy: string;
}

/** Facts about the replies of an operation. */
export interface Seen {
  /** Age of the oldest stale reply that was used since the upstream is down; undefined: none was used. */
  staleSeconds: number | undefined;
  /** Age of the oldest cached reply with data (`keep: 'series'`) that was used; 0: none was. */
  ageSeconds: number;
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

export interface SessionOptions {
  readonly access: UpstreamAccess;
  readonly provider: Provider;
  readonly key: ChosenKey;
  readonly owner: QuotaOwner;
  /** Series or path of the operation; undefined: each request has its own. */
  readonly subject?: string | undefined;
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
  const { cache, now } = access;
  const deadlineMs = unhurried === true ? Number.POSITIVE_INFINITY : now() + access.operationTimeoutMs;
  const attempts = createAttempts({
    access,
    provider,
    owner,
    subject: options.subject,
    deadlineMs,
    prepare: createPrepareRequest({
      provider,
      baseUrls: access.baseUrls,
      key: key.value,
      transport: access.transport,
      now,
    }),
  });
  const redact = messageRedaction(key.value);
  let last = '';
  const seen: Seen = {
    staleSeconds: undefined,
    ageSeconds: 0,
    freshReplies: 0,
    isUnchanged: false,
    lacksPart: false,
  };
  let requests = 0;
  let basis: Basis | undefined;
  let lastKept: CacheQuestion | undefined;

  /** Rejects at the deadline of the caller. The work continues, and its result is cached for the next caller. */
  const whileCallerWaits = async <T>(work: Promise<T>): Promise<T> => {
    // The caller may be gone when it fails, and an unhandled rejection would end the process. Each attempt records its own failure.
    work.catch(() => undefined);
    const left = timeLeft(provider, deadlineMs, now());
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

  const send = async (request: UpstreamRequest, untilMs: number): Promise<UpstreamReply> => {
    const reply = await attempts.send(request, untilMs);
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
    timeLeft(provider, deadlineMs, now());
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
    if (keep === 'series') seen.ageSeconds = Math.max(seen.ageSeconds, ageSeconds);
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

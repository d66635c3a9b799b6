import { AppError, isAppError } from '../lib/errors.js';
import { errorOf, keyRefused, seriesNotFound, unknownPath } from '../providers/errors.js';
import type { Context, Provider, Validity } from '../providers/provider.js';
import { isOutage } from '../storage/outage.js';
import type { Answer, CacheQuestion, Fetched } from './cache/cache.js';
import type { GatewayCaller } from './caller.js';
import { type ChosenKey, type KeyChoice, keyedAudience } from './keys/choice.js';
import { sanitize } from './upstream/error-mapping.js';
import { messageRedaction } from './upstream/redaction.js';
import {
  type Basis,
  createSession,
  type Seen,
  type SessionOptions,
  type UpstreamAccess,
} from './upstream/session.js';

/** An answer and its age. */
export interface WithAge<T> {
  readonly value: T;
  readonly ageSeconds: number;
  /** The upstream is down; this is its last answer. */
  readonly stale: boolean;
}

export interface Operation<T> {
  readonly provider: Provider;
  readonly caller: GatewayCaller;
  /** Subject of the operation, for errors that only say "not found". */
  readonly subject: { readonly seriesId: string } | { readonly path: readonly string[] };
  /** Name and arguments: everything that the answer depends on. Undefined: not cached. */
  readonly parts?: readonly unknown[];
  readonly validity: keyof Validity;
  /** The connector's function. Its result must be serializable as JSON. */
  work(ctx: Context): Promise<T>;
}

/** Runs functions of connectors: chooses the key, opens the network, caches answers, and adds the subject to errors. */
export interface Operations {
  run<T>(operation: Operation<T>): Promise<WithAge<T>>;
  /** The cached answer if it is fresh. Sends no request. */
  kept<T>(operation: Operation<T>): Promise<WithAge<T> | undefined>;
  /** The key for an operation of this caller. */
  keyFor(provider: Provider, caller: GatewayCaller): Promise<ChosenKey>;
  /** The key for an operation of this caller. @throws AppError 403 without a key where full data needs one */
  requireKey(provider: Provider, caller: GatewayCaller): Promise<ChosenKey>;
  /** The network for a job of the service, without a deadline for the whole. */
  contextFor(provider: Provider, caller: GatewayCaller): Promise<Context>;
}

/** 403: full data needs a key that the caller does not have. */
export const keyNeeded = (provider: Provider): AppError => {
  const hint = provider.key?.hint ?? '';
  const text = `${provider.name} needs a key. ${hint}`.trim();
  return errorOf(provider, 'forbidden', 'upstream_key_required', text, {
    details: { api_key_required: true, has_api_key: false, api_key_hint: hint },
  });
};

/** The caller cannot repair the service's key, but can use an own key. */
const serviceKeyRefused = (provider: Provider): AppError => {
  const text = `${provider.name} refused the key of this service. ${provider.key?.hint ?? ''}`.trim();
  return errorOf(provider, 'forbidden', 'upstream_key_refused', text);
};

/**
 * A 404 must name the series or path of the caller: a connector that requests a table, a folder or another spelling on the way would name
 * that. An id that was refused as malformed is named already, with its expected form.
 */
const nameMissing = ({ provider, subject }: Operation<unknown>, error: AppError): AppError => {
  if ('path' in subject) return subject.path.length === 0 ? error : unknownPath(provider, subject.path);
  return error.details?.seriesId === subject.seriesId ? error : seriesNotFound(provider, subject.seriesId);
};

/** Lifetime of an answer of which a part (a code list, a structure) failed or could not be requested again. */
const partlyStaleSeconds = 300;

/** Cached form of an answer. */
interface KeptAnswer<T> {
  readonly value: T;
  readonly basis?: Basis | undefined;
}

interface Worked<T> extends KeptAnswer<T>, Pick<Fetched, 'validSeconds' | 'ageSeconds' | 'staleSeconds'> {}

/** Data with an old code list counts as fresh; an answer made only of old replies is stale. */
const restOn = ({
  staleSeconds,
  ageSeconds,
  freshReplies,
  lacksPart,
}: Seen): Omit<Worked<unknown>, keyof KeptAnswer<unknown>> => {
  if (staleSeconds === undefined)
    return { ageSeconds, ...(lacksPart ? { validSeconds: partlyStaleSeconds } : {}) };
  return freshReplies > 0 ? { ageSeconds, validSeconds: partlyStaleSeconds } : { staleSeconds };
};

/** Audiences whose answers may be served to a caller with this key, its own first. */
const audiencesOf = ({ kind, audience }: ChosenKey): string[] =>
  kind === 'own' && audience !== keyedAudience ? [audience, keyedAudience] : [audience];

export const createOperations = (access: UpstreamAccess, keys: KeyChoice): Operations => {
  const { cache, log, telemetry } = access;

  const open = (
    provider: Provider,
    caller: GatewayCaller,
    key: ChosenKey,
    options: Pick<SessionOptions, 'unhurried' | 'subject' | 'lastBasis'> = {},
  ) =>
    createSession({
      access,
      provider,
      key,
      owner: { provider, keyScope: key.scope, account: caller.share },
      ...options,
    });

  const nameError = (
    operation: Operation<unknown>,
    key: ChosenKey,
    error: AppError,
    sample: () => string,
  ): AppError => {
    const { provider } = operation;
    if (error.kind === 'not_found')
      return sanitize(nameMissing(operation, error), messageRedaction(key.value));
    if (error.code === 'upstream_key_refused' && key.kind === 'service') {
      log.error({ provider: provider.slug }, 'the key of the service was refused');
      return serviceKeyRefused(provider);
    }
    if (error.code === 'upstream_key_refused' && key.kind === 'none') {
      return provider.key?.required === true ? keyNeeded(provider) : keyRefused(provider);
    }
    if (error.code === 'unexpected_reply') {
      telemetry.unexpectedReply(provider.slug);
      log.error(
        { provider: provider.slug, reason: error.message, sample: sample() },
        'unexpected reply of an upstream',
      );
    }
    return sanitize(error, messageRedaction(key.value));
  };

  const work = async <T>(
    operation: Operation<T>,
    key: ChosenKey,
    last?: KeptAnswer<T>,
  ): Promise<Worked<T>> => {
    const session = open(operation.provider, operation.caller, key, {
      subject: JSON.stringify(operation.subject),
      lastBasis: last?.basis,
    });
    const unchanged = (): Worked<T> | undefined =>
      session.seen.isUnchanged && last !== undefined ? { ...last, ...restOn(session.seen) } : undefined;
    try {
      const value = await operation.work(session.ctx);
      return unchanged() ?? { value, basis: session.basis, ...restOn(session.seen) };
    } catch (error) {
      const same = unchanged();
      if (same !== undefined) return same;
      if (isAppError(error) && error.code === 'unexpected_reply') await session.expireLastSoon();
      if (isAppError(error)) throw nameError(operation, key, error, session.sample);
      // The storage of limits is down; errors of upstreams are AppErrors.
      if (isOutage(error)) throw error;
      const redact = messageRedaction(key.value);
      const reason = redact(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
      log.error(
        { provider: operation.provider.slug, reason, sample: session.sample() },
        'a connector failed',
      );
      const text = `The connector of ${operation.provider.name} failed.`;
      throw new AppError('unexpected', 'connector_failed', text, { cause: new Error(reason) });
    }
  };

  const questionOf = (operation: Operation<unknown>, audience: string): CacheQuestion => ({
    provider: operation.provider.slug,
    audience,
    parts: operation.parts ?? [],
    validSeconds: operation.provider.validity[operation.validity],
  });

  const read = <T>({ body, ageSeconds, stale }: Answer): WithAge<T> => ({
    value: (JSON.parse(body) as KeptAnswer<T>).value,
    ageSeconds,
    stale,
  });

  const peek = async <T>(
    operation: Operation<T>,
    audiences: readonly string[],
  ): Promise<WithAge<T> | undefined> => {
    for (const audience of audiences) {
      const found = await cache.peek(questionOf(operation, audience));
      if (found !== undefined) return read(found);
    }
    return undefined;
  };

  const keepAnswer = async <T>(operation: Operation<T>, key: ChosenKey): Promise<WithAge<T>> => {
    const [own = key.audience, ...others] = audiencesOf(key);
    const known = await peek(operation, others);
    if (known !== undefined) return known;
    const answer = await cache.answer(questionOf(operation, own), async (lastBody) => {
      const last = lastBody === undefined ? undefined : (JSON.parse(lastBody) as KeptAnswer<T>);
      const { value, basis, ...rest } = await work(operation, key, last);
      return { body: JSON.stringify({ value, basis }), ...rest };
    });
    return read(answer);
  };

  return {
    keyFor: (provider, caller) => keys.choose(provider, caller.accountId),
    async requireKey(provider, caller) {
      const key = await keys.choose(provider, caller.accountId);
      if (provider.key?.required === true && key.kind === 'none') throw keyNeeded(provider);
      return key;
    },
    async contextFor(provider, caller) {
      return open(provider, caller, await keys.choose(provider, caller.accountId), { unhurried: true }).ctx;
    },
    async kept(operation) {
      const key = await keys.choose(operation.provider, operation.caller.accountId);
      return peek(operation, audiencesOf(key));
    },
    async run(operation) {
      const key = await keys.choose(operation.provider, operation.caller.accountId);
      if (operation.parts !== undefined) return keepAnswer(operation, key);
      const { value, ageSeconds = 0, staleSeconds } = await work(operation, key);
      return { value, ageSeconds: staleSeconds ?? ageSeconds, stale: staleSeconds !== undefined };
    },
  };
};

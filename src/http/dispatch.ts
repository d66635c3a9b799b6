import type { Middleware, ParameterizedContext } from 'koa';
import { type Actor, actAs } from '../lib/actor.js';
import { AppError, isAppError } from '../lib/errors.js';
import type { Metrics } from '../lib/metrics/metrics.js';
import type { Permit } from '../lib/semaphore/semaphore.js';
import type { Caller } from '../model/permission.js';
import { createJsonBody, type JsonBodyBounds, readBytes, requireNoCoding } from './body.js';
import type { ByteBudget, ByteShare } from './byte-budget.js';
import { siteOf } from './client-address.js';
import { bytesOfHead, ordinaryHead } from './connections/head-size.js';
import { untilClientIsSeen } from './connections/pipelining.js';
import { authorizationsOf, readApiKey } from './credentials.js';
import type { HostGuard } from './known-host.js';
import { createKnownKeys } from './known-keys.js';
import { requireFrames } from './known-length.js';
import { sendReply } from './reply.js';
import type { RequestState } from './request-state.js';
import type { RightsWatch } from './rights-watch.js';
import type { RequestHead, Route } from './route.js';
import type { Semaphores } from './semaphores.js';
import type { ReadSessionCookie } from './session-cookie.js';
import type { SiteCheck } from './site-check.js';
import type { FailureThrottle } from './throttle.js';
import { withoutApiKey } from './url.js';
import { checkQueryEncoding, checkQuerySize, parseBody, parseParams, parseQuery } from './validation.js';

/**
 * Finds the account of an API key.
 * @param datasetId Dataset that the handler reads first.
 * @throws AppError `unauthenticated` for an unknown, revoked or expired key.
 */
export type Authenticate = (key: string, datasetId?: number) => Promise<Caller>;

interface DispatchOptions {
  readonly authenticate: Authenticate;
  /** Finds the account of a session by its token. */
  readonly authenticateSession: Authenticate;
  readonly readSessionCookie: ReadSessionCookie;
  readonly throttle: FailureThrottle;
  readonly requireSameSite: SiteCheck;
  readonly requireKnownHost: HostGuard;
  readonly metrics: Metrics;
  readonly semaphores: Semaphores;
  readonly bodies: ByteBudget;
  readonly bodyBounds: JsonBodyBounds;
  /** Bytes of answers that clients have not read yet. */
  readonly answers: ByteBudget;
  readonly rights: RightsWatch;
  /** Longest response of unknown length over HTTP/1.0. */
  readonly maxMeasuredBytes: number;
}

type Head = RequestHead<unknown, unknown, Caller | undefined>;

type RequestContext = ParameterizedContext<RequestState> & { params?: Record<string, string> };

/** Owner of the permits and budgets of an anonymous caller. */
const anonymous = (ctx: RequestContext): string => `ip:${siteOf(ctx.state.client.address)}`;
const ofAccount = ({ accountId }: Caller): string => `account:${accountId}`;

interface Credential {
  readonly kind: 'key' | 'session';
  readonly secret: string;
}

/** A key has priority over a session, whose cookie browsers add to every request. */
const credentialOf = (ctx: RequestContext): Credential | undefined => {
  const key = readApiKey(authorizationsOf(ctx.req), ctx.state.query, ctx.state.route?.protocol === 'odata');
  if (key !== undefined) return { kind: 'key', secret: key };
  const { token } = ctx.state.sessionCookie;
  return token === undefined ? undefined : { kind: 'session', secret: token };
};

/** Id of the dataset in the path, if it is an id; it is validated later. */
const datasetIdOf = ({ params = {} }: RequestContext): number | undefined =>
  /^[1-9]\d{0,14}$/.test(params.id ?? '') ? Number(params.id) : undefined;

const createCredentials = (options: DispatchOptions) => {
  const { throttle, metrics } = options;
  const known = createKnownKeys();

  /** Delays the refusal for an address that fails often, without holding a permit. */
  const refuse = async (
    ctx: RequestContext,
    refusal: AppError,
    permit: Permit | undefined,
  ): Promise<never> => {
    metrics.authFailures.inc();
    permit?.release();
    const retryAfterSeconds = await throttle.refused(siteOf(ctx.state.client.address), ctx.state.signal);
    if (retryAfterSeconds === undefined) throw refusal;
    const { kind, code, message } = refusal;
    throw new AppError(kind, code, message, { retryAfterSeconds });
  };

  const accountOf = async (
    ctx: RequestContext,
    { kind, secret }: Credential,
    datasetId: number | undefined,
  ): Promise<Caller> => {
    try {
      const authenticate = kind === 'key' ? options.authenticate : options.authenticateSession;
      const caller = await authenticate(secret, datasetId);
      known.learn(secret, ofAccount(caller));
      if (kind === 'session') ctx.set('Cross-Origin-Resource-Policy', 'same-origin');
      return caller;
    } catch (error) {
      if (isAppError(error)) known.forget(secret);
      // The next request has no cookie, and can read public data again.
      if (isAppError(error) && kind === 'session') ctx.append('Set-Cookie', ctx.state.sessionCookie.end);
      throw error;
    }
  };

  return {
    /** Owner under which a request waits before its key is looked up. */
    lineOf(ctx: RequestContext): string {
      try {
        const credential = credentialOf(ctx);
        return (credential && known.ownerOf(credential.secret)) ?? anonymous(ctx);
      } catch {
        // Malformed credentials are refused after the permit was acquired.
        return anonymous(ctx);
      }
    },

    async identify(
      ctx: RequestContext,
      { auth, readsDataset = false }: Pick<Route, 'auth' | 'readsDataset'>,
      permit: Permit | undefined,
    ): Promise<Caller | undefined> {
      if (auth === 'none') return undefined;
      try {
        const credential = credentialOf(ctx);
        const datasetId = readsDataset ? datasetIdOf(ctx) : undefined;
        if (credential !== undefined) return await accountOf(ctx, credential, datasetId);
      } catch (error) {
        if (isAppError(error) && error.kind === 'unauthenticated') return refuse(ctx, error, permit);
        throw error;
      }
      if (auth === 'optional') return undefined;
      throw new AppError('unauthenticated', 'no_key', 'an API key is required');
    },
  };
};

const actorOf = ({ state }: RequestContext, caller: Caller | undefined): Actor =>
  caller === undefined
    ? { kind: 'service' }
    : {
        kind: 'account',
        accountId: caller.accountId,
        accountName: caller.accountName,
        keyId: caller.key.id,
        address: state.client.address,
        requestId: state.requestId,
      };

/** Bytes of a long head, which count against the budget; 0 for ordinary heads. */
const longHeadOf = (request: RequestContext['req']): number => {
  const bytes = bytesOfHead(request);
  return bytes > ordinaryHead ? bytes : 0;
};

/** The request before its body is read. */
const headOf = (ctx: RequestContext, route: Route, caller: Caller | undefined): Head => {
  const { state } = ctx;
  const params = parseParams(route.params, ctx.params ?? {});
  if (!route.queryOfPage) {
    checkQuerySize(ctx.querystring);
    checkQueryEncoding(ctx.querystring);
  }
  return {
    params,
    query: route.queryOfPage ? {} : parseQuery(route.query, state.query),
    caller,
    owner: caller === undefined ? anonymous(ctx) : ofAccount(caller),
    requestId: state.requestId,
    log: state.log,
    signal: state.signal,
    url: withoutApiKey(ctx.req.url ?? ''),
    method: ctx.method,
    sessionCookie: state.sessionCookie,
    header(name) {
      const value = ctx.req.headers[name.toLowerCase()];
      return Array.isArray(value) ? value[0] : value;
    },
  };
};

/**
 * Runs a route in this order: permit, authentication and parameters, authorization, declared size of the body, body, handler. No byte of a
 * body is kept for a caller that may not send it.
 */
export const createDispatch = (options: DispatchOptions) => {
  const { semaphores, bodies, answers, rights, maxMeasuredBytes } = options;
  const { lineOf, identify } = createCredentials(options);

  return (route: Route, template: string): Middleware<RequestState> => {
    const kind = route.permit ?? 'requests';
    const readJson = createJsonBody({
      bounds: options.bodyBounds,
      optional: route.bodyOptional ?? false,
    });

    const readBody = async (
      ctx: RequestContext,
      head: Head,
      permit: Permit | undefined,
      share: ByteShare,
    ): Promise<unknown> => {
      if (route.body === undefined) return undefined;
      requireNoCoding(head.header('content-encoding'));
      if (route.body === 'stream') return undefined;
      permit?.pause();
      const hold = { share, stop: permit?.revoked };
      if (route.body === 'bytes') {
        const bytes = await readBytes(ctx, hold, options.bodyBounds);
        permit?.busy();
        return bytes;
      }
      const { value, text } = await readJson(ctx, hold);
      permit?.busy();
      ctx.state.bodyText = text;
      return parseBody(route.body, value);
    };

    /** Exchanges the permit of the earlier steps for that of the handler. */
    const permitOfHandler = async (head: Head, permit: Permit | undefined): Promise<Permit | undefined> => {
      if (kind === 'requests' || kind === 'own' || kind === 'none') return permit;
      permit?.release();
      return semaphores[kind].acquire(head.owner, head.signal);
    };

    const answer = async (ctx: RequestContext, first: Permit | undefined): Promise<void> => {
      const caller = await identify(ctx, route, first);
      if (caller !== undefined) {
        ctx.state.caller = caller;
        ctx.state.log = ctx.state.log.child({ account: caller.accountId });
      }
      const head = headOf(ctx, route, caller);
      const share = bodies.open(head.owner);
      let permit = first;
      try {
        const access = await route.authorize?.(head);
        const body = await readBody(ctx, head, first, share);
        await untilClientIsSeen(ctx.req);
        head.signal.throwIfAborted();
        permit = await permitOfHandler(head, first);
        const request = {
          ...head,
          access,
          body,
          kept: share,
          releasePermit: () => first?.release(),
          raw: ctx.req,
        };
        const reply = await actAs(actorOf(ctx, caller), async () => route.handler(request));
        delete ctx.state.bodyText;
        const unsent = answers.open(head.owner);
        const countsStreams = kind === 'requests';
        await sendReply(ctx, reply, { permit, unsent, countsStreams, rights, maxMeasuredBytes });
      } catch (error) {
        permit?.release();
        throw error;
      } finally {
        share.close();
      }
    };

    return async function dispatch(ctx: RequestContext) {
      ctx.state.route = route;
      ctx.state.template = template;
      if (route.protocol === 'odata') ctx.set('OData-Version', '4.0');
      ctx.state.sessionCookie = options.readSessionCookie(ctx.req.headers.cookie, ctx.state.client.secure);
      if (route.protocol === 'mcp') options.requireKnownHost(ctx);
      options.requireSameSite(ctx, route);
      if (kind === 'events') requireFrames(ctx.req, maxMeasuredBytes);
      const line = lineOf(ctx);
      const head = bodies.open(line);
      let first: Permit | undefined;
      try {
        head.add(longHeadOf(ctx.req));
        first = kind === 'none' ? undefined : await semaphores.requests.acquire(line, ctx.state.signal);
        await answer(ctx, first);
      } catch (error) {
        first?.release();
        throw error;
      } finally {
        head.close();
      }
    };
  };
};

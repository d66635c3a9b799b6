import type { Middleware } from 'koa';
import { type Actor, actAs } from '../lib/actor.js';
import type { Permit } from '../lib/semaphore/semaphore.js';
import type { Caller } from '../model/permission.js';
import { createJsonBody, type JsonBodyBounds, readBytes, requireNoCoding } from './body.js';
import type { ByteBudget, ByteShare } from './byte-budget.js';
import { bytesOfHead, ordinaryHead } from './connections/head-size.js';
import { untilClientIsSeen } from './connections/pipelining.js';
import {
  anonymous,
  createIdentification,
  type IdentificationOptions,
  ofAccount,
  type RequestContext,
} from './identify.js';
import type { HostGuard } from './known-host.js';
import { requireFrames } from './known-length.js';
import { sendReply } from './reply.js';
import type { RequestState } from './request-state.js';
import type { RightsWatch } from './rights-watch.js';
import type { RequestHead, Route } from './route.js';
import type { Semaphores } from './semaphores.js';
import type { ReadSessionCookie } from './session-cookie.js';
import type { SiteCheck } from './site-check.js';
import { withoutApiKey } from './url.js';
import { checkQueryEncoding, checkQuerySize, parseBody, parseParams, parseQuery } from './validation.js';

interface DispatchOptions extends IdentificationOptions {
  /** Called for each request with a valid key or session. */
  readonly onKeyUse: (keyId: number) => void;
  readonly readSessionCookie: ReadSessionCookie;
  readonly requireSameSite: SiteCheck;
  readonly requireKnownHost: HostGuard;
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
 * body is kept for a caller that may not send it. Authentication and authorization are repeated after a body that arrived later than its head.
 */
export const createDispatch = (options: DispatchOptions) => {
  const { semaphores, bodies, answers, rights, maxMeasuredBytes } = options;
  const { lineOf, identify } = createIdentification(options);

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

    /** Authenticates the caller and decides whether it may use the route. */
    const admit = async (ctx: RequestContext, permit: Permit | undefined) => {
      const caller = await identify(ctx, route, permit);
      if (caller !== undefined && ctx.state.caller === undefined) {
        ctx.state.log = ctx.state.log.child({ account: caller.accountId });
        options.onKeyUse(caller.key.id);
      }
      ctx.state.caller = caller;
      const head = headOf(ctx, route, caller);
      return { head, access: await route.authorize?.(head) };
    };

    const answer = async (ctx: RequestContext, first: Permit | undefined): Promise<void> => {
      const early = await admit(ctx, first);
      // Uploads, the only streams, are authorized again when they are published.
      const waitsForBody = route.body !== undefined && route.body !== 'stream' && !ctx.req.complete;
      const share = bodies.open(early.head.owner);
      let permit = first;
      try {
        const body = await readBody(ctx, early.head, first, share);
        await untilClientIsSeen(ctx.req);
        early.head.signal.throwIfAborted();
        permit = await permitOfHandler(early.head, first);
        // A client can send a body slowly, and lose its rights meanwhile.
        const { head, access } = waitsForBody ? await admit(ctx, permit) : early;
        const request = {
          ...head,
          access,
          body,
          kept: share,
          releasePermit: () => first?.release(),
          raw: ctx.req,
        };
        const reply = await actAs(actorOf(ctx, head.caller), async () => route.handler(request));
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

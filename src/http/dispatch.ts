import type { Middleware, ParameterizedContext } from 'koa';
import { AppError, isAppError } from '../lib/errors.js';
import type { Metrics } from '../lib/metrics.js';
import type { Caller } from '../model/permission.js';
import { createJsonBody, type JsonBodyBounds, requireNoCoding } from './body.js';
import type { BodyBudget, BodyShare } from './body-budget.js';
import { siteOf } from './client-address.js';
import { readApiKey } from './credentials.js';
import { sendReply } from './reply.js';
import type { RequestState } from './request-state.js';
import type { RequestHead, Route } from './route.js';
import type { SiteCheck } from './site-check.js';
import type { FailureThrottle } from './throttle.js';
import { withoutApiKey } from './url.js';
import { checkQueryEncoding, parseBody, parseParams, parseQuery } from './validation.js';

/**
 * Finds the account behind an API key.
 * @throws AppError `unauthenticated` for an unknown, revoked or expired key.
 */
export type Authenticate = (key: string) => Promise<Caller>;

export interface DispatchOptions {
  readonly authenticate: Authenticate;
  readonly throttle: FailureThrottle;
  readonly requireSameSite: SiteCheck;
  readonly metrics: Metrics;
  readonly bodies: BodyBudget;
  readonly bodyBounds: JsonBodyBounds;
}

type Head = RequestHead<unknown, unknown, Caller | undefined>;

type RequestContext = ParameterizedContext<RequestState> & { params?: Record<string, string> };

const createIdentify = ({ authenticate, throttle, metrics }: DispatchOptions) =>
  async function identify(ctx: RequestContext, auth: Route['auth']): Promise<Caller | undefined> {
    if (auth === 'none') return undefined;
    try {
      const key = readApiKey(ctx.req.headers.authorization, ctx.state.query);
      if (key !== undefined) return await authenticate(key);
    } catch (error) {
      if (isAppError(error) && error.kind === 'unauthenticated') {
        metrics.authFailures.inc();
        await throttle.refused(siteOf(ctx.state.client.address), ctx.state.signal);
      }
      throw error;
    }
    if (auth === 'optional') return undefined;
    throw new AppError('unauthenticated', 'no_key', 'an API key is required');
  };

/** Who shares places and budgets with whom. */
const ownerOf = (caller: Caller | undefined, address: string): string =>
  caller === undefined ? `ip:${siteOf(address)}` : `account:${caller.accountId}`;

/** What is looked at before the body: who asks, and for what. */
const createHead = (options: DispatchOptions) => {
  const identify = createIdentify(options);
  return async (ctx: RequestContext, route: Route): Promise<Head> => {
    const { state } = ctx;
    const caller = await identify(ctx, route.auth);
    if (caller !== undefined) {
      state.caller = caller;
      state.log = state.log.child({ account: caller.accountId });
    }
    const params = parseParams(route.params, ctx.params ?? {});
    checkQueryEncoding(ctx.querystring);
    return {
      params,
      query: parseQuery(route.query, state.query),
      caller,
      owner: ownerOf(caller, state.client.address),
      requestId: state.requestId,
      log: state.log,
      signal: state.signal,
      url: withoutApiKey(ctx.req.url ?? ''),
      method: ctx.method,
      header(name) {
        const value = ctx.req.headers[name.toLowerCase()];
        return Array.isArray(value) ? value[0] : value;
      },
    };
  };
};

/**
 * Runs a route. The order is the point of it: who calls and what is asked, then whether they may, then the declared
 * size, then the body, then the handler. Nothing of a body is kept for somebody who may not send it.
 */
export const createDispatch = (options: DispatchOptions) => {
  const readHead = createHead(options);

  return (route: Route, template: string): Middleware<RequestState> => {
    const limitBytes = route.bodyLimitBytes ?? options.bodyBounds.limitBytes;
    const readJson = createJsonBody({
      bounds: { ...options.bodyBounds, limitBytes },
      optional: route.bodyOptional ?? false,
    });

    const answer = async (ctx: RequestContext, head: Head, share: BodyShare): Promise<void> => {
      const access = await route.authorize?.(head);
      if (route.body === 'stream') requireNoCoding(head.header('content-encoding'));
      const hasJson = route.body !== undefined && route.body !== 'stream';
      const body = hasJson ? parseBody(route.body, await readJson(ctx, share)) : undefined;
      const reply = await route.handler({ ...head, access, body, raw: ctx.req });
      await sendReply(ctx, reply);
    };

    return async function dispatch(ctx: RequestContext) {
      ctx.state.route = route;
      ctx.state.template = template;
      options.requireSameSite(ctx, route);
      const head = await readHead(ctx, route);
      const share = options.bodies.open(head.owner);
      try {
        await answer(ctx, head, share);
      } finally {
        share.close();
      }
    };
  };
};

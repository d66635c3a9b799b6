import type { Middleware, ParameterizedContext } from 'koa';
import { AppError, isAppError } from '../lib/errors.js';
import type { Metrics } from '../lib/metrics.js';
import type { Caller } from '../model/permission.js';
import { createJsonBody } from './body.js';
import { readApiKey } from './credentials.js';
import { sendReply } from './reply.js';
import type { RequestState } from './request-state.js';
import type { Route } from './route.js';
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
  readonly metrics: Metrics;
  /** Milliseconds a JSON body may take to arrive. */
  readonly bodyTimeoutMs: number;
}

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
        await throttle.refused(ctx.ip, ctx.state.signal);
      }
      throw error;
    }
    if (auth === 'optional') return undefined;
    throw new AppError('unauthenticated', 'no_key', 'an API key is required');
  };

/** Runs a route: who calls, what is asked, the handler, the answer. */
export const createDispatch = (options: DispatchOptions) => {
  const identify = createIdentify(options);

  return (route: Route, template: string): Middleware<RequestState> => {
    const readJson = createJsonBody({
      limitBytes: route.bodyLimitBytes,
      optional: route.bodyOptional,
      timeoutMs: options.bodyTimeoutMs,
    });
    return async function dispatch(ctx: RequestContext) {
      const { state } = ctx;
      state.route = route;
      state.template = template;
      const caller = await identify(ctx, route.auth);
      if (caller !== undefined) {
        state.caller = caller;
        state.log = state.log.child({ account: caller.accountId });
      }
      const params = parseParams(route.params, ctx.params ?? {});
      checkQueryEncoding(ctx.querystring);
      const query = parseQuery(route.query, state.query);
      const hasJson = route.body !== undefined && route.body !== 'stream';
      const body = hasJson ? parseBody(route.body, await readJson(ctx)) : undefined;
      const reply = await route.handler({
        params,
        query,
        body,
        caller,
        requestId: state.requestId,
        log: state.log,
        raw: ctx.req,
        signal: state.signal,
        url: withoutApiKey(ctx.req.url ?? ''),
        method: ctx.method,
        header(name) {
          const value = ctx.req.headers[name.toLowerCase()];
          return Array.isArray(value) ? value[0] : value;
        },
      });
      await sendReply(ctx, reply);
    };
  };
};

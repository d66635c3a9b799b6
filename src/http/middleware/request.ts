import { randomUUID } from 'node:crypto';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Log } from '../../lib/log.js';
import type { Metrics } from '../../lib/metrics/metrics.js';
import { errorType, noTracing, type Span, type Tracing, traceHeaderNames } from '../../lib/tracing.js';
import type { IdentifyClient } from '../client-address.js';
import { pathParameters, type RequestState } from '../request-state.js';
import { isRefusal } from '../rights-watch.js';
import { loggedPath, parameterNames } from '../url.js';
import { firstParameters } from '../validation.js';

const saneId = /^[A-Za-z0-9._-]{1,64}$/;

const idFrom = (header: string): string => (saneId.test(header) ? header : randomUUID());

const reasonOf = (error: unknown): 'right' | 'server' => (isRefusal(error) ? 'right' : 'server');

interface RequestOptions {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly identifyClient: IdentifyClient;
}

/** The path for log lines and traces. Call it once the route, and so its secret parameters, are known. */
const shownPath = (ctx: ParameterizedContext<RequestState>): string => {
  const params = pathParameters(ctx);
  return loggedPath(
    ctx.path,
    (ctx.state.route?.secretParams ?? []).map((name) => params[name] ?? ''),
  );
};

/** Probes, which come every few seconds, are not traced. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** The span of a request, which continues the trace of the client. */
const beginSpan = (tracing: Tracing, ctx: ParameterizedContext<RequestState>): Span => {
  const headers = Object.fromEntries(
    traceHeaderNames.map((name) => [name, ctx.get(name)]).filter(([, text]) => text !== ''),
  );
  return (probes.has(ctx.path) ? noTracing : tracing).begin({
    name: ctx.method,
    kind: 'server',
    from: 'traceparent' in headers ? [headers] : [],
    attributes: {
      'http.request.method': ctx.method,
      'url.scheme': ctx.state.client.secure ? 'https' : 'http',
    },
  });
};

const endSpan = (span: Span, ctx: ParameterizedContext<RequestState>, status: number): void => {
  const { method, state } = ctx;
  if (state.template !== undefined) {
    span.name(`${method} ${state.template}`);
    span.set({ 'http.route': state.template });
  }
  span.set({
    'url.path': shownPath(ctx),
    'http.response.status_code': status,
    'tabulary.request.id': state.requestId,
  });
  if (state.error !== undefined && (status >= 500 || status === 200)) span.fail(errorType(state.error));
  else if (status >= 500) span.fail(String(status));
  span.end();
};

/**
 * Outermost middleware: sets id and log of the request, aborts `signal` when the client disconnects, and writes one log line and one
 * measurement at the end of the answer, complete or not.
 */
export const createRequest = ({
  log,
  metrics,
  tracing,
  identifyClient,
}: RequestOptions): Middleware<RequestState> =>
  async function request(ctx, next) {
    const startedAt = process.hrtime.bigint();
    const hangUp = new AbortController();
    const requestId = idFrom(ctx.get('X-Request-Id'));
    ctx.state.requestId = requestId;
    ctx.state.log = log.child({ requestId });
    ctx.state.signal = hangUp.signal;
    ctx.state.client = identifyClient(ctx.req);
    ctx.state.query = new URLSearchParams(firstParameters(ctx.querystring));
    ctx.set('X-Request-Id', requestId);
    metrics.httpInFlight.inc();
    const span = beginSpan(tracing, ctx);
    if (span.traceId !== undefined) ctx.state.log = ctx.state.log.child({ traceId: span.traceId });

    ctx.res.once('close', () => {
      const finished = ctx.res.writableFinished;
      if (!finished) hangUp.abort(new Error('the client hung up'));
      const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
      const { route, template = 'none' } = ctx.state;
      const status = ctx.res.headersSent ? ctx.res.statusCode : 499;
      metrics.httpInFlight.dec();
      endSpan(span, ctx, status);
      metrics.httpSeconds.observe({ method: ctx.method, route: template, status: String(status) }, seconds);
      const failed = ctx.state.error !== undefined && ctx.res.headersSent && !finished;
      if (!finished)
        metrics.httpBroken.inc({ route: template, reason: failed ? reasonOf(ctx.state.error) : 'client' });
      // Clients disconnect often, which is not a fault of the server.
      ctx.state.log[route?.hidden || (!finished && !failed) ? 'debug' : 'info'](
        {
          method: ctx.method,
          path: shownPath(ctx),
          route: template,
          // Names only, since values of a filter are the caller's data.
          query: parameterNames(ctx.state.query),
          status,
          ms: Math.round(seconds * 1e4) / 10,
          complete: finished,
        },
        'request',
      );
    });
    await span.run(() => next());
  };

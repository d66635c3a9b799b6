import Koa from 'koa';
import type { FindEndedRights } from '../catalog/standing-rights.js';
import { AppError } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { Metrics } from '../lib/metrics/metrics.js';
import { noTracing, type Tracing } from '../lib/tracing.js';
import { createAnswerBudget, createBodyBudget, isUnread } from './budgets.js';
import { createIdentifyClient } from './client-address.js';
import { createOwnerOf } from './connections/limit.js';
import { createDispatch } from './dispatch.js';
import type { Authenticate } from './identify.js';
import { createHostGuard } from './known-host.js';
import { createErrors } from './middleware/errors.js';
import { type CorsOptions, createCors, createSecurityHeaders } from './middleware/headers.js';
import { createHostCheck } from './middleware/host.js';
import { createRequest } from './middleware/request.js';
import { createOpenApi } from './openapi.js';
import { publicPathOf } from './public-path.js';
import type { RequestState } from './request-state.js';
import { createRightsWatch, isRefusal } from './rights-watch.js';
import type { Route } from './route.js';
import { createRouter } from './router.js';
import { createApiUrl } from './routes/api-url.js';
import { createDocsRoutes } from './routes/docs.js';
import { createWebRoutes } from './routes/web.js';
import { createSemaphores, defaultSemaphoreLimits, type Semaphores } from './semaphores.js';
import { createHttpServer, type HttpServer } from './server.js';
import { createReadSessionCookie } from './session-cookie.js';
import type { Shutdown } from './shutdown.js';
import { createSiteCheck } from './site-check.js';
import { createFailureThrottle } from './throttle.js';
import type { WebApp } from './web-app.js';

interface AppOptions {
  /** Routes below `/api`. */
  readonly routes: readonly Route[];
  /** Routes at the root, such as `/healthz`. */
  readonly rootRoutes: readonly Route[];
  readonly authenticate: Authenticate;
  /** Finds those whose rights have ended among the answers in flight. @default none ends */
  readonly endedRights?: FindEndedRights;
  readonly log: Log;
  readonly metrics: Metrics;
  /** @default no tracing */
  readonly tracing?: Tracing;
  readonly version: string;
  readonly cors?: CorsOptions;
  /** Address at which browsers reach the service; undefined: not set. */
  readonly publicUrl?: string | undefined;
  /** Other host names of the service, for protocols that refuse unknown hosts. @default none */
  readonly hosts?: readonly string[];
  /** Addresses and networks of proxies whose `X-Forwarded-*` headers are trusted. @default none */
  readonly trustedProxies?: readonly string[];
  /** Concurrent connections; one address gets at most a quarter of them. @default 10000 */
  readonly connections?: number;
  /** Bytes of incomplete request heads in memory. @default 32 MiB */
  readonly headBytes?: number;
  /** @default 30000 */
  readonly bodyTimeoutMs?: number;
  /** Largest JSON body of routes that set no limit. @default 1 MiB */
  readonly jsonMaxBytes?: number;
  /** Milliseconds without a byte of a body before it is refused. @default 10000 */
  readonly bodyIdleMs?: number;
  /** Bytes of request bodies in memory. @default 64 MiB */
  readonly bodyBytes?: number;
  /** Bytes of answers that wait for their clients. @default 128 MiB */
  readonly answerBytes?: number;
  /** Longest response of unknown length over HTTP/1.0. @default 8 MiB */
  readonly maxMeasuredBytes?: number;
  /** @default those of `defaultSemaphoreLimits` */
  readonly semaphores?: Semaphores;
  /** Longest delay of a refusal for an address that fails often, in milliseconds. @default 2000 */
  readonly maxRefusalDelayMs?: number;
  /** Finds the account of a session by its token. @default no sessions */
  readonly authenticateSession?: Authenticate;
  /** Called once for each request with a valid key or session. */
  readonly onKeyUse?: (keyId: number) => void;
  /** The web app, at `/` and its other addresses. @default not served */
  readonly web?: WebApp;
  /** @default an own one */
  readonly shutdown?: Shutdown;
  /** Also serve `/openapi.json` and `/docs`. @default true */
  readonly documents?: boolean;
}

/** Address of the API below the root. */
export const apiBase = '/api';

/** Read links can be used by pages of every site. Signed links have a file name after the token. */
const isReadLink = (path: string): boolean => /^\/api\/links\/[^/]+$/.test(path);

/** Chart pages can be framed by other sites, and so can their refusals. */
const isChartPage = (path: string): boolean => /^\/api\/links\/[^/]+\.html$/.test(path);

const everyOrigin: CorsOptions = { origins: ['*'] };

const noSessions: Authenticate = async () => {
  throw new AppError('unauthenticated', 'session_ended', 'The session has ended; sign in again.');
};

const everyRightHolds: FindEndedRights = async (rights) => rights.map(() => undefined);

/** Error codes of a connection whose client has disconnected. */
const hungUp: ReadonlySet<string | undefined> = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ECONNRESET',
  'EPIPE',
]);

const MiB = 1024 * 1024;

const originOf = (url: string | undefined): string[] => (url === undefined ? [] : [new URL(url).origin]);

/** The HTTP server: `listen` starts it, `close` drains it. */
export const createApp = (options: AppOptions): HttpServer => {
  const { log, metrics, version, cors = everyOrigin } = options;
  const app = new Koa<RequestState>();
  const identifyClient = createIdentifyClient(options.trustedProxies ?? []);
  const publicPath = publicPathOf(options.publicUrl);

  const web = options.web && createWebRoutes(options.web);
  const documents =
    options.documents === false
      ? []
      : createDocsRoutes({
          openApi: createOpenApi({ routes: options.routes, version, base: apiBase }),
          apiUrl: createApiUrl({ publicUrl: options.publicUrl, identifyClient, base: apiBase }),
        });
  const trusted = [...cors.origins, ...originOf(options.publicUrl)];
  const dispatch = createDispatch({
    requireSameSite: createSiteCheck(trusted),
    requireKnownHost: createHostGuard({
      names: [
        ...originOf(options.publicUrl).map((origin) => new URL(origin).hostname),
        ...(options.hosts ?? []),
      ],
      trusted,
    }),
    authenticate: options.authenticate,
    authenticateSession: options.authenticateSession ?? noSessions,
    onKeyUse: options.onKeyUse ?? (() => undefined),
    readSessionCookie: createReadSessionCookie(publicPath),
    throttle: createFailureThrottle({ maxDelayMs: options.maxRefusalDelayMs ?? 2_000 }),
    metrics,
    semaphores: options.semaphores ?? createSemaphores(defaultSemaphoreLimits),
    bodies: createBodyBudget(options.bodyBytes ?? 64 * MiB),
    answers: createAnswerBudget(options.answerBytes ?? 128 * MiB),
    rights: createRightsWatch({ findEnded: options.endedRights ?? everyRightHolds, log }),
    maxMeasuredBytes: options.maxMeasuredBytes ?? 8 * MiB,
    bodyBounds: {
      limitBytes: options.jsonMaxBytes ?? MiB,
      maxDepth: 64,
      maxElements: 20_000,
      timeoutMs: options.bodyTimeoutMs ?? 30_000,
      idleMs: options.bodyIdleMs ?? 10_000,
    },
  });

  app.use(
    createRequest({
      log,
      metrics,
      tracing: options.tracing ?? noTracing,
      identifyClient,
    }),
  );
  app.use(createSecurityHeaders(isChartPage));
  app.use(createCors({ ...cors, openTo: isReadLink }));
  app.use(createErrors());
  app.use(createHostCheck());
  app.use(
    createRouter(
      [
        { base: apiBase, routes: options.routes },
        { base: '', routes: [...options.rootRoutes, ...documents, ...(web?.routes ?? [])] },
      ],
      dispatch,
      { page: web?.page, hasPage: options.web?.hasPage, publicPath },
    ),
  );
  // These errors occurred after the headers were sent: the connection is already aborted.
  app.on('error', (error: NodeJS.ErrnoException, ctx?: Koa.ParameterizedContext<RequestState>) => {
    const requestLog = ctx?.state.log ?? log;
    if (isRefusal(error)) {
      requestLog.info({ err: error }, 'answer ended: its right has ended');
      return;
    }
    if (isUnread(error)) {
      requestLog.info({ err: error }, 'answer ended: its client does not read it');
      return;
    }
    // The client disconnected, which the log line of the request says.
    if (hungUp.has(error.code) && ctx?.state.error === undefined) return;
    requestLog.error({ err: error }, 'answer broken off');
  });
  return createHttpServer(
    app.callback(),
    { headersMs: 15_000, keepAliveMs: 65_000 },
    {
      most: options.connections ?? 10_000,
      headBytes: options.headBytes,
      ownerOf: createOwnerOf(options.trustedProxies ?? []),
      onRefused: (what) => metrics.permitsRefused.inc({ kind: 'connections', what }),
    },
    log,
    options.shutdown,
  );
};

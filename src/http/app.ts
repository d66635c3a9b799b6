import Koa from 'koa';
import type { FindEndedRights } from '../catalog/standing-rights.js';
import { AppError } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { Metrics } from '../lib/metrics/metrics.js';
import { noTracing, type Tracing } from '../lib/tracing.js';
import { createAnswerBudget, createBodyBudget, isUnread } from './budgets.js';
import { createIdentifyClient } from './client-address.js';
import { createOwnerOf } from './connections/limit.js';
import { type Authenticate, createDispatch } from './dispatch.js';
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
  /** Finds ended rights among those of answers that are being sent. @default none ends */
  readonly endedRights?: FindEndedRights;
  readonly log: Log;
  readonly metrics: Metrics;
  /** @default no spans */
  readonly tracing?: Tracing;
  readonly version: string;
  readonly cors?: CorsOptions;
  /** Address under which browsers reach the service, when it is set. */
  readonly publicUrl?: string | undefined;
  /** Further names of the service, for protocols that refuse unknown ones. @default none */
  readonly hosts?: readonly string[];
  /** Addresses and networks of proxies whose `X-Forwarded-*` are believed. @default none */
  readonly trustedProxies?: readonly string[];
  /** Connections at a time; a quarter of them for one address. @default 10000 */
  readonly connections?: number;
  /** Bytes of heads that are not complete. @default 32 MiB */
  readonly headBytes?: number;
  /** @default 30000 */
  readonly bodyTimeoutMs?: number;
  /** Largest JSON body of routes that do not say. @default 1 MiB */
  readonly jsonMaxBytes?: number;
  /** Milliseconds without a byte of a body. @default 10000 */
  readonly bodyIdleMs?: number;
  /** Bytes of request bodies that are kept at a time. @default 64 MiB */
  readonly bodyBytes?: number;
  /** Bytes of answers that wait for their readers. @default 128 MiB */
  readonly answerBytes?: number;
  /** Longest response of unknown length by HTTP/1.0. @default 8 MiB */
  readonly maxMeasuredBytes?: number;
  /** @default those of `defaultSemaphoreLimits` */
  readonly semaphores?: Semaphores;
  /** Longest that an answer to refused credentials waits, for an address that fails often. @default 2000 */
  readonly maxRefusalDelayMs?: number;
  /** Finds the account behind the token of a session. @default no sessions */
  readonly authenticateSession?: Authenticate;
  /** The web app, at `/` and at addresses of its own. @default it is not served */
  readonly web?: WebApp;
  /** @default one of its own */
  readonly shutdown?: Shutdown;
  /** Also serve `/openapi.json` and `/docs`. @default true */
  readonly documents?: boolean;
}

/** Address of the API below the root. */
export const apiBase = '/api';

/** Read links are for pages of every site; signed links have a file name behind the token. */
const isReadLink = (path: string): boolean => /^\/api\/links\/[^/]+$/.test(path);

/** Charts for frames; what refuses them is framed as well. */
const isChartPage = (path: string): boolean => /^\/api\/links\/[^/]+\.html$/.test(path);

const everyOrigin: CorsOptions = { origins: ['*'] };

const noSessions: Authenticate = async () => {
  throw new AppError('unauthenticated', 'session_ended', 'The session has ended; sign in again.');
};

const everyRightHolds: FindEndedRights = async (rights) => rights.map(() => undefined);

/** Codes with which a connection fails that its client has left. */
const hungUp: ReadonlySet<string | undefined> = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ECONNRESET',
  'EPIPE',
]);

const MiB = 1024 * 1024;

const originOf = (url: string | undefined): string[] => (url === undefined ? [] : [new URL(url).origin]);

/** The HTTP face: `listen` starts it, `close` drains it. */
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
  // These errors happened after the headers were sent: the connection is already broken off.
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
    // The client hung up: the line of the request says so.
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

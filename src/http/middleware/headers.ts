import type { Middleware } from 'koa';
import type { RequestState } from '../request-state.js';

export interface CorsOptions {
  /** Origins whose pages may call the API: `*` for all, an empty list for none. */
  readonly origins: readonly string[];
  /** Methods that these pages may use. @default those of `methodsFor` */
  readonly methods?: readonly string[] | undefined;
  /** Pages of the listed origins may send cookies and stored passwords. Not allowed with `*`. @default false */
  readonly credentials?: boolean;
  /** Paths that pages of every origin may read, listed or not. @default none */
  readonly openTo?: ((path: string) => boolean) | undefined;
}

const exposed = [
  'Row-Count',
  'Link',
  'ETag',
  'Location',
  'Content-Disposition',
  'Content-Range',
  'OData-Version',
  'Preference-Applied',
  'Age',
  'Retry-After',
  'X-Request-Id',
];
const exposeHeader = 'Access-Control-Expose-Headers';

const withExposed = (own: string): string => [...new Set([...own.split(', '), ...exposed])].join(', ');

const accepted = [
  'Authorization',
  'Content-Type',
  'Content-Digest',
  'Content-MD5',
  'Digest',
  'If-None-Match',
  'If-Match',
  'If-Range',
  'Mcp-Method',
  'Mcp-Name',
  'MCP-Protocol-Version',
  'OData-MaxVersion',
  'OData-Version',
  'Prefer',
  'Range',
  'X-Request-Id',
];

/**
 * A page of any site may read, also by the POST that carries a query. Requests that change something are refused (`createSiteCheck`). A
 * listed origin may do everything.
 */
const methodsFor = (isListed: boolean): readonly string[] =>
  isListed ? ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] : ['GET', 'HEAD', 'POST'];

/**
 * Calls from pages of other origins. Without `credentials` the browser adds neither cookies nor stored passwords, so the page must send a
 * key itself.
 */
export const createCors = ({
  origins,
  methods,
  credentials = false,
  openTo = () => false,
}: CorsOptions): Middleware<RequestState> => {
  const toAll = origins.includes('*');
  return async function cors(ctx, next) {
    const origin = ctx.get('Origin');
    const isOpen = openTo(ctx.path);
    const everyone = toAll || isOpen;
    const allowed = everyone || origins.includes(origin);
    if (!everyone && origins.length > 0) ctx.vary('Origin');
    const isShared = allowed && (everyone || origin !== '');
    if (isShared) {
      ctx.set('Access-Control-Allow-Origin', everyone ? '*' : origin);
      ctx.set(exposeHeader, exposed.join(', '));
      if (credentials && !everyone) ctx.set('Access-Control-Allow-Credentials', 'true');
    }
    const preflight = ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') !== '';
    if (!preflight) {
      await next();
      // A route may have named headers of its own.
      if (isShared) ctx.set(exposeHeader, withExposed(ctx.response.get(exposeHeader)));
      return;
    }
    if (allowed) {
      const allowedMethods = isOpen ? ['GET', 'HEAD'] : (methods ?? methodsFor(origins.includes(origin)));
      ctx.set('Access-Control-Allow-Methods', allowedMethods.join(', '));
      ctx.set('Access-Control-Allow-Headers', accepted.join(', '));
      ctx.set('Access-Control-Max-Age', '86400');
    }
    ctx.status = 204;
  };
};

/**
 * Answers of this service are data: they must not run, be framed, be sniffed, or leak an address.
 * @param isFramed True for paths of pages that other sites may frame.
 */
export const createSecurityHeaders = (isFramed: (path: string) => boolean): Middleware<RequestState> =>
  async function securityHeaders(ctx, next) {
    const framed = isFramed(ctx.path);
    ctx.set({
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      ...(framed ? {} : { 'X-Frame-Options': 'DENY' }),
      'Content-Security-Policy': `default-src 'none'; frame-ancestors ${framed ? '*' : "'none'"}`,
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
      'Cache-Control': 'no-store',
    });
    if (ctx.state.client.secure) ctx.set('Strict-Transport-Security', 'max-age=31536000');
    await next();
  };

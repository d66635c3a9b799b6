import type { Middleware } from 'koa';
import type { RequestState } from '../request-state.js';

export interface CorsOptions {
  /** Origins that may read answers: `*` for all, an empty list for none. */
  readonly origins: readonly string[];
  /** Methods allowed from other origins. */
  readonly methods: readonly string[];
}

const exposed = ['Row-Count', 'ETag', 'Location', 'Content-Disposition', 'Retry-After', 'X-Request-Id'];
const accepted = ['Authorization', 'Content-Type', 'If-None-Match', 'If-Match', 'Range', 'X-Request-Id'];

/**
 * Cross-origin reads. Credentials of the browser (cookies, stored passwords) are never allowed: a page has to
 * hold a key and send it itself.
 */
export const createCors = ({ origins, methods }: CorsOptions): Middleware<RequestState> => {
  const everyone = origins.includes('*');
  return async function cors(ctx, next) {
    const origin = ctx.get('Origin');
    const allowed = origins.length > 0 && (everyone || origins.includes(origin));
    if (!everyone && origins.length > 0) ctx.vary('Origin');
    if (allowed && (everyone || origin !== '')) {
      ctx.set('Access-Control-Allow-Origin', everyone ? '*' : origin);
      ctx.set('Access-Control-Expose-Headers', exposed.join(', '));
    }
    const preflight = ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') !== '';
    if (!preflight) return next();
    if (allowed) {
      ctx.set('Access-Control-Allow-Methods', methods.join(', '));
      ctx.set('Access-Control-Allow-Headers', accepted.join(', '));
      ctx.set('Access-Control-Max-Age', '86400');
    }
    ctx.status = 204;
  };
};

/** Answers of this service are data: nothing in them may run, be framed, be guessed at, or leak an address. */
export const createSecurityHeaders = (): Middleware<RequestState> =>
  async function securityHeaders(ctx, next) {
    ctx.set({
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Cache-Control': 'no-store',
    });
    if (ctx.state.client.secure) ctx.set('Strict-Transport-Security', 'max-age=31536000');
    await next();
  };
